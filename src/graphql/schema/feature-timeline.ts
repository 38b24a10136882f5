import type { EnabledPeriod as Period } from '../../domain/features/history/enabled-periods.js';
import { DEFAULT_PERIODS, MAX_PERIODS } from '../../domain/features/history/list-timelines-of.js';
import { builder } from '../builder.js';
import { Environment, findEnvironment } from './environment.js';
import { Event } from './event.js';
import { Feature } from './feature.js';

export const EnabledState = builder.enumType('EnabledState', {
  description: 'Whether a feature is enabled in an environment, according to the event log.',
  values: {
    ENABLED: { description: 'The feature is enabled.' },
    DISABLED: { description: 'The feature is disabled, or not in that environment.' },
    UNKNOWN: { description: 'Cannot be determined from the event log.' },
  } as const,
});

export const EnabledPeriod = builder.objectRef<Period>('EnabledPeriod').implement({
  description:
    'A period in which a feature was enabled, disabled or in an unknown state in one environment.',
  fields: (t) => ({
    environmentName: t.exposeString('environment', {
      description: 'Environment name, such as `production`.',
    }),
    environment: t.field({
      type: Environment,
      nullable: true,
      description: 'The environment, if it still exists.',
      resolve: ({ environment }, _args, { loaders }) => findEnvironment(environment, loaders),
    }),
    state: t.field({
      type: EnabledState,
      description: 'Whether the feature was enabled.',
      resolve: ({ state }) => state,
    }),
    from: t.expose('from', {
      type: 'DateTime',
      nullable: true,
      description: 'Start of the period; null if it precedes the event log or this list.',
    }),
    before: t.expose('to', {
      type: 'DateTime',
      nullable: true,
      description:
        'End of the period (exclusive). Null if it is ongoing; `endedBy` is then null too.',
    }),
    startedBy: t.field({
      type: Event,
      nullable: true,
      description:
        'Event that started the period, including its author. Null if `from` is unknown.',
      resolve: ({ startedBy }, _args, { pages }) =>
        startedBy === null ? null : pages.event(startedBy),
    }),
    endedBy: t.field({
      type: Event,
      nullable: true,
      description: 'Event that ended the period; null if the period is ongoing.',
      resolve: ({ endedBy }, _args, { pages }) => (endedBy === null ? null : pages.event(endedBy)),
    }),
    contradicted: t.exposeBoolean('contradicted', {
      description:
        'True on the last period if the current state differs: the period ended without an event that you may see.',
    }),
    earlierOmitted: t.exposeBoolean('earlierOmitted', {
      description:
        'True on the first period if earlier periods were omitted. Increase `last` to get more.',
    }),
  }),
});

/** Each period can return two events. */
export const timelineCost = ({ last }: { last: number }) => ({
  field: 5,
  multiplier: Math.max(1, last),
});

export const lastArg = {
  defaultValue: DEFAULT_PERIODS,
  required: true,
  description: `Returns at most this many of the latest periods, from 1 to ${MAX_PERIODS}. Default: ${DEFAULT_PERIODS}.`,
} as const;

builder.prismaObjectField(Feature, 'timeline', (t) =>
  t.field({
    type: [EnabledPeriod],
    description:
      'Periods in which the feature was enabled or disabled in an environment, oldest first, with the events that toggled it.',
    complexity: timelineCost,
    args: {
      environmentName: t.arg.string({
        required: true,
        description: 'Environment name, such as `production`.',
      }),
      last: t.arg.int(lastArg),
    },
    resolve: ({ name }, { environmentName, last }, { pages }) =>
      pages.timelineOf({ name, environment: environmentName, last }),
  }),
);
