import type {
  AspectName,
  FeatureAsOf as State,
} from '../../domain/features/history/feature-as-of.js';
import type { DependencyState } from '../../domain/features/history/feature-state.js';
import { builder } from '../builder.js';
import { Event } from './event.js';
import { Feature } from './feature.js';
import { FeatureEnvironmentAsOf } from './feature-environment-as-of.js';
import { Project } from './project.js';
import { Tag } from './tag.js';

const FeatureExistence = builder.enumType('FeatureExistence', {
  description: 'Whether there was a feature of this name at a moment.',
  values: {
    EXISTED: { description: 'There was, archived or not.' },
    NOT_YET_CREATED: { description: 'The event that created it came later.' },
    DELETED: { description: 'It had been deleted; the one of today was created later.' },
    UNKNOWN: { description: 'The log does not tell, or had not begun.' },
  } as const,
});

const ASPECTS: readonly (readonly [AspectName, string])[] = [
  ['project', 'The project it belonged to.'],
  ['type', 'Its kind.'],
  ['description', 'Its free text.'],
  ['stale', 'Whether it was marked stale.'],
  ['impressionData', 'Whether impression data was collected.'],
  ['archived', 'Whether it was archived.'],
  ['tags', 'Its tags.'],
  ['dependencies', 'The features it depended on.'],
];

const FeatureAspect = builder.enumType('FeatureAspect', {
  description: 'Something that can be told of a feature, whatever the environment.',
  values: Object.fromEntries(
    ASPECTS.map(([aspect, description]) => [
      aspect.replace(/[A-Z]/g, '_$&').toUpperCase(),
      { value: aspect, description },
    ]),
  ),
});

const DependencyAsOf = builder.objectRef<DependencyState>('FeatureDependencyAsOf').implement({
  description: 'A parent that had to be on, or off, before a feature was considered.',
  fields: (t) => ({
    featureName: t.exposeString('feature', { description: 'Name of the parent feature.' }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether the parent had to be on.' }),
    variants: t.stringList({
      description: 'Variants of the parent that counted; none listed means any.',
      resolve: ({ variants }) => [...variants],
    }),
  }),
});

const FeatureAsOf = builder.objectRef<State>('FeatureAsOf').implement({
  description:
    'A feature as the event log tells it stood at a moment. What it cannot tell is null and listed in `unknown`.',
  fields: (t) => ({
    time: t.expose('time', { type: 'DateTime', description: 'The moment.' }),
    existence: t.field({
      type: FeatureExistence,
      description: 'Whether it was there.',
      resolve: ({ existence }) => existence,
    }),
    unknown: t.field({
      type: [FeatureAspect],
      description: 'What the log cannot tell; a null that is not listed here is the value itself.',
      resolve: ({ unknown }) => [...unknown],
    }),
    partial: t.exposeBoolean('isPartial', {
      description: 'Whether only the last 5000 events before the moment were looked at, of more.',
    }),
    lastEvent: t.field({
      type: Event,
      nullable: true,
      description: 'The last event of it up to the moment; null if there is none.',
      resolve: ({ lastEvent }) => lastEvent,
    }),
    nextEvent: t.field({
      type: Event,
      nullable: true,
      description: 'The first event of it after the moment; null if there is none yet.',
      resolve: ({ nextEvent }) => nextEvent,
    }),
    projectId: t.string({
      nullable: true,
      description: 'Id of the project it belonged to.',
      resolve: ({ aspects }) => aspects.project?.value ?? null,
    }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'That project as it is now, if it still exists.',
      resolve: ({ aspects }, _args, { loaders }) =>
        aspects.project === null ? null : loaders.project.load(aspects.project.value),
    }),
    type: t.string({
      nullable: true,
      description: 'Its kind, such as `release`.',
      resolve: ({ aspects }) => aspects.type?.value ?? null,
    }),
    description: t.string({
      nullable: true,
      description: 'Its free text.',
      resolve: ({ aspects }) => aspects.description?.value ?? null,
    }),
    stale: t.boolean({
      nullable: true,
      description: 'Whether somebody had marked it stale.',
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
      description: 'Its tags.',
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
        'Its state in each environment it has today or the log names; none while it did not exist.',
      resolve: ({ environments }) => [...environments],
    }),
  }),
});

/** Replaying weighs as much as showing so many items. */
const REPLAY_COST = 200;

builder.prismaObjectField(Feature, 'asOf', (t) =>
  t.field({
    type: FeatureAsOf,
    description:
      'This feature as the event log tells it stood at a moment: all events up to then, in the order of their numbers.',
    complexity: REPLAY_COST,
    args: {
      time: t.arg({
        type: 'DateTime',
        required: true,
        description: 'The moment, events in it included; not in the future.',
      }),
    },
    resolve: ({ name }, { time }, { pages }) => pages.featureAsOf({ name, time }),
  }),
);
