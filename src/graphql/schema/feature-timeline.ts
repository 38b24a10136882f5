import type { EnabledPeriod as Period } from '../../domain/features/history/enabled-periods.js';
import { DEFAULT_PERIODS, MAX_PERIODS } from '../../domain/features/history/list-timelines-of.js';
import { builder } from '../builder.js';
import { Event } from './event.js';
import { Feature } from './feature.js';

export const EnabledState = builder.enumType('EnabledState', {
  description: 'Whether a feature is on in an environment, as far as the event log tells.',
  values: {
    ENABLED: { description: 'It is on.' },
    DISABLED: { description: 'It is off, or not in that environment at all.' },
    UNKNOWN: { description: 'The log does not tell.' },
  } as const,
});

const EnabledPeriod = builder.objectRef<Period>('EnabledPeriod').implement({
  description: 'A stretch of time in which a feature was on, off or unknown in one environment.',
  fields: (t) => ({
    environment: t.exposeString('environment', {
      description: 'Name of the environment, such as `production`.',
    }),
    state: t.field({
      type: EnabledState,
      description: 'Whether it was on.',
      resolve: ({ state }) => state,
    }),
    from: t.expose('from', {
      type: 'DateTime',
      nullable: true,
      description: 'When it began; null when that lies before what the log, or this list, tells.',
    }),
    to: t.expose('to', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null while it lasts, and then `endedBy` is null as well.',
    }),
    startedBy: t.field({
      type: Event,
      nullable: true,
      description: 'The event that began it, with who did it; null where `from` is unknown.',
      resolve: ({ startedBy }, _args, { pages }) =>
        startedBy === null ? null : pages.event(startedBy),
    }),
    endedBy: t.field({
      type: Event,
      nullable: true,
      description: 'The event that ended it; null while it lasts.',
      resolve: ({ endedBy }, _args, { pages }) => (endedBy === null ? null : pages.event(endedBy)),
    }),
    contradicted: t.exposeBoolean('contradicted', {
      description:
        'True on the last period when the feature is otherwise now: it ended without an event you may see.',
    }),
    earlierOmitted: t.exposeBoolean('earlierOmitted', {
      description:
        'True on the first period when earlier ones were left out; ask for more by `last`.',
    }),
  }),
});

builder.prismaObjectField(Feature, 'timeline', (t) =>
  t.field({
    type: [EnabledPeriod],
    description:
      'When it was on in an environment and when not, oldest first, with the events that switched it.',
    // Each period may show two events.
    complexity: ({ last }) => ({ field: 5, multiplier: Math.max(1, last) }),
    args: {
      environment: t.arg.string({
        required: true,
        description: 'Name of the environment, such as `production`.',
      }),
      last: t.arg.int({
        defaultValue: DEFAULT_PERIODS,
        required: true,
        description: `At most so many periods, the latest; from 1 to ${MAX_PERIODS}. Default ${DEFAULT_PERIODS}.`,
      }),
    },
    resolve: ({ name }, { environment, last }, { pages }) =>
      pages.timelineOf({ name, environment, last }),
  }),
);
