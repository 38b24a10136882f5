import type { Tag } from '../feature-spec.js';
import type { Variant } from '../strategies.js';
import {
  type FeatureSimulation,
  metadataOf,
  record,
  type StrategyState,
  strategyData,
} from './feature-simulation.js';

/** Each function changes the feature and records the event. */

export const tag = (simulation: FeatureSimulation, at: Date, added: Tag): void => {
  simulation.tags = [...simulation.tags, added];
  record(simulation, at, 'feature-tagged', { data: { type: added.type, value: added.value } });
};

export const untag = (simulation: FeatureSimulation, at: Date, removed: Tag): void => {
  simulation.tags = simulation.tags.filter(
    ({ type, value }) => type !== removed.type || value !== removed.value,
  );
  record(simulation, at, 'feature-untagged', {
    preData: { type: removed.type, value: removed.value },
  });
};

export const addStrategy = (
  simulation: FeatureSimulation,
  at: Date,
  strategy: StrategyState,
): void => {
  simulation.strategies = [...simulation.strategies, strategy];
  record(simulation, at, 'feature-strategy-add', {
    environment: strategy.environment,
    data: strategyData(strategy),
  });
};

export const updateStrategy = (
  simulation: FeatureSimulation,
  at: Date,
  id: string,
  change: Partial<StrategyState>,
): void => {
  const before = simulation.strategies.find((strategy) => strategy.id === id);
  if (!before) throw new Error(`${simulation.spec.name} has no strategy ${id} to update`);

  const after = { ...before, ...change };
  simulation.strategies = simulation.strategies.map((strategy) =>
    strategy.id === id ? after : strategy,
  );
  record(simulation, at, 'feature-strategy-update', {
    environment: before.environment,
    data: strategyData(after),
    preData: strategyData(before),
  });
};

export const removeStrategy = (
  simulation: FeatureSimulation,
  at: Date,
  strategy: StrategyState,
): void => {
  simulation.strategies = simulation.strategies.filter(({ id }) => id !== strategy.id);
  record(simulation, at, 'feature-strategy-remove', {
    environment: strategy.environment,
    preData: strategyData(strategy),
  });
};

export const reorderStrategies = (
  simulation: FeatureSimulation,
  at: Date,
  environment: string,
  strategyIds: readonly string[],
): void => {
  const here = simulation.strategies
    .filter((strategy) => strategy.environment === environment)
    .sort((a, b) => a.sortOrder - b.sortOrder);
  simulation.strategies = simulation.strategies.map((strategy) =>
    strategy.environment === environment
      ? { ...strategy, sortOrder: strategyIds.indexOf(strategy.id) }
      : strategy,
  );
  record(simulation, at, 'strategy-order-changed', {
    environment,
    data: { strategyIds: [...strategyIds] },
    preData: { strategyIds: here.map(({ id }) => id) },
  });
};

export const switchEnvironment = (
  simulation: FeatureSimulation,
  at: Date,
  environment: string,
  enabled: boolean,
): void => {
  simulation.enabled.set(environment, enabled);
  record(simulation, at, enabled ? 'feature-environment-enabled' : 'feature-environment-disabled', {
    environment,
  });
};

export const setVariants = (
  simulation: FeatureSimulation,
  at: Date,
  environment: string,
  variants: readonly Variant[],
): void => {
  const before = simulation.variants.get(environment) ?? [];
  simulation.variants.set(environment, variants);
  record(simulation, at, 'feature-environment-variants-updated', {
    environment,
    data: { variants: [...variants] },
    preData: { variants: [...before] },
  });
};

export const describe = (
  simulation: FeatureSimulation,
  at: Date,
  description: string | null,
): void => {
  const preData = metadataOf(simulation);
  simulation.description = description;
  record(simulation, at, 'feature-metadata-updated', { data: metadataOf(simulation), preData });
};
