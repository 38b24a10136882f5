import { type Clock, minutesAfter } from '../clock.js';
import type { EnvironmentSpec, FeatureSpec } from '../feature-spec.js';
import { EXISTING_FEATURES } from '../features.js';
import {
  createdAt,
  environmentsOf,
  strategyId,
  withFeatureName,
} from '../history/feature-simulation.js';
import { archivedAt, favoriteDay, potentiallyStaleDay, stagesOf } from '../history/milestones.js';
import { authorOf, personOf } from '../people.js';
import type { Table } from './table.js';

const hoursBefore = (clock: Clock, hours: number) => minutesAfter(clock.today, -60 * hours);

const features = (clock: Clock): Table => ({
  name: 'features',
  rows: EXISTING_FEATURES.map((feature) => ({
    name: feature.name,
    type: feature.type,
    description: feature.description,
    project: feature.project,
    stale: feature.stale !== undefined,
    potentially_stale: feature.stale === undefined && potentiallyStaleDay(feature) !== null,
    impression_data: feature.impressionData ?? false,
    variants: [],
    created_at: createdAt(feature, clock),
    created_by_user_id: authorOf(feature.by).createdByUserId,
    last_seen_at:
      feature.legacyLastSeen === undefined ? null : hoursBefore(clock, feature.legacyLastSeen),
    archived_at: archivedAt(feature, clock),
    archived: false,
  })),
});

type InEnvironment = EnvironmentSpec & { feature: FeatureSpec; environment: string };

const inEnvironments: readonly InEnvironment[] = EXISTING_FEATURES.flatMap((feature) =>
  environmentsOf(feature).map(([environment, spec]) => ({ feature, environment, ...spec })),
);

const placedStrategies = inEnvironments.flatMap(({ feature, environment, strategies }) =>
  strategies.map((strategy, sortOrder) => ({
    ...withFeatureName(strategy, feature.name),
    id: strategyId(feature.name, environment, sortOrder),
    feature,
    environment,
    sortOrder,
  })),
);

const strategies = (clock: Clock): Table[] => [
  {
    name: 'feature_environments',
    rows: inEnvironments.map(({ feature, environment, enabled, variants }) => ({
      environment,
      feature_name: feature.name,
      enabled,
      variants: [...variants],
    })),
  },
  {
    name: 'feature_strategies',
    rows: placedStrategies.map(({ feature, environment, ...strategy }) => ({
      id: strategy.id,
      feature_name: feature.name,
      project_name: feature.project,
      environment,
      strategy_name: strategy.name,
      title: strategy.title,
      disabled: strategy.disabled,
      parameters: strategy.parameters,
      constraints: strategy.constraints,
      variants: strategy.variants,
      sort_order: strategy.sortOrder,
      created_at: minutesAfter(createdAt(feature, clock), 10),
    })),
  },
  {
    name: 'feature_strategy_segment',
    rows: placedStrategies.flatMap(({ feature, id, segments }) =>
      segments.map((segment) => ({
        feature_strategy_id: id,
        segment_id: segment,
        created_at: minutesAfter(createdAt(feature, clock), 10),
      })),
    ),
  },
];

const taggings = EXISTING_FEATURES.flatMap((feature) =>
  (feature.tags ?? []).map((tag) => ({ feature, ...tag })),
);

/** Every tag in use, and an unused one. */
export const tagsTable = (clock: Clock): Table => {
  const used = new Map(taggings.map(({ type, value }) => [`${type}:${value}`, { type, value }]));
  return {
    name: 'tags',
    rows: [...used.values(), { type: 'simple', value: 'unused' }].map((tag) => ({
      ...tag,
      created_at: clock.at(-90, 595),
    })),
  };
};

const tagging = (clock: Clock): Table => ({
  name: 'feature_tag',
  rows: taggings.map(({ feature, type, value }) => ({
    feature_name: feature.name,
    tag_type: type,
    tag_value: value,
    created_at: minutesAfter(createdAt(feature, clock), 5),
    created_by_user_id: authorOf(feature.by).createdByUserId,
  })),
});

const dependencies = (): Table => ({
  name: 'dependent_features',
  rows: EXISTING_FEATURES.flatMap(({ name, parent }) =>
    parent === undefined
      ? []
      : [
          {
            parent: parent.feature,
            child: name,
            enabled: parent.enabled,
            variants: [...parent.variants],
          },
        ],
  ),
});

/** Last-seen metrics, including one of a deleted feature: no foreign key ties these rows to features. */
const lastSeen = (clock: Clock): Table => ({
  name: 'last_seen_at_metrics',
  rows: [
    ...inEnvironments.map(({ feature, environment, seen }) => ({
      name: feature.name,
      environment,
      seen,
    })),
    { name: 'holiday-snow', environment: 'development', seen: 1_640 },
  ].flatMap(({ name, environment, seen }) =>
    seen === null
      ? []
      : [{ feature_name: name, environment, last_seen_at: hoursBefore(clock, seen) }],
  ),
});

export const featureTables = (clock: Clock): Table[] => [
  features(clock),
  ...strategies(clock),
  tagging(clock),
  dependencies(),
  {
    name: 'feature_lifecycles',
    rows: EXISTING_FEATURES.flatMap((feature) =>
      stagesOf(feature, clock).map(({ stage, entered, status }) => ({
        feature: feature.name,
        stage,
        created_at: entered,
        status,
      })),
    ),
  },
  lastSeen(clock),
  {
    name: 'favorite_features',
    rows: EXISTING_FEATURES.flatMap((feature) =>
      (feature.favoriteOf ?? []).map((person, index) => ({
        feature: feature.name,
        user_id: personOf(person).id,
        created_at: clock.at(favoriteDay(feature), 1_200 + index),
      })),
    ),
  },
];
