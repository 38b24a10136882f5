import { isObject, type JsonObject } from '../../json.js';
import { type Recorded, recorded } from './feature-state.js';
import type { HistoryEvent } from './history-event.js';
import { strategyIn } from './recorded-shapes.js';

type Strategies = Recorded<readonly JsonObject[]>;

/** Far beyond what Unleash allows; every change of a strategy goes through all of them. */
const MAX_STRATEGIES = 500;

const idIn = (payload: unknown): string | null =>
  isObject(payload) && typeof payload['id'] === 'string' ? payload['id'] : null;

const sortOrder = ({ sortOrder: order }: JsonObject) => (typeof order === 'number' ? order : null);

/** By sort order if all have one; otherwise in the given order. */
const inOrder = (strategies: readonly JsonObject[]): JsonObject[] => {
  const orders = strategies.map(sortOrder);
  if (orders.includes(null)) return [...strategies];
  return [...strategies].sort((a, b) => (sortOrder(a) ?? 0) - (sortOrder(b) ?? 0));
};

/** A change without its environment or its strategy makes the list unknown. */
export const withAdded = (before: Strategies, { data, environment }: HistoryEvent): Strategies => {
  const added = strategyIn(data);
  if (before === null || added === null || environment === null) return null;
  const others = before.value.filter(({ id }) => id !== added.id);
  return others.length < MAX_STRATEGIES ? recorded(inOrder([...others, added])) : null;
};

/** Updating a strategy that was never added means that the log is incomplete. */
export const withUpdated = (
  before: Strategies,
  { data, environment }: HistoryEvent,
): Strategies => {
  const updated = strategyIn(data);
  if (before === null || updated === null || environment === null) return null;
  if (!before.value.some(({ id }) => id === updated.id)) return null;
  return recorded(
    inOrder(before.value.map((strategy) => (strategy['id'] === updated.id ? updated : strategy))),
  );
};

export const without = (
  before: Strategies,
  { data, preData, environment }: HistoryEvent,
): Strategies => {
  const removedId = idIn(preData ?? data);
  if (before === null || removedId === null || environment === null) return null;
  const others = before.value.filter(({ id }) => id !== removedId);
  return others.length === before.value.length ? null : recorded(others);
};

/** A new order names all strategies, but not their sort orders. */
export const orderedBy = (before: Strategies, event: HistoryEvent): Strategies => {
  const ids = isObject(event.data) ? event.data['strategyIds'] : undefined;
  if (before === null || event.environment === null || !Array.isArray(ids)) return null;
  const known = new Map(before.value.map((strategy) => [strategy['id'], strategy]));
  const ordered = [...new Set(ids)].map((id) => known.get(id));
  return ordered.every((strategy) => strategy !== undefined)
    ? recorded(ordered.map((strategy) => ({ ...strategy, sortOrder: null })))
    : null;
};
