import { CLONE_COST } from '../../domain/cost.js';
import type { CloneDraft } from '../../domain/features/clone-draft.js';
import type {
  OMITTED_ASPECTS,
  CloneOmission as Omission,
} from '../../domain/features/clone-omissions.js';
import type { StrategyCopy } from '../../domain/features/copy-strategy.js';
import type { FeatureLink as LinkShape } from '../../domain/features/feature-links.js';
import type { ClonePlan as PlanShape } from '../../domain/features/plan-clone.js';
import { inStoredOrder } from '../../domain/features/stored-order.js';
import { builder } from '../builder.js';
import { CloneFeatureInput, readCloneInput } from './clone-input.js';
import { ErrorInterface, refusalOf } from './clone-refusals.js';
import { EnvironmentOfFeature } from './environment-of-feature.js';
import { FeatureDependency } from './feature.js';
import { Project } from './project.js';
import { loadSegments, Segment } from './segment.js';
import { REQUIRED_NAME, REQUIRED_SEGMENTS, StrategyDefinition } from './strategy-definition.js';
import { Variant } from './strategy-parts.js';
import { Tag } from './tag.js';

const OmittedAspect = builder.enumType('OmittedAspect', {
  description: 'Part of a feature that a clone does not copy.',
  values: {
    TAGS: { description: 'Tags, unless requested.' },
    FAVORITE: { description: 'Your favorite mark, unless requested.' },
    ENABLED_STATE: { description: 'Environments in which the source is enabled.' },
    CHILDREN: { description: 'Features that depend on the source.' },
    RELEASE_PLAN_STRATEGIES: { description: 'Strategies that belong to a release plan.' },
    STRATEGIES_OUT_OF_SIGHT: {
      description: 'Strategies in environments that the source is not in.',
    },
    LIFECYCLE: { description: 'Lifecycle stages recorded by Unleash.' },
    LAST_SEEN: { description: 'Environments in which applications reported using the source.' },
  } satisfies Record<(typeof OMITTED_ASPECTS)[number], { description: string }>,
});

const CloneOmission = builder.objectRef<Omission>('CloneOmission').implement({
  description: 'A part of the source that is not copied.',
  fields: (t) => ({
    aspect: t.expose('aspect', {
      type: OmittedAspect,
      description: 'The part that is not copied.',
    }),
    count: t.exposeInt('count', { description: 'How many of these the source has.' }),
    reason: t.exposeString('reason', {
      description: 'Why it is not copied, and what to do about it.',
    }),
  }),
});

const PlannedStrategy = builder.objectRef<StrategyCopy>('PlannedStrategy').implement({
  interfaces: [StrategyDefinition],
  description: 'A strategy that a clone would create.',
  fields: (t) => ({
    name: t.exposeString('name', { description: REQUIRED_NAME }),
    sortOrder: t.exposeInt('sortOrder', {
      description: 'Position among the strategies of the environment, ascending.',
    }),
    parameters: t.field({
      type: 'JSON',
      description: 'Parameters of the strategy, including the new group ID.',
      resolve: ({ parameters }) => inStoredOrder(parameters),
    }),
    segmentIds: t.intList({
      description: REQUIRED_SEGMENTS,
      resolve: ({ segments }) => [...segments],
    }),
    segments: t.field({
      type: [Segment],
      description:
        'Segments whose constraints must match as well. The copy shares them with the source.',
      resolve: ({ segments }, _args, { loaders }) => loadSegments(segments, loaders),
    }),
  }),
});

type PlannedPlace = PlanShape['environments'][number] & {
  environmentName: string;
  draft: CloneDraft;
};

const PlannedEnvironment = builder.objectRef<PlannedPlace>('PlannedEnvironment').implement({
  interfaces: [EnvironmentOfFeature],
  description: 'The copy in one environment, where it would be disabled.',
  fields: (t) => ({
    inProject: t.exposeBoolean('isLinked', {
      description:
        'Whether the target project uses the environment. The copy also gets environments that only the source is in.',
    }),
    strategies: t.field({
      type: [PlannedStrategy],
      description: 'Strategies of the copy in this environment, in order.',
      resolve: ({ name, draft }) =>
        draft.strategies.filter((strategy) => strategy.environmentName === name),
    }),
    variants: t.field({
      type: [Variant],
      description: 'Variants of the copy in this environment, sorted by name.',
      resolve: ({ name, draft }) => [...(draft.variantsOf.get(name) ?? [])],
    }),
  }),
});

