import { isDeepStrictEqual } from 'node:util';
import { type ItemField, type PathStep, parsePath } from '../../src/data/events/change-path.js';
import type { Change } from '../../src/domain/events/changes/difference.js';

type Container = Record<string, unknown>;

const hasFields = (item: unknown, fields: readonly ItemField[]): boolean =>
  typeof item === 'object' &&
  item !== null &&
  fields.every(([name, value]) => Object.hasOwn(item, name) && (item as Container)[name] === value);

/** The same items in the given order. */
const reorder = (list: readonly unknown[], names: readonly Container[]): unknown[] =>
  names.map((name) => list.find((item) => hasFields(item, Object.entries(name) as ItemField[])));

const atEnd = (value: unknown, change: Change): unknown => {
  if (change.kind === 'REORDERED') return reorder(value as unknown[], change.after as Container[]);
  if (!isDeepStrictEqual(value, change.before))
    throw new Error(`${change.path} was something else`);
  return change.after;
};

const applyAt = (value: unknown, steps: readonly PathStep[], change: Change): unknown => {
  const [step, ...rest] = steps;
  if (!step) return atEnd(value, change);
  if (step.kind === 'items') throw new Error('A change is about one item.');
  if (step.kind === 'key') {
    const entries = Object.entries(value as Container);
    const part = applyAt(entries.find(([key]) => key === step.key)?.[1], rest, change);
    const others = entries.filter(([key]) => key !== step.key);
    return Object.fromEntries(part === undefined ? others : [...others, [step.key, part]]);
  }
  const list = [...(value as unknown[])];
  const position = list.findIndex((item) => hasFields(item, step.fields));
  const part = applyAt(list[position], rest, change);
  if (position === -1) list.splice(change.position ?? Number.NaN, 0, part);
  else list.splice(position, 1, ...(part === undefined ? [] : [part]));
  return list;
};

/** The state after all changes; throws if one of them does not apply. */
export const applyChanges = (before: unknown, changes: readonly Change[]): unknown =>
  changes.reduce<unknown>((state, change) => {
    const steps = parsePath(change.path);
    if (!steps) throw new Error(`${change.path} is no path`);
    return applyAt(state, steps, change);
  }, before);
