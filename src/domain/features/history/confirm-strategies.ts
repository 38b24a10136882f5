import type { JsonObject } from '../../json.js';
import type { Strategies } from './feature-state.js';
import {
  areSegmentsConfirmed,
  type LaterEvidence,
  laterOrderOf,
  type StoredStrategy,
  type StrategyEvidence,
} from './strategy-evidence.js';

/** Everything after the events of a replay that says something about strategies. */
export type StrategyFuture = {
  /** Oldest first. */
  evidence: readonly StrategyEvidence[];
  isCut: boolean;
  /** Strategies that the feature has now, in order. */
  stored: readonly StoredStrategy[];
};

const laterIn = (
  { evidence, isCut, stored }: StrategyFuture,
  environment: string,
  time: Date,
): LaterEvidence => ({
  events: evidence.filter(
    (event) =>
      event.createdAt !== null &&
      event.createdAt > time &&
      (event.environment === null || event.environment === environment),
  ),
  isCut,
  stored: stored.filter(({ environmentName }) => environmentName === environment),
});

const segmentsOf = ({ segments }: JsonObject): readonly number[] | null => {
  if (segments === undefined) return [];
  return Array.isArray(segments) ? segments : null;
};

/** Replayed strategies, with unknown segments where later evidence contradicts them, and the order that it shows. */
export const confirmStrategies = (
  strategies: Strategies,
  environment: string,
  time: Date,
  future: StrategyFuture,
): Strategies => {
  if (strategies === null || strategies.value.length === 0) return strategies;
  const later = laterIn(future, environment, time);
  const value = strategies.value.map((strategy): JsonObject => {
    const recorded = segmentsOf(strategy);
    const isKnown =
      recorded !== null && areSegmentsConfirmed(String(strategy['id']), recorded, later);
    return isKnown ? strategy : { ...strategy, segments: null };
  });
  if (!strategies.isOrderUnknown) return { value };

  const byId = new Map(value.map((strategy) => [String(strategy['id']), strategy]));
  const order = laterOrderOf([...byId.keys()], later);
  if (order === null) return { value, isOrderUnknown: true };
  return { value: order.map((id) => byId.get(id)).filter((strategy) => strategy !== undefined) };
};
