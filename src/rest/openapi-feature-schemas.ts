import {
  answered,
  anything,
  integer,
  integerOrNull,
  listOf,
  number,
  ref,
  refOrNull,
  type Schemas,
  stored,
  text,
  textOrNull,
  time,
  timeOrNull,
  truth,
  truthOrNull,
} from './json-schema.js';

const STRATEGY_VARIANT = {
  name: text('Name of the variant.'),
  weight: number('Its share of 1000.'),
  weightType: text('fix keeps the weight, variable shares what is left.'),
  stickiness: text('Context field that keeps a user on one variant.'),
  payload: stored('What clients get with the variant.', {
    type: text('Kind of payload, such as string or json.'),
    value: text('The payload.'),
  }),
};

const STRATEGY_SCHEMAS: Schemas = {
  Constraint: stored('A condition on the context of a client.', {
    contextName: text('Context field that is looked at.'),
    operator: text('How it is compared, such as IN.'),
    caseInsensitive: truthOrNull('Whether letter case is ignored.'),
    inverted: truthOrNull('Whether the outcome is turned round.'),
    values: listOf(text('One of them.'), 'What operators on lists compare with.'),
    value: textOrNull('What operators on a single value compare with.'),
  }),
  StrategyVariant: stored('A variant of a strategy.', STRATEGY_VARIANT),
  Variant: stored('A variant of a feature in an environment.', {
    ...STRATEGY_VARIANT,
    overrides: listOf(
      stored('Who always gets the variant.', {
        contextName: text('Context field that is looked at.'),
        values: listOf(text('One of them.'), 'Values that get the variant.'),
      }),
      'Exceptions from the weights.',
    ),
  }),
  DefaultStrategy: stored('The strategy new features start with in an environment of a project.', {
    name: text('Kind of strategy.'),
    title: textOrNull('Title people gave it.'),
    disabled: truthOrNull('Whether it is left out of account.'),
    sortOrder: number('Place among its neighbours.'),
    constraints: listOf(ref('Constraint'), 'Conditions that must all hold.'),
    variants: listOf(ref('StrategyVariant'), 'Variants of the strategy.'),
    parameters: stored('Settings of the kind of strategy.', {}),
    segments: listOf(integer('Id of a segment.'), 'Segments that must all hold.'),
  }),
  Strategy: answered('An activation strategy of a feature in an environment.', {
    id: text('Identifies the strategy.'),
    name: text('Kind of strategy.'),
    title: textOrNull('Title people gave it.'),
    disabled: truth('Whether it is left out of account.'),
    featureName: text('The feature it belongs to.'),
    sortOrder: number('Place among its neighbours.'),
    segments: listOf(integer('Id of a segment.'), 'Segments that must all hold.'),
    constraints: listOf(ref('Constraint'), 'Conditions that must all hold.'),
    variants: listOf(ref('StrategyVariant'), 'Variants of the strategy.'),
    parameters: anything('Settings of the kind of strategy: an object, mostly of strings.'),
  }),
};

