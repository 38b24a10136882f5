import type { CloneDraft } from '../../domain/features/clone-draft.js';
import type {
  OMITTED_ASPECTS,
  CloneOmission as Omission,
} from '../../domain/features/clone-omissions.js';
import type { StrategyCopy } from '../../domain/features/copy-strategy.js';
import type { ClonePlan } from '../../domain/features/plan-clone.js';
import { inStoredOrder } from '../../domain/features/stored-order.js';
import { builder } from '../builder.js';
import { ErrorInterface, plannedRefusalOf } from './clone-refusals.js';
import { FeatureDependency } from './feature.js';
import { Project } from './project.js';
import { Constraint, loadSegments, Segment, Variant } from './strategy.js';
import { Tag } from './tag.js';

const OmittedAspect = builder.enumType('OmittedAspect', {
  description: 'Something that a feature has and its copy has not.',
  values: {
    TAGS: { description: 'Tags, unless they were asked for.' },
    FAVORITE: { description: 'Your mark as a favorite, unless it was asked for.' },
    ENABLED_STATE: { description: 'Environments in which the source is on.' },
    CHILDREN: { description: 'Features that depend on the source.' },
    RELEASE_PLAN_STRATEGIES: { description: 'Strategies that belong to a release plan.' },
    STRATEGIES_OUT_OF_SIGHT: {
      description: 'Strategies in environments that the source itself is not in.',
    },
    LIFECYCLE: { description: 'Stages of its life that the service has noted.' },
    LAST_SEEN: { description: 'Environments in which applications reported using it.' },
  } satisfies Record<(typeof OMITTED_ASPECTS)[number], { description: string }>,
});

const CloneOmission = builder.objectRef<Omission>('CloneOmission').implement({
  description: 'Something the source has that a clone leaves behind.',
  fields: (t) => ({
    aspect: t.expose('aspect', { type: OmittedAspect, description: 'What is left behind.' }),
    count: t.exposeInt('count', { description: 'How many of them the source has.' }),
    reason: t.exposeString('reason', { description: 'Why, and what to do about it.' }),
  }),
});

const PlannedStrategy = builder.objectRef<StrategyCopy>('PlannedStrategy').implement({
  description: 'A strategy as a clone would write it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Kind of strategy, such as `flexibleRollout`.' }),
    title: t.exposeString('title', { nullable: true, description: 'Title people gave it.' }),
    disabled: t.exposeBoolean('disabled', { description: 'Whether it is skipped.' }),
    sortOrder: t.exposeInt('sortOrder', { description: 'Place among its siblings, ascending.' }),
    parameters: t.field({
      type: 'JSON',
      description: 'Settings of the strategy, the new group id among them.',
      resolve: ({ parameters }) => inStoredOrder(parameters),
    }),
    constraints: t.field({
      type: [Constraint],
      description: 'Conditions that must all hold.',
      resolve: ({ constraints }) => constraints,
    }),
    segments: t.field({
      type: [Segment],
      description: 'Segments whose conditions must hold as well; the copy shares them.',
      resolve: ({ segments }, _args, { loaders }) => loadSegments(segments, loaders),
    }),
    variants: t.field({
      type: [Variant],
      description: 'Variants with their weights shared out anew.',
      resolve: ({ variants }) => variants,
    }),
  }),
});

type PlannedPlace = ClonePlan['environments'][number] & { draft: CloneDraft };

const PlannedEnvironment = builder.objectRef<PlannedPlace>('PlannedEnvironment').implement({
  description: 'The copy in one environment, in which it would be off.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the environment.' }),
    usedByProject: t.exposeBoolean('isLinked', {
      description:
        'Whether the target project uses the environment; the copy is there as well when only the source is.',
    }),
    strategies: t.field({
      type: [PlannedStrategy],
      description: 'For whom it would be on, in order.',
      resolve: ({ name, draft }) =>
        draft.strategies.filter(({ environmentName }) => environmentName === name),
    }),
    variants: t.field({
      type: [Variant],
      description: 'Answers the copy could give here, by name.',
      resolve: ({ name, draft }) => [...(draft.variantsOf.get(name) ?? [])],
    }),
  }),
});

type Copy = { draft: CloneDraft; environments: ClonePlan['environments'] };

const PlannedFeature = builder.objectRef<Copy>('PlannedFeature').implement({
  description: 'A feature as a clone would write it.',
  fields: (t) => ({
    name: t.string({ description: 'Name of the copy.', resolve: ({ draft }) => draft.name }),
    description: t.string({
      nullable: true,
      description: 'Free text, that of the source.',
      resolve: ({ draft }) => draft.source.description,
    }),
    type: t.string({
      nullable: true,
      description: 'Kind of feature, such as `release`; null where the source has lost it.',
      resolve: ({ draft }) => draft.source.type,
    }),
    stale: t.boolean({
      description: 'Whether somebody marked the source stale.',
      resolve: ({ draft }) => draft.source.stale ?? false,
    }),
    impressionData: t.boolean({
      description: 'Whether impression data is collected.',
      resolve: ({ draft }) => draft.source.impressionData ?? false,
    }),
    environments: t.field({
      type: [PlannedEnvironment],
      description: 'Those of the target project and those of the source, in their order.',
      resolve: ({ draft, environments }) => environments.map((place) => ({ ...place, draft })),
    }),
    dependencies: t.field({
      type: [FeatureDependency],
      description: 'Features it would depend on, those of the source.',
      resolve: ({ draft }) =>
        draft.dependencies.map(({ parentName, enabled, variants }) => ({
          parentName,
          childName: draft.name,
          enabled,
          variants: [...variants],
        })),
    }),
    tags: t.field({
      type: [Tag],
      description: 'Its tags, where they are asked for.',
      resolve: ({ draft }) => [...draft.tags],
    }),
    favorite: t.boolean({
      description: 'Whether it would be a favorite of yours.',
      resolve: ({ draft }) => draft.isFavorite,
    }),
  }),
});

export const CloneFeaturePlan = builder.objectRef<ClonePlan>('CloneFeaturePlan').implement({
  description: 'What a clone would do, and whether it could. Nothing was written.',
  fields: (t) => ({
    wouldSucceed: t.boolean({
      description: 'Whether the clone would be made, were it asked for now.',
      resolve: ({ refusals }) => refusals.length === 0,
    }),
    refusals: t.field({
      type: [ErrorInterface],
      description:
        'All that stands in the way, at most 100; the clone itself would answer with the first.',
      resolve: ({ refusals }) => refusals.map(plannedRefusalOf),
    }),
    name: t.exposeString('name', { description: 'Name of the copy, as it was asked for.' }),
    projectId: t.exposeString('targetProject', {
      nullable: true,
      description:
        'Id of the project that would receive the copy; null where none is named and no source tells it.',
    }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'The project that would receive the copy, where it exists.',
      resolve: ({ targetProject }, _args, { loaders }) =>
        targetProject === null ? null : loaders.project.load(targetProject),
    }),
    copy: t.field({
      type: PlannedFeature,
      nullable: true,
      description:
        'What would be written, as far as damaged parts of the source allow; null without a source or a project.',
      resolve: ({ draft, environments }) => draft && { draft, environments },
    }),
    notCopied: t.field({
      type: [CloneOmission],
      description: 'What the source has and the copy would not get.',
      resolve: ({ notCopied }) => [...notCopied],
    }),
  }),
});
