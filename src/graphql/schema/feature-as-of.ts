import { REPLAY_COST } from '../../domain/cost.js';
import type {
  AspectName,
  FeatureAsOf as State,
} from '../../domain/features/history/feature-as-of.js';
import type { DependencyState } from '../../domain/features/history/feature-state.js';
import { builder } from '../builder.js';
import { assertTimestamp } from '../date-time.js';
import { Event } from './event.js';
import { Feature } from './feature.js';
import { FeatureEnvironmentAsOf } from './feature-environment-as-of.js';
import { Project } from './project.js';
import { Tag } from './tag.js';

const FeatureExistence = builder.enumType('FeatureExistence', {
  description: 'Whether a feature with this name existed at a timestamp.',
  values: {
    EXISTED: { description: 'The feature existed, archived or not.' },
    NOT_YET_CREATED: {
      description: 'The event that created the feature is later than the timestamp.',
    },
    DELETED: {
      description:
        'The feature had been deleted. The current feature of this name was created later; if no event shows when, `contradicted` is true.',
    },
    UNKNOWN: {
      description:
        'Cannot be determined from the event log, or the log starts after the timestamp.',
    },
  } as const,
});

const ASPECTS: readonly (readonly [AspectName, string])[] = [
  ['project', 'Project the feature belonged to.'],
  ['type', 'Feature type.'],
  ['description', 'Free-text description.'],
  ['stale', 'Whether it was marked stale.'],
  ['impressionData', 'Whether impression data was collected.'],
  ['archived', 'Whether it was archived.'],
  ['tags', 'Tags of the feature.'],
  ['dependencies', 'Features it depended on.'],
];

const FeatureAspect = builder.enumType('FeatureAspect', {
  description: 'A property of a feature that is the same in all environments.',
  values: Object.fromEntries(
    ASPECTS.map(([aspect, description]) => [
      aspect.replace(/[A-Z]/g, '_$&').toUpperCase(),
      { value: aspect, description },
    ]),
  ),
});

const DependencyAsOf = builder.objectRef<DependencyState>('FeatureDependencyAsOf').implement({
  description:
    'A parent feature that had to be enabled or disabled before the feature was evaluated.',
  fields: (t) => ({
    featureName: t.exposeString('feature', { description: 'Name of the parent feature.' }),
    feature: t.field({
      type: Feature,
      nullable: true,
      description: 'The parent feature in its current state, if it still exists.',
      resolve: ({ feature }, _args, { loaders }) => loaders.feature.load(feature),
    }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether the parent had to be enabled.' }),
    variantNames: t.stringList({
      description:
        'Names of the variants of the parent that satisfied the dependency; empty means any.',
      resolve: ({ variants }) => [...variants],
    }),
  }),
});

const FeatureAsOf = builder.objectRef<State>('FeatureAsOf').implement({
  description:
    'State of a feature at a timestamp, replayed from the event log. Properties that cannot be determined are null and listed in `unknown`.',
  fields: (t) => ({
    time: t.expose('time', { type: 'DateTime', description: 'Requested timestamp.' }),
    existence: t.field({
      type: FeatureExistence,
      description: 'Whether the feature existed at that time.',
      resolve: ({ existence }) => existence,
    }),
    unknown: t.field({
      type: [FeatureAspect],
      description:
        'Properties that cannot be determined from the event log. Any other null is the actual value.',
      resolve: ({ unknown }) => [...unknown],
    }),
    contradicted: t.exposeBoolean('isContradicted', {
      description:
        'True if `existence` is DELETED, but the feature exists now and no event that you may see created it again.',
    }),
    partial: t.exposeBoolean('isPartial', {
      description:
        'Whether only the last 5000 events up to the timestamp were replayed because there are more.',
    }),
    lastEvent: t.field({
      type: Event,
      nullable: true,
      description: 'Last event of the feature up to the timestamp; null if there is none.',
      resolve: ({ lastEvent }) => lastEvent,
    }),
    nextEvent: t.field({
      type: Event,
      nullable: true,
      description: 'First event of the feature after the timestamp; null if there is none yet.',
      resolve: ({ nextEvent }) => nextEvent,
    }),
    projectId: t.string({
      nullable: true,
      description: 'ID of the project the feature belonged to.',
      resolve: ({ aspects }) => aspects.project?.value ?? null,
    }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'That project in its current state, if it still exists.',
      resolve: ({ aspects }, _args, { loaders }) =>
        aspects.project === null ? null : loaders.project.load(aspects.project.value),
    }),
    type: t.string({
      nullable: true,
      description: 'Feature type, such as `release`.',
      resolve: ({ aspects }) => aspects.type?.value ?? null,
    }),
    description: t.string({
      nullable: true,
      description: 'Free-text description.',
      resolve: ({ aspects }) => aspects.description?.value ?? null,
    }),
    stale: t.boolean({
      nullable: true,
      description: 'Whether it was marked stale.',
      resolve: ({ aspects }) => aspects.stale?.value ?? null,
    }),
    impressionData: t.boolean({
      nullable: true,
      description: 'Whether impression data was collected.',
      resolve: ({ aspects }) => aspects.impressionData?.value ?? null,
    }),
    archived: t.boolean({
      nullable: true,
      description: 'Whether it was archived.',
      resolve: ({ aspects }) => aspects.archived?.value ?? null,
    }),
    tags: t.field({
      type: [Tag],
      nullable: true,
      description: 'Tags of the feature.',
      resolve: ({ aspects }) => aspects.tags && [...aspects.tags.value],
    }),
    dependencies: t.field({
      type: [DependencyAsOf],
      nullable: true,
      description: 'Features it depended on.',
      resolve: ({ aspects }) => aspects.dependencies && [...aspects.dependencies.value],
    }),
    environments: t.field({
      type: [FeatureEnvironmentAsOf],
      description:
        'State in each environment that the feature has now or that the event log names. Empty if the feature did not exist.',
      resolve: ({ environments }) =>
        environments.map((row) => ({ ...row, environmentName: row.environment })),
    }),
  }),
});

builder.prismaObjectField(Feature, 'asOf', (t) =>
  t.field({
    type: FeatureAsOf,
    description:
      'State of this feature at a timestamp, replayed from all events up to then in ID order.',
    complexity: REPLAY_COST,
    args: {
      time: t.arg({
        type: 'DateTime',
        required: true,
        description: 'Timestamp, inclusive. Must not be in the future.',
      }),
    },
    resolve: ({ name }, { time }, { pages }) => {
      assertTimestamp('time', time);
      return pages.featureAsOf({ name, time });
    },
  }),
);
