import { type PathStep, pathTo } from '../../../data/events/change-path.js';
import { isObject, type JsonObject } from '../../json.js';
import { isEqual } from './is-equal.js';
import { type Items, matchItems } from './match-items.js';

export type ChangeKind = 'ADDED' | 'REMOVED' | 'CHANGED' | 'REORDERED';

/** One difference between two JSON values. */
export type Change = {
  path: string;
  kind: ChangeKind;
  /** Undefined if absent. For REORDERED, the fields that identify each item. */
  before: unknown;
  after: unknown;
  /** Zero-based index of an added item in its list. */
  position: number | null;
};

/** Parts beyond these limits are reported as a whole. */
export const DIFFERENCE_LIMITS = { depth: 40, comparisons: 50_000, changes: 500 };

type Position = {
  /** Where the two values are; most are equal, so paths are built only when needed. */
  way: { from: Position; step: PathStep } | null;
  depth: number;
  budget: { comparisons: number };
};

const pathOf = ({ way }: Position): string => (way ? pathTo(pathOf(way.from), way.step) : '');

const change = (at: Position, before: unknown, after: unknown): Change => {
  const kind = before === undefined ? 'ADDED' : after === undefined ? 'REMOVED' : 'CHANGED';
  return { path: pathOf(at), kind, before, after, position: null };
};

const stepTo = (from: Position, step: PathStep): Position => ({
  way: { from, step },
  depth: from.depth + 1,
  budget: from.budget,
});

const compareKeys = (at: Position, before: JsonObject, after: JsonObject): Change[] => {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return [...Object.keys(after), ...removed].flatMap((key) =>
    compare(
      stepTo(at, { kind: 'key', key }),
      Object.hasOwn(before, key) ? before[key] : undefined,
      Object.hasOwn(after, key) ? after[key] : undefined,
    ),
  );
};

const compareOrder = (at: Position, before: Items, after: Items): Change[] => {
  const older = [...before.keys()].filter((identity) => after.has(identity));
  const newer = [...after.keys()].filter((identity) => before.has(identity));
  if (older.every((identity, index) => identity === newer[index])) return [];

  const namesOf = (items: Items, identities: readonly string[]) =>
    identities.flatMap((identity) => {
      const item = items.get(identity);
      return item ? [Object.fromEntries(item.fields)] : [];
    });
  const names = { before: namesOf(before, older), after: namesOf(after, newer) };
  return [{ path: pathOf(at), kind: 'REORDERED', ...names, position: null }];
};

const compareItems = (at: Position, before: Items, after: Items): Change[] => {
  const remaining = [...before].flatMap(([identity, { fields, value }]) =>
    compare(stepTo(at, { kind: 'item', fields }), value, after.get(identity)?.value),
  );
  const added = [...after].flatMap(([identity, { fields, value }], position) => {
    if (before.has(identity)) return [];
    const item = stepTo(at, { kind: 'item', fields });
    return [{ ...change(item, undefined, value), position }];
  });
  return [...remaining, ...compareOrder(at, before, after), ...added];
};

/** Null if the values can only be compared as a whole. */
const compareParts = (at: Position, before: unknown, after: unknown): Change[] | null => {
  if (isObject(before) && isObject(after)) return compareKeys(at, before, after);
  if (!Array.isArray(before) || !Array.isArray(after)) return null;
  const items = matchItems(before, after);
  return items && compareItems(at, items.before, items.after);
};

const compare = (at: Position, before: unknown, after: unknown): Change[] => {
  if (before === after) return [];
  if (before === undefined || after === undefined) return [change(at, before, after)];

  const { depth, budget } = at;
  budget.comparisons -= 1;
  const isWithin = depth < DIFFERENCE_LIMITS.depth && budget.comparisons > 0;
  const parts = isWithin ? compareParts(at, before, after) : null;
  if (parts && parts.length <= DIFFERENCE_LIMITS.changes) return parts;
  return !parts && isEqual(before, after) ? [] : [change(at, before, after)];
};

/**
 * Diffs two JSON values; undefined means absent. Compares objects by key, lists of identifiable items by item, and
 * other lists as a whole.
 */
export const difference = (before: unknown, after: unknown): Change[] =>
  compare(
    { way: null, depth: 0, budget: { comparisons: DIFFERENCE_LIMITS.comparisons } },
    before,
    after,
  );
