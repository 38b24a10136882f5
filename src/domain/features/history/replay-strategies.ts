import { isObject, type JsonObject } from '../../json.js';
import { type Told, told } from './feature-state.js';
import type { HistoryEvent } from './history-event.js';
import { strategyIn } from './recorded-shapes.js';

type Strategies = Told<readonly JsonObject[]>;

/** The original lets nobody have nearly as many; every change of a strategy goes through all of them. */
const MOST_STRATEGIES = 500;

const idIn = (payload: unknown): string | null =>
  isObject(payload) && typeof payload['id'] === 'string' ? payload['id'] : null;

const sortOrder = ({ sortOrder: order }: JsonObject) => (typeof order === 'number' ? order : null);

/** By their sort order where each has one; otherwise as they came. */
const inOrder = (strategies: readonly JsonObject[]): JsonObject[] => {
  const orders = strategies.map(sortOrder);
  if (orders.includes(null)) return [...strategies];
  return [...strategies].sort((a, b) => (sortOrder(a) ?? 0) - (sortOrder(b) ?? 0));
};

/** A change that does not say where, or of what, leaves nothing certain. */
export const withAdded = (before: Strategies, { data, environment }: HistoryEvent): Strategies => {
  const added = strategyIn(data);
  if (before === null || added === null || environment === null) return null;
  const others = before.value.filter(({ id }) => id !== added.id);
  return others.length < MOST_STRATEGIES ? told(inOrder([...others, added])) : null;
};

/** The update of a strategy nobody added means that the log lacks something. */
export const withUpdated = (
  before: Strategies,
  { data, environment }: HistoryEvent,
): Strategies => {
  const updated = strategyIn(data);
  if (before === null || updated === null || environment === null) return null;
  if (!before.value.some(({ id }) => id === updated.id)) return null;
  return told(
    inOrder(before.value.map((strategy) => (strategy['id'] === updated.id ? updated : strategy))),
  );
};

export const without = (
  before: Strategies,
  { data, preData, environment }: HistoryEvent,
): Strategies => {
  const gone = idIn(preData ?? data);
  if (before === null || gone === null || environment === null) return null;
  const others = before.value.filter(({ id }) => id !== gone);
  return others.length === before.value.length ? null : told(others);
};

/** A new order names all strategies there are; their numbers it does not tell. */
export const orderedBy = (before: Strategies, event: HistoryEvent): Strategies => {
  const ids = isObject(event.data) ? event.data['strategyIds'] : undefined;
  if (before === null || event.environment === null || !Array.isArray(ids)) return null;
  const known = new Map(before.value.map((strategy) => [strategy['id'], strategy]));
  const ordered = [...new Set(ids)].map((id) => known.get(id));
  return ordered.every((strategy) => strategy !== undefined)
    ? told(ordered.map((strategy) => ({ ...strategy, sortOrder: null })))
    : null;
};
