import type { FeatureThen } from './as-of-facts.js';
import type { Names } from './change-text.js';
import type { ShownFeature } from './feature-header.js';
import { type ShownStrategy, strategyText } from './strategy-text.js';

type Strategy = ShownStrategy & { segments: readonly { id: number; name: string }[] | null };

/** Names of strategies and segments, of now and of then. */
export const namesOf = (feature: ShownFeature, then: FeatureThen | undefined): Names => {
  const strategies = new Map<string, string>();
  const segments = new Map<number, string>();
  const add = (id: string, strategy: Strategy) => {
    strategies.set(id, strategy.title || strategyText(strategy));
    for (const segment of strategy.segments ?? []) segments.set(segment.id, segment.name);
  };
  for (const environment of then?.environments ?? []) {
    for (const strategy of environment.strategies ?? []) add(strategy.strategyId, strategy);
  }
  for (const environment of feature.environments) {
    for (const strategy of environment.strategies) add(strategy.id, strategy);
  }
  return { strategies, segments };
};
