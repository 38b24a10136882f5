import { isObject, type JsonObject } from '../../json.js';
import { type PathStep, pathTo } from './change-path.js';
import { isEqual } from './is-equal.js';
import { type Items, matchItems } from './match-items.js';

export type ChangeKind = 'ADDED' | 'REMOVED' | 'CHANGED' | 'REORDERED';

/** One difference of two JSON values. */
export type Change = {
  path: string;
  kind: ChangeKind;
  /** What was there; of a list in another order what tells its items apart. Undefined where nothing was. */
  before: unknown;
  after: unknown;
  /** Where an added item stands in its list, from 0. */
  position: number | null;
};

/** Deeper parts, those behind so many comparisons, and those with more changes are told of as a whole. */
export const DIFFERENCE_LIMITS = { depth: 40, comparisons: 50_000, changes: 500 };

type Place = {
  /** Where the two values stand; most of them are the same and need no path. */
  way: { from: Place; step: PathStep } | null;
  depth: number;
  budget: { comparisons: number };
};

const pathOf = ({ way }: Place): string => (way ? pathTo(pathOf(way.from), way.step) : '');

const change = (place: Place, before: unknown, after: unknown): Change => {
  const kind = before === undefined ? 'ADDED' : after === undefined ? 'REMOVED' : 'CHANGED';
  return { path: pathOf(place), kind, before, after, position: null };
};

const stepTo = (from: Place, step: PathStep): Place => ({
  way: { from, step },
  depth: from.depth + 1,
  budget: from.budget,
});

const compareKeys = (place: Place, before: JsonObject, after: JsonObject): Change[] => {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return [...Object.keys(after), ...removed].flatMap((key) =>
    compare(
      stepTo(place, { kind: 'key', key }),
      Object.hasOwn(before, key) ? before[key] : undefined,
      Object.hasOwn(after, key) ? after[key] : undefined,
    ),
  );
};

const compareOrder = (place: Place, before: Items, after: Items): Change[] => {
  const older = [...before.keys()].filter((identity) => after.has(identity));
  const newer = [...after.keys()].filter((identity) => before.has(identity));
  if (older.every((identity, index) => identity === newer[index])) return [];

  const namesOf = (items: Items, identities: readonly string[]) =>
    identities.flatMap((identity) => {
      const item = items.get(identity);
      return item ? [Object.fromEntries(item.fields)] : [];
    });
  const names = { before: namesOf(before, older), after: namesOf(after, newer) };
  return [{ path: pathOf(place), kind: 'REORDERED', ...names, position: null }];
};

const compareItems = (place: Place, before: Items, after: Items): Change[] => {
  const kept = [...before].flatMap(([identity, { fields, value }]) =>
    compare(stepTo(place, { kind: 'item', fields }), value, after.get(identity)?.value),
  );
  const added = [...after].flatMap(([identity, { fields, value }], position) => {
    if (before.has(identity)) return [];
    const item = stepTo(place, { kind: 'item', fields });
    return [{ ...change(item, undefined, value), position }];
  });
  return [...kept, ...compareOrder(place, before, after), ...added];
};

/** The differences inside of two values, or null where they can only be compared as a whole. */
const compareParts = (place: Place, before: unknown, after: unknown): Change[] | null => {
  if (isObject(before) && isObject(after)) return compareKeys(place, before, after);
  if (!Array.isArray(before) || !Array.isArray(after)) return null;
  const items = matchItems(before, after);
  return items && compareItems(place, items.before, items.after);
};

const compare = (place: Place, before: unknown, after: unknown): Change[] => {
  if (before === after) return [];
  if (before === undefined || after === undefined) return [change(place, before, after)];

  const { depth, budget } = place;
  budget.comparisons -= 1;
  const isWithin = depth < DIFFERENCE_LIMITS.depth && budget.comparisons > 0;
  const parts = isWithin ? compareParts(place, before, after) : null;
  if (parts && parts.length <= DIFFERENCE_LIMITS.changes) return parts;
  return !parts && isEqual(before, after) ? [] : [change(place, before, after)];
};

/**
 * What differs between two JSON values, undefined standing for nothing at all. Objects are compared key by key, lists
 * of things that can be told apart thing by thing, other lists as a whole.
 */
export const difference = (before: unknown, after: unknown): Change[] =>
  compare(
    { way: null, depth: 0, budget: { comparisons: DIFFERENCE_LIMITS.comparisons } },
    before,
    after,
  );
