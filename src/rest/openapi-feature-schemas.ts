import {
  anything,
  boolean,
  booleanOrNull,
  integer,
  integerOrNull,
  listOf,
  looseObject,
  number,
  ref,
  refOrNull,
  type Schemas,
  strictObject,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './json-schema.js';

const STRATEGY_VARIANT = {
  name: text('Name of the variant.'),
  weight: number('Share of requests that get it, in thousandths.'),
  weightType: text('`fix` for a fixed share, `variable` for a part of the remaining share.'),
  stickiness: text('Context field that keeps a user on the same variant.'),
  payload: looseObject('Payload that an application receives with the variant.', {
    type: text('Payload type, such as string or json.'),
    value: text('Payload value as a string.'),
  }),
};

const STRATEGY_SCHEMAS: Schemas = {
  Constraint: looseObject('A condition on the context of a request.', {
    contextName: text('Context field to compare.'),
    operator: text('Comparison operator, such as IN.'),
    caseInsensitive: booleanOrNull('Whether the comparison is case-insensitive.'),
    inverted: booleanOrNull('Whether the condition is negated.'),
    values: listOf(text('A value.'), 'Values to compare with, for multi-value operators.'),
    value: textOrNull('Value to compare with, for single-value operators.'),
  }),
  StrategyVariant: looseObject('A variant of a strategy.', STRATEGY_VARIANT),
  Variant: looseObject('A variant of a feature in an environment.', {
    ...STRATEGY_VARIANT,
    overrides: listOf(
      looseObject('Assigns the variant to requests with certain context values.', {
        contextName: text('Context field to compare.'),
        values: listOf(text('A value.'), 'Context values that get the variant.'),
      }),
      'Context values that always get the variant, regardless of its weight.',
    ),
  }),
  DefaultStrategy: looseObject(
    'The strategy added automatically when a feature without strategies is enabled.',
    {
      name: text('Strategy type, such as flexibleRollout.'),
      title: textOrNull('User-defined title.'),
      disabled: booleanOrNull('Whether the strategy is disabled and therefore skipped.'),
      sortOrder: number('Position among its siblings, ascending.'),
      constraints: listOf(ref('Constraint'), 'Constraints that must all match.'),
      variants: listOf(ref('StrategyVariant'), 'Variants of the strategy.'),
      parameters: looseObject('Strategy parameters.', {}),
      segments: listOf(integer('Segment ID.'), 'Segments whose constraints must also match.'),
    },
  ),
  Strategy: strictObject('An activation strategy of a feature in an environment.', {
    id: text('Strategy ID.'),
    name: text('Strategy type, such as flexibleRollout.'),
    title: textOrNull('User-defined title.'),
    disabled: boolean('Whether the strategy is disabled and therefore skipped.'),
    featureName: text('The feature it belongs to.'),
    sortOrder: number('Position among its siblings, ascending.'),
    segments: listOf(integer('Segment ID.'), 'Segments whose constraints must also match.'),
    constraints: listOf(ref('Constraint'), 'Constraints that must all match.'),
    variants: listOf(ref('StrategyVariant'), 'Variants of the strategy.'),
    parameters: anything('Strategy parameters, usually an object of strings.'),
  }),
};

const FEATURE_SCHEMAS: Schemas = {
  Person: strictObject('A user as shown to other users.', {
    id: integer('User ID.'),
    name: textOrNull('Display name.'),
    imageUrl: textOrNull('Avatar URL.'),
  }),
  FeatureEnvironment: strictObject('A feature in one environment.', {
    name: text('Name of the environment.'),
    enabled: boolean('Whether the feature is enabled in the environment.'),
    type: text('Environment type, such as production.'),
    sortOrder: integerOrNull('Position among all environments.'),
    variantCount: integer('Number of variants in the environment.'),
    lastSeenAt: timeOrNull(
      'When an application last reported using the feature in the environment.',
    ),
    hasStrategies: boolean('Whether there is any strategy, including those of release plans.'),
    hasEnabledStrategies: boolean('Whether there is any strategy that is not disabled.'),
    environment: text('Name of the environment, the same as `name`.'),
    featureName: text('Name of the feature.'),
    strategies: listOf(
      ref('Strategy'),
      'Strategies in the environment, excluding those of release plans.',
    ),
    variants: listOf(ref('Variant'), 'Variants in the environment.'),
  }),
  Feature: strictObject(
    'A feature with all its properties.',
    {
      name: text('Feature name, unique across all projects.'),
      type: textOrNull('Feature type, such as release or kill-switch.'),
      description: textOrNull('Free-text description.'),
      project: textOrNull('ID of the project it belongs to.'),
      createdAt: timeOrNull('When it was created.'),
      createdBy: refOrNull('Person', 'User who created it; null if unknown.'),
      archived: boolean('Whether it is archived.'),
      archivedAt: timeOrNull('When it was archived.'),
      enabled: boolean('Whether it is enabled in any environment.'),
      stale: booleanOrNull(
        'Whether it is marked stale, regardless of its age. Null means false. Features that have exceeded the lifetime of their type without being marked stale are counted in potentiallyStaleCount of the health report; in GraphQL, each feature has potentiallyStale.',
      ),
      impressionData: booleanOrNull('Whether impression data is collected; null means false.'),
      favorite: boolean('Whether the caller marked it as favorite.'),
      lastSeenAt: {
        ...timeOrNull(
          'When any application last reported using it. Deprecated since Unleash 5: use lastSeenAt of its environments.',
        ),
        deprecated: true,
      },
      environments: listOf(ref('FeatureEnvironment'), 'State of the feature in each environment.'),
      variants: {
        ...listOf(
          ref('Variant'),
          'Deprecated since Unleash 5, to be removed in a future major version: use variants of its environments.',
        ),
        deprecated: true,
      },
      tags: { ...listOf(ref('Tag'), 'Tags of the feature. Omitted if it has none.') },
      children: listOf(text('Name of a feature.'), 'Experimental: features that depend on it.'),
      dependencies: listOf(ref('FeatureDependency'), 'Features it depends on.'),
      lifecycle: refOrNull(
        'FeatureLifecycle',
        'Current lifecycle stage; null until Unleash records one.',
      ),
      collaborators: strictObject('Users who changed it.', {
        users: listOf(ref('Person'), 'Most recent change first.'),
      }),
    },
    ['tags'],
  ),
  FeatureDependency: strictObject(
    'A parent feature that must be enabled or disabled before the feature is evaluated.',
    {
      feature: text('Name of the parent feature.'),
      enabled: boolean('Whether the parent must be enabled.'),
      variants: listOf(
        text('Name of a variant.'),
        'Variants of the parent that satisfy the dependency; empty means any.',
      ),
    },
  ),
  FeatureLifecycle: strictObject('Current lifecycle stage of a feature.', {
    stage: text(
      'Stage: initial, pre-live, live, completed or archived. Newer Unleash versions may add others.',
    ),
    enteredStageAt: timeOrNull('When the feature entered the stage.'),
  }),
};

const PROJECT_SCHEMAS: Schemas = {
  HealthReport: strictObject('Health report of a project.', {
    stats: ref('ProjectStats'),
    name: text('Name of the project.'),
    description: textOrNull('Free-text description.'),
    mode: {
      ...text(
        'Collaboration mode. open: everyone may submit change requests. protected: only members may. private: only members may, and users with the root role Viewer see the project only if they are members.',
      ),
      enum: ['open', 'protected', 'private'],
    },
    featureLimit: integerOrNull('Maximum number of features; null means no limit.'),
    featureNaming: strictObject(
      'Naming rules for the features of the project; all null if there are none.',
      {
        pattern: textOrNull('Regular expression that names must match.'),
        example: textOrNull('Example of a name that matches.'),
        description: textOrNull('Explanation of the pattern. May span several lines.'),
      },
    ),
    defaultStickiness: text('Default stickiness of variants and gradual rollouts.'),
    health: integer(
      'Health score from 0 to 100, as last stored by Unleash. In newer Unleash versions, use technicalDebt.',
    ),
    technicalDebt: integer('100 minus health; 0 is healthy.'),
    favorite: boolean('Whether the caller marked the project as favorite.'),
    updatedAt: time('When Unleash last updated the health score.'),
    createdAt: timeOrNull('When it was created.'),
    environments: listOf(ref('ProjectEnvironment'), 'Environments of the project.'),
    features: listOf(ref('Feature'), 'All features that are not archived.'),
    members: integer('Number of project members.'),
    version: { ...integer('Report version.'), const: 1 },
    potentiallyStaleCount: integer(
      'Number of features that have exceeded the lifetime of their type without being marked stale.',
    ),
    activeCount: integer('Number of features not marked stale.'),
    staleCount: integer('Number of features marked stale.'),
  }),
  ProjectStats: strictObject(
    'Statistics of the last 30 days (current) and the 30 days before (past).',
    {
      avgTimeToProdCurrentWindow: number(
        'Average days from creation to being enabled in production.',
      ),
      createdCurrentWindow: number('Features created.'),
      createdPastWindow: number('Features created.'),
      archivedCurrentWindow: number('Features archived.'),
      archivedPastWindow: number('Features archived.'),
      projectActivityCurrentWindow: number('Events recorded.'),
      projectActivityPastWindow: number('Events recorded.'),
      projectMembersAddedCurrentWindow: number('Members added.'),
    },
  ),
  ProjectEnvironment: strictObject(
    'An environment of a project.',
    {
      environment: text('Name of the environment.'),
      defaultStrategy: ref(
        'DefaultStrategy',
        'Default strategy. Omitted if the project has none in the environment.',
      ),
      changeRequestsEnabled: boolean('Whether changes in the environment require change requests.'),
    },
    ['defaultStrategy'],
  ),
};

export const FEATURE_AND_PROJECT_SCHEMAS: Schemas = {
  ...PROJECT_SCHEMAS,
  ...FEATURE_SCHEMAS,
  ...STRATEGY_SCHEMAS,
};