const FEATURE_SCHEMAS: Schemas = {
  Person: answered('A user as others see him.', {
    id: integer('Numeric id of the user.'),
    name: textOrNull('Display name.'),
    imageUrl: textOrNull('Address of a picture.'),
  }),
  FeatureEnvironment: answered('A feature in one environment.', {
    name: text('Name of the environment.'),
    enabled: truth('Whether the feature is on there.'),
    type: text('Kind of environment, such as production.'),
    sortOrder: integerOrNull('Place of the environment among the others.'),
    variantCount: integer('Number of variants the feature has there.'),
    lastSeenAt: timeOrNull('When clients last reported the feature from there.'),
    hasStrategies: truth('Whether any strategy is there, those of release plans included.'),
    hasEnabledStrategies: truth('Whether any of them counts.'),
    environment: text('Name of the environment, once more.'),
    featureName: text('Name of the feature.'),
    strategies: listOf(ref('Strategy'), 'Strategies of the feature there, without release plans.'),
    variants: listOf(ref('Variant'), 'Variants of the feature there.'),
  }),
  Feature: answered(
    'A feature and everything known of it.',
    {
      name: text('Unique over all projects.'),
      type: textOrNull('Kind of feature, such as release or kill-switch.'),
      description: textOrNull('What it is for.'),
      project: textOrNull('Project it belongs to.'),
      createdAt: timeOrNull('When it was created.'),
      createdBy: refOrNull('Person', 'Who created it; null when no longer known.'),
      archived: truth('Whether it is archived.'),
      archivedAt: timeOrNull('When it was archived.'),
      enabled: truth('Whether it is on in any environment.'),
      stale: truthOrNull('Whether it was marked stale; null counts as no.'),
      impressionData: truthOrNull('Whether clients report each use; null counts as no.'),
      favorite: truth('Whether the caller marked it as favorite.'),
      lastSeenAt: {
        ...timeOrNull('When clients last reported it. Use lastSeenAt of its environments.'),
        deprecated: true,
      },
      environments: listOf(ref('FeatureEnvironment'), 'The environments it exists in.'),
      variants: {
        ...listOf(ref('Variant'), 'Use variants of its environments.'),
        deprecated: true,
      },
      tags: { ...listOf(ref('Tag'), 'Left out when it has none.') },
      children: listOf(text('Name of a feature.'), 'Experimental: features that depend on it.'),
      dependencies: listOf(ref('FeatureDependency'), 'Features it depends on.'),
      lifecycle: refOrNull('FeatureLifecycle', 'Where it stands; null before anybody looked.'),
      collaborators: answered('Who worked on it.', {
        users: listOf(ref('Person'), 'The latest first.'),
      }),
    },
    ['tags'],
  ),
  FeatureDependency: answered('A parent feature and what is asked of it.', {
    feature: text('Name of the parent.'),
    enabled: truth('Whether the parent must be on, or off.'),
    variants: listOf(text('Name of a variant.'), 'Variants the parent must have; any when empty.'),
  }),
  FeatureLifecycle: answered('The stage a feature is in.', {
    stage: text('initial, pre-live, live, completed or archived; others may come.'),
    enteredStageAt: timeOrNull('Since when.'),
  }),
};

const PROJECT_SCHEMAS: Schemas = {
  HealthReport: answered('How a project stands.', {
    stats: ref('ProjectStats'),
    name: text('Name of the project.'),
    description: textOrNull('What it is for.'),
    mode: {
      ...text('Who may do what: private ones are hidden, protected ones not open to changes.'),
      enum: ['open', 'protected', 'private'],
    },
    featureLimit: integerOrNull('Most features it may have; null for no limit.'),
    featureNaming: answered('How features of the project are to be named; nulls for no rule.', {
      pattern: textOrNull('Regular expression that names match.'),
      example: textOrNull('A name that matches.'),
      description: textOrNull('The rule in words; may have several lines.'),
    }),
    defaultStickiness: text('Stickiness that variants and gradual rollouts start with.'),
    health: integer('Rating from 0 to 100 as last stored.'),
    favorite: truth('Whether the caller marked the project as favorite.'),
    updatedAt: time('When the project was last rated.'),
    createdAt: timeOrNull('When it was created.'),
    environments: listOf(ref('ProjectEnvironment'), 'Environments of the project.'),
    features: listOf(ref('Feature'), 'Features that are not archived.'),
    members: integer('Number of its users.'),
    version: { ...integer('Version of this overview.'), const: 1 },
    potentiallyStaleCount: integer('Features that outlived the lifetime of their type.'),
    activeCount: integer('Features that are not stale.'),
    staleCount: integer('Features marked stale.'),
  }),
  ProjectStats: answered('Figures of the last 30 days (current) and the 30 before (past).', {
    avgTimeToProdCurrentWindow: number('Mean days from creation to first use in production.'),
    createdCurrentWindow: number('Features created.'),
    createdPastWindow: number('Features created.'),
    archivedCurrentWindow: number('Features archived.'),
    archivedPastWindow: number('Features archived.'),
    projectActivityCurrentWindow: number('Events recorded.'),
    projectActivityPastWindow: number('Events recorded.'),
    projectMembersAddedCurrentWindow: number('Members added.'),
  }),
  ProjectEnvironment: answered(
    'An environment of a project.',
    {
      environment: text('Its name.'),
      defaultStrategy: ref('DefaultStrategy', 'Left out when the project has none there.'),
      changeRequestsEnabled: truth('Whether changes there need approval.'),
    },
    ['defaultStrategy'],
  ),
};

export const FEATURE_AND_PROJECT_SCHEMAS: Schemas = {
  ...PROJECT_SCHEMAS,
  ...FEATURE_SCHEMAS,
  ...STRATEGY_SCHEMAS,
};
