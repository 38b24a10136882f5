import { asArray, isObject, type JsonObject } from '../../json.js';
import { type Told, told } from './feature-state.js';
import type { HistoryEvent } from './history-event.js';

type Strategies = Told<readonly JsonObject[]>;
type Change = HistoryEvent & { preData: unknown };

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
const isDamaged = ({ environment }: Change, id: string | null) =>
  environment === null || id === null;

export const withAdded = (before: Strategies, event: Change): Strategies => {
  const id = idIn(event.data);
  if (before === null || !isObject(event.data) || isDamaged(event, id)) return null;
  const others = before.value.filter((strategy) => strategy['id'] !== id);
  return told(inOrder([...others, event.data]));
};

/** The update of a strategy nobody added means that the log lacks something. */
export const withUpdated = (before: Strategies, event: Change): Strategies => {
  const { data } = event;
  const id = idIn(data);
  if (before === null || !isObject(data) || isDamaged(event, id)) return null;
  if (!before.value.some((strategy) => strategy['id'] === id)) return null;
  return told(inOrder(before.value.map((strategy) => (strategy['id'] === id ? data : strategy))));
};

export const without = (before: Strategies, event: Change): Strategies => {
  const id = idIn(event.preData) ?? idIn(event.data);
  if (before === null || isDamaged(event, id)) return null;
  const others = before.value.filter((strategy) => strategy['id'] !== id);
  return others.length === before.value.length ? null : told(others);
};

/** A new order names all strategies there are; their numbers it does not tell. */
export const orderedBy = (before: Strategies, event: Change): Strategies => {
  const ids = isObject(event.data) ? event.data['strategyIds'] : undefined;
  if (before === null || event.environment === null || !Array.isArray(ids)) return null;
  const known = new Map(before.value.map((strategy) => [strategy['id'], strategy]));
  const ordered = [...new Set(asArray(ids))].map((id) => known.get(id));
  return ordered.every((strategy) => strategy !== undefined)
    ? told(ordered.map((strategy) => ({ ...strategy, sortOrder: null })))
    : null;
};
