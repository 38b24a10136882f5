import type { Change } from '../../domain/events/changes/difference.js';
import { changesWithin } from '../../domain/events/changes/list-event-changes.js';
import { builder } from '../builder.js';
import { DeliveredEvent } from './delivered-event.js';
import { Event } from './event.js';

const ChangeKind = builder.enumType('ChangeKind', {
  description: 'In which way something changed.',
  values: {
    ADDED: { description: 'It was not there before.' },
    REMOVED: { description: 'It is no longer there.' },
    CHANGED: { description: 'It is there with another value.' },
    REORDERED: { description: 'The items of this list stand in another order.' },
  } as const,
});

const EventChange = builder.objectRef<Change>('EventChange').implement({
  description: 'One difference between the state before an event and the state after it.',
  fields: (t) => ({
    path: t.exposeString('path', {
      description:
        'Where: `parameters.rollout`, `constraints[contextName=userId,operator=IN].values`; empty for all of it.',
    }),
    kind: t.field({
      type: ChangeKind,
      description: 'In which way it changed.',
      resolve: ({ kind }) => kind,
    }),
    before: t.expose('before', {
      type: 'JSON',
      nullable: true,
      description:
        'What was there; null where nothing was. Of a list in another order, what its items are called.',
    }),
    after: t.expose('after', {
      type: 'JSON',
      nullable: true,
      description: 'What is there since; null where nothing is.',
    }),
    position: t.exposeInt('position', {
      nullable: true,
      description: 'Where an added item stands in its list, counted from 0; null for all else.',
    }),
  }),
});

/** Differences are computed, and some need the state that an earlier event recorded. */
const CHANGES_COST = { field: 5, multiplier: 5 };

builder.objectField(Event, 'changes', (t) =>
  t.field({
    type: [EventChange],
    nullable: true,
    complexity: CHANGES_COST,
    description:
      'What it changed: the difference of `preData` and `data`, or, of an update that carries no `preData`, the difference to the last state recorded before that you may see. Null where the log does not tell what was before, or only far back: of what belongs to no feature, more than 100,000 events ago; also of events that record no state, such as `feature-archived`.',
    resolve: (event, _args, { pages }) => pages.changesOf(event),
  }),
);

builder.objectField(DeliveredEvent, 'changes', (t) =>
  t.field({
    type: [EventChange],
    nullable: true,
    complexity: CHANGES_COST,
    description:
      'What it changed, as far as the delivered event tells; null where it does not tell what was before.',
    resolve: ({ type, data, preData }) =>
      changesWithin({ type: typeof type === 'string' ? type : '', data, preData }),
  }),
);
