import { isObject, type JsonObject } from '../../json.js';
import { recorded, type Strategies } from './feature-state.js';
import type { HistoryEvent } from './history-event.js';
import { strategyIn } from './recorded-shapes.js';

/** Far beyond what Unleash allows; every change of a strategy goes through all of them. */
const MAX_STRATEGIES = 500;

const idIn = (payload: unknown): string | null =>
  isObject(payload) && typeof payload['id'] === 'string' ? payload['id'] : null;

export const sortOrderOf = (payload: unknown): number | null => {
  const order = isObject(payload) ? payload['sortOrder'] : undefined;
  return typeof order === 'number' ? order : null;
};

const unordered = (strategies: readonly JsonObject[]): Strategies =>
  strategies.length < 2 ? recorded(strategies) : { value: strategies, isOrderUnknown: true };

/** By sort order if all have one; otherwise in the given order, if that is known. */
const inOrder = (strategies: readonly JsonObject[], isOrdered: boolean): Strategies => {
  const orders = strategies.map(sortOrderOf);
  if (orders.includes(null)) return isOrdered ? recorded(strategies) : unordered(strategies);
  const sorted = [...strategies].sort((a, b) => (sortOrderOf(a) ?? 0) - (sortOrderOf(b) ?? 0));
  // Equal sort orders are in the order of creation.
  return isOrdered || new Set(orders).size === orders.length ? recorded(sorted) : unordered(sorted);
};

const isOrdered = (strategies: Strategies): boolean => !strategies?.isOrderUnknown;

/** A change without its environment or its strategy makes the list unknown. */
export const withAdded = (before: Strategies, { data, environment }: HistoryEvent): Strategies => {
  const added = strategyIn(data);
  if (before === null || added === null || environment === null) return null;
  const others = before.value.filter(({ id }) => id !== added.id);
  if (others.length >= MAX_STRATEGIES) return null;
  const all = [...others, added];
  // A new order records no sort orders, so the position of what is added later is unknown.
  const isComparable = others.every((other) => sortOrderOf(other) !== null);
  const isUnnumbered = all.every((strategy) => sortOrderOf(strategy) === null);
  return inOrder(all, isOrdered(before) && (isComparable || isUnnumbered));
};

/** Updating a strategy that was never added means that the log is incomplete. */
export const withUpdated = (
  before: Strategies,
  { data, preData, environment }: HistoryEvent,
): Strategies => {
  const updated = strategyIn(data);
  if (before === null || updated === null || environment === null) return null;
  if (!before.value.some(({ id }) => id === updated.id)) return null;
  const all = before.value.map((strategy) => (strategy['id'] === updated.id ? updated : strategy));
  const order = sortOrderOf(updated);
  const previous = before.value.find(({ id }) => id === updated.id);
  const isInPlace = [sortOrderOf(previous), sortOrderOf(preData)].includes(order);
  const others = all.filter((strategy) => strategy !== updated).map(sortOrderOf);
  // Among equal sort orders, and next to unknown ones, a new one does not determine the position.
  const isDetermined = !others.includes(null) && !others.includes(order);
  return inOrder(all, isOrdered(before) && (isInPlace || isDetermined));
};

export const without = (
  before: Strategies,
  { data, preData, environment }: HistoryEvent,
): Strategies => {
  const removedId = idIn(preData ?? data);
  if (before === null || removedId === null || environment === null) return null;
  const others = before.value.filter(({ id }) => id !== removedId);
  return others.length === before.value.length ? null : inOrder(others, isOrdered(before));
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

/** Deleting a segment removes it from all strategies; null means any segment. */
export const withoutSegment = (before: Strategies, segmentId: number | null): Strategies => {
  if (before === null) return null;
  const value = before.value.map((strategy) => {
    const { segments } = strategy;
    if (!Array.isArray(segments) || segments.length === 0) return strategy;
    const others = segments.filter((id) => id !== segmentId);
    return { ...strategy, segments: segmentId === null ? null : others };
  });
  return { ...before, value };
};
