import type { Change } from '../../domain/events/changes/difference.js';
import { changesWithin } from '../../domain/events/changes/list-event-changes.js';
import { builder } from '../builder.js';
import { Event } from './event.js';
import { EventRecord } from './event-record.js';

const ChangeKind = builder.enumType('ChangeKind', {
  description: 'How a value changed.',
  values: {
    ADDED: { description: 'The value was added.' },
    REMOVED: { description: 'The value was removed.' },
    CHANGED: { description: 'The value was replaced by another one.' },
    REORDERED: { description: 'The items of the list were reordered.' },
  } as const,
});

export const EventChange = builder.objectRef<Change>('EventChange').implement({
  description: 'A difference between two states, such as those before and after an event.',
  fields: (t) => ({
    path: t.exposeString('path', {
      description:
        'Path of the change, such as `parameters.rollout` or `constraints[contextName=userId,operator=IN].values`. Empty for the whole state.',
    }),
    kind: t.field({
      type: ChangeKind,
      description: 'How the value changed.',
      resolve: ({ kind }) => kind,
    }),
    before: t.expose('before', {
      type: 'JSON',
      nullable: true,
      description:
        'Value before the change. Null if there was none. For a reordered list, the fields that identify its items.',
    }),
    after: t.expose('after', {
      type: 'JSON',
      nullable: true,
      description: 'Value after the change. Null if there is none.',
    }),
    position: t.exposeInt('position', {
      nullable: true,
      description: 'Zero-based index of an item added to a list. Null for all other changes.',
    }),
  }),
});

/** Changes are computed, and some require the state recorded by an earlier event. */
const CHANGES_COST = { field: 5, multiplier: 5 };

builder.objectField(Event, 'changes', (t) =>
  t.field({
    type: [EventChange],
    nullable: true,
    complexity: CHANGES_COST,
    description:
      'Changes made by the event: the difference between `preData` and `data`. Updates without `preData` are compared with the last earlier state visible to you. Null if the log does not show the previous state or, for anything outside a feature, shows it only more than 100,000 events back. Events without a payload that switch a value show it: `enabled` in the environment of the event, `archived` or `stale`. Also null for other events that record no state, such as `feature-completed`.',
    resolve: (event, _args, { pages }) => pages.changesOf(event),
  }),
);

builder.interfaceField(EventRecord, 'changes', (t) =>
  t.field({
    type: [EventChange],
    nullable: true,
    complexity: CHANGES_COST,
    description:
      'Changes made by the event. Of a delivered event, derived from the delivered data only. Null if the previous state is not known.',
    resolve: ({ type, data, preData }) => changesWithin({ type: type ?? '', data, preData }),
  }),
);
