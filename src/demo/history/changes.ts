import type { Tag } from '../feature-spec.js';
import type { Variant } from '../strategies.js';
import {
  type Life,
  type LivingStrategy,
  metadataOf,
  record,
  strategyData,
} from './feature-life.js';

/** Each of these changes the feature and writes the event that tells of it. */

export const tag = (life: Life, at: Date, added: Tag): void => {
  life.tags = [...life.tags, added];
  record(life, at, 'feature-tagged', { data: { type: added.type, value: added.value } });
};

export const untag = (life: Life, at: Date, removed: Tag): void => {
  life.tags = life.tags.filter(
    ({ type, value }) => type !== removed.type || value !== removed.value,
  );
  record(life, at, 'feature-untagged', { preData: { type: removed.type, value: removed.value } });
};

export const addStrategy = (life: Life, at: Date, strategy: LivingStrategy): void => {
  life.strategies = [...life.strategies, strategy];
  record(life, at, 'feature-strategy-add', {
    environment: strategy.environment,
    data: strategyData(strategy),
  });
};

export const updateStrategy = (
  life: Life,
  at: Date,
  id: string,
  change: Partial<LivingStrategy>,
): void => {
  const before = life.strategies.find((strategy) => strategy.id === id);
  if (!before) throw new Error(`${life.spec.name} has no strategy ${id} to update`);

  const after = { ...before, ...change };
  life.strategies = life.strategies.map((strategy) => (strategy.id === id ? after : strategy));
  record(life, at, 'feature-strategy-update', {
    environment: before.environment,
    data: strategyData(after),
    preData: strategyData(before),
  });
};

export const removeStrategy = (life: Life, at: Date, strategy: LivingStrategy): void => {
  life.strategies = life.strategies.filter(({ id }) => id !== strategy.id);
  record(life, at, 'feature-strategy-remove', {
    environment: strategy.environment,
    preData: strategyData(strategy),
  });
};

/** Puts the strategies of one environment into the order of the ids. */
export const reorderStrategies = (
  life: Life,
  at: Date,
  environment: string,
  strategyIds: readonly string[],
): void => {
  const here = life.strategies
    .filter((strategy) => strategy.environment === environment)
    .sort((a, b) => a.sortOrder - b.sortOrder);
  life.strategies = life.strategies.map((strategy) =>
    strategy.environment === environment
      ? { ...strategy, sortOrder: strategyIds.indexOf(strategy.id) }
      : strategy,
  );
  record(life, at, 'strategy-order-changed', {
    environment,
    data: { strategyIds: [...strategyIds] },
    preData: { strategyIds: here.map(({ id }) => id) },
  });
};

export const switchEnvironment = (
  life: Life,
  at: Date,
  environment: string,
  enabled: boolean,
): void => {
  life.enabled.set(environment, enabled);
  record(life, at, enabled ? 'feature-environment-enabled' : 'feature-environment-disabled', {
    environment,
  });
};

export const setVariants = (
  life: Life,
  at: Date,
  environment: string,
  variants: readonly Variant[],
): void => {
  const before = life.variants.get(environment) ?? [];
  life.variants.set(environment, variants);
  record(life, at, 'feature-environment-variants-updated', {
    environment,
    data: { variants: [...variants] },
    preData: { variants: [...before] },
  });
};

export const describe = (life: Life, at: Date, description: string | null): void => {
  const preData = metadataOf(life);
  life.description = description;
  record(life, at, 'feature-metadata-updated', { data: metadataOf(life), preData });
};
