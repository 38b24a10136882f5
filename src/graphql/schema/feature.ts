import {
  collaboratorsOf,
  inEnvironmentOrder,
  lastSeenAnywhere,
} from '../../domain/features/feature-parts.js';
import { featureVariants } from '../../domain/features/feature-record.js';
import { isEnabled } from '../../domain/features/is-enabled.js';
import { asObjects, asStrings } from '../../domain/json.js';
import { isPotentiallyStale } from '../../domain/projects/health.js';
import type { Dependency as DependencyRow } from '../../domain/rows.js';
import { builder } from '../builder.js';
import { FeatureEnvironment } from './feature-environment.js';
import { FeatureLifecycle, lifecycleOf } from './feature-lifecycle.js';
import { Node } from './node.js';
import { Project } from './project.js';
import { Variant } from './strategy-parts.js';
import { Tag } from './tag.js';
import { findUser, User } from './user.js';

export const FeatureDependency = builder.objectRef<DependencyRow>('FeatureDependency');

export const Feature = builder.prismaObject('Feature', {
  interfaces: [Node],
  description: 'A feature flag, enabled or disabled per environment.',
  fields: (t) => ({
    id: t.exposeID('name', { description: 'Feature ID: the same as `name`.' }),
    name: t.exposeString('name', { description: 'Feature name, unique across all projects.' }),
    type: t.exposeString('type', {
      nullable: true,
      description: 'Feature type, such as `release`, `experiment` or `kill-switch`.',
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Free-text description.',
    }),
    projectId: t.exposeString('projectId', {
      nullable: true,
      description: 'ID of the project it belongs to.',
    }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'Project it belongs to; null if the project no longer exists.',
      resolve: ({ projectId }, _args, { loaders }) =>
        projectId === null ? null : loaders.project.load(projectId),
    }),
    archived: t.boolean({
      description: 'Whether it is archived.',
      resolve: (feature) => feature.archivedAt !== null,
    }),
    archivedAt: t.expose('archivedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was archived.',
    }),
    enabled: t.boolean({
      description:
        'Whether it is enabled in the given environment, or in any environment if none is given. False if the feature is not in that environment; an error if the environment does not exist.',
      args: {
        environmentName: t.arg.string({ description: 'Environment name, such as `production`.' }),
      },
      resolve: ({ name }, { environmentName }, { loaders }) =>
        isEnabled(loaders, name, environmentName ?? null),
    }),
    stale: t.boolean({
      description:
        'Whether it is marked stale, regardless of its age. See also `potentiallyStale`.',
      resolve: (feature) => feature.stale ?? false,
    }),
    potentiallyStale: t.boolean({
      description:
        'Whether it has exceeded the expected lifetime of its type without being marked stale.',
      resolve: async (feature, _args, { loaders }) => {
        const type = feature.type === null ? null : await loaders.featureType.load(feature.type);
        return isPotentiallyStale(feature, type?.lifetimeDays, new Date());
      },
    }),
    favorite: t.boolean({
      description: 'Whether it is one of your favorites.',
      resolve: async ({ name }, _args, { loaders }) =>
        (await loaders.favoriteFeature.load(name)) !== null,
    }),
    impressionData: t.boolean({
      description: 'Whether impression data is collected.',
      resolve: (feature) => feature.impressionData ?? false,
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was created. Null for some very old features.',
    }),
    createdByUserId: t.exposeInt('createdByUserId', {
      nullable: true,
      description: 'User ID of its creator: -42 for admin tokens, null if unknown.',
    }),
    createdByUser: t.field({
      type: User,
      nullable: true,
      description: 'User who created it; null if unknown.',
      resolve: ({ createdByUserId }, _args, { loaders }) => findUser(createdByUserId, loaders),
    }),
    lastSeenAt: t.field({
      type: 'DateTime',
      nullable: true,
      deprecationReason:
        'Use FeatureEnvironment.lastSeenAt. Deprecated since version 5 of Unleash.',
      description: 'When any application last reported using it.',
      resolve: async (feature, _args, { loaders }) => {
        const [seen, environments] = await Promise.all([
          loaders.lastSeenOfFeature.load(feature.name),
          loaders.environmentsOfFeature.load(feature.name),
        ]);
        return lastSeenAnywhere(feature, seen, environments);
      },
    }),
    environments: t.field({
      type: [FeatureEnvironment],
      description: 'State of the feature in each environment.',
      resolve: async ({ name }, _args, { loaders }) =>
        inEnvironmentOrder(await loaders.environmentsOfFeature.load(name)),
    }),
    variants: t.field({
      type: [Variant],
      deprecationReason:
        'Use FeatureEnvironment.variants. Deprecated since version 5 of Unleash, to be removed in a future major version.',
      description: 'Variants of the first environment that has any.',
      resolve: async ({ name }, _args, { loaders }) => {
        const rows = inEnvironmentOrder(await loaders.environmentsOfFeature.load(name));
        return [...featureVariants(rows.map((row) => ({ variants: asObjects(row.variants) })))];
      },
    }),
    tags: t.field({
      type: [Tag],
      description: 'Tags of the feature.',
      resolve: async ({ name }, _args, { loaders }) => [
        ...(await loaders.tagsOfFeature.load(name)),
      ],
    }),
    lifecycle: t.field({
      type: FeatureLifecycle,
      nullable: true,
      description: 'Lifecycle of the feature; null until Unleash records a stage.',
      resolve: async ({ name }, _args, { loaders }) =>
        lifecycleOf(await loaders.lifecycleOfFeature.load(name)),
    }),
    dependencies: t.field({
      type: [FeatureDependency],
      description: 'Features it depends on.',
      resolve: async ({ name }, _args, { loaders }) => [
        ...(await loaders.dependenciesOfFeature.load(name)),
      ],
    }),
    collaborators: t.field({
      type: [User],
      description: 'People who changed it, most recent change first.',
      resolve: ({ name }, _args, { loaders }) => collaboratorsOf(loaders, name),
    }),
  }),
});

FeatureDependency.implement({
  description: 'A parent feature that must be enabled or disabled before the feature is evaluated.',
  fields: (t) => ({
    featureName: t.exposeString('parentName', { description: 'Name of the parent feature.' }),
    feature: t.field({
      type: Feature,
      nullable: true,
      description: 'The parent feature.',
      resolve: ({ parentName }, _args, { loaders }) => loaders.feature.load(parentName),
    }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether the parent must be enabled.' }),
    variantNames: t.stringList({
      description:
        'Names of the variants of the parent that satisfy the dependency; empty means any.',
      resolve: (dependency) => [...asStrings(dependency.variants)],
    }),
  }),
});

builder.prismaObjectField(Feature, 'children', (t) =>
  t.field({
    type: [Feature],
    description: 'Experimental, may change: features that depend on this one.',
    resolve: async ({ name }, _args, { loaders }) => {
      const rows = await loaders.childrenOfFeature.load(name);
      const children = await Promise.all(rows.map((row) => loaders.feature.load(row.childName)));
      return children.filter((child) => child !== null);
    },
  }),
);