const FeatureLink = builder.objectRef<LinkShape>('FeatureLink').implement({
  description: 'A link from a feature to a page about it.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'URL of the page.' }),
    title: t.string({
      nullable: true,
      description: 'Title of the link, if it has one.',
      resolve: ({ title }) => title ?? null,
    }),
  }),
});

type Copy = { draft: CloneDraft; environments: PlanShape['environments'] };

const PlannedFeature = builder.objectRef<Copy>('PlannedFeature').implement({
  description: 'The feature that a clone would create.',
  fields: (t) => ({
    name: t.string({ description: 'Name of the copy.', resolve: ({ draft }) => draft.name }),
    description: t.string({
      nullable: true,
      description: 'Description, copied from the source.',
      resolve: ({ draft }) => draft.source.description,
    }),
    type: t.string({
      nullable: true,
      description: 'Feature type, such as `release`. Null if the source has lost its type.',
      resolve: ({ draft }) => draft.source.type,
    }),
    stale: t.boolean({
      description: 'Whether the source is marked stale.',
      resolve: ({ draft }) => draft.source.stale ?? false,
    }),
    impressionData: t.boolean({
      description: 'Whether impression data is collected.',
      resolve: ({ draft }) => draft.source.impressionData ?? false,
    }),
    environments: t.field({
      type: [PlannedEnvironment],
      description: 'Environments of the target project and of the source, in sort order.',
      resolve: ({ draft, environments }) =>
        environments.map((environment) => ({
          ...environment,
          environmentName: environment.name,
          draft,
        })),
    }),
    dependencies: t.field({
      type: [FeatureDependency],
      description: 'Features the copy would depend on, the same as for the source.',
      resolve: ({ draft }) =>
        draft.dependencies.map(({ parentName, enabled, variants }) => ({
          parentName,
          childName: draft.name,
          enabled,
          variants: [...variants],
        })),
    }),
    links: t.field({
      type: [FeatureLink],
      description:
        'Links created from the link templates of the target project. Empty before Unleash 7.',
      resolve: ({ draft }) => [...draft.links],
    }),
    tags: t.field({
      type: [Tag],
      description: 'Tags of the copy, if requested.',
      resolve: ({ draft }) => [...draft.tags],
    }),
    favorite: t.boolean({
      description: 'Whether the copy would be one of your favorites.',
      resolve: ({ draft }) => draft.isFavorite,
    }),
  }),
});

export const ClonePlan = builder.objectRef<PlanShape>('ClonePlan').implement({
  description: 'What a clone would do, and whether it would succeed. Nothing was written.',
  fields: (t) => ({
    wouldSucceed: t.boolean({
      description: 'Whether the clone would succeed if it ran now.',
      resolve: ({ refusals }) => refusals.length === 0,
    }),
    refusals: t.field({
      type: [ErrorInterface],
      description:
        'Everything that prevents the clone, at most 100 entries. The clone itself would report only the first.',
      resolve: ({ refusals }) => refusals.map(refusalOf),
    }),
    newName: t.exposeString('name', { description: 'Requested name of the copy.' }),
    targetProjectId: t.exposeString('targetProject', {
      nullable: true,
      description:
        'ID of the target project. Null if the input names none and the source does not determine one.',
    }),
    targetProject: t.field({
      type: Project,
      nullable: true,
      description: 'The target project, if it exists.',
      resolve: ({ targetProject }, _args, { loaders }) =>
        targetProject === null ? null : loaders.project.load(targetProject),
    }),
    copy: t.field({
      type: PlannedFeature,
      nullable: true,
      description:
        'The feature that would be written, as far as damaged data in the source allows. Null if the source does not exist, if neither it nor the input has a target project, or if a name in the input cannot be stored.',
      resolve: ({ draft, environments }) => draft && { draft, environments },
    }),
    notCopied: t.field({
      type: [CloneOmission],
      description: 'Parts of the source that would not be copied.',
      resolve: ({ notCopied }) => [...notCopied],
    }),
  }),
});

builder.queryField('clonePlan', (t) =>
  t.field({
    type: ClonePlan,
    description:
      'Previews `cloneFeature`: what it would write, and everything that prevents it. Works without the permission to clone and in maintenance mode.',
    args: {
      input: t.arg({
        type: CloneFeatureInput,
        required: true,
        description: 'The clone to preview.',
      }),
    },
    complexity: CLONE_COST,
    resolve: (_root, { input }, { actor, operations }) =>
      operations.planClone(actor, readCloneInput(input)),
  }),
);
