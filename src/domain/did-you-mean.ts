import { mapInSlices } from './work.js';

const MAX_SUGGESTIONS = 3;
/** Names with more differences are other names, however long they are. */
const MAX_DIFFERENCES = 10;
/** Compared at once: long names take a few milliseconds. */
const NAMES_AT_ONCE = 20;

/**
 * Number of characters to insert, delete, replace or swap with their neighbor (optimal string alignment). Beyond `limit`,
 * any number above it: of two texts of 100 characters, a tenth of the pairs are compared.
 */
export const editDistance = (a: string, b: string, limit = a.length + b.length): number => {
  const beyond = limit + 1;
  if (Math.abs(a.length - b.length) > limit) return beyond;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const current: number[] = [];
    let least = i <= limit ? i : beyond;
    current[0] = least;
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const distance = Math.min(
        (previous[j] ?? beyond) + 1,
        (current[j - 1] ?? beyond) + 1,
        (previous[j - 1] ?? beyond) + (isSame ? 0 : 1),
        isSwap ? (beforePrevious[j - 2] ?? beyond) + 1 : beyond,
      );
      current[j] = distance;
      least = Math.min(least, distance);
    }
    if (least > limit) return beyond;
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? beyond;
};

const normalize = (text: string): string => text.toLowerCase().replaceAll(/[\s_]+/g, '-');

/** The known names closest to a misspelled one, best first. Of names that differ only in case, the closest. */
export const similarNames = (input: string, known: readonly string[]): string[] => {
  const shown = input.slice(0, 200);
  const normalized = normalize(shown);
  const limit = Math.min(Math.max(1, Math.floor(normalized.length * 0.4)), MAX_DIFFERENCES);
  const distanceTo = (name: string): number => {
    const other = normalize(name);
    if (normalized.length > 2 && other.includes(normalized)) return 1;
    return editDistance(normalized, other, limit);
  };
  const similar = known
    .map((name) => ({ name, distance: distanceTo(name) }))
    .filter(({ distance }) => distance <= limit)
    .map(({ name, distance }) => ({
      name,
      distance,
      exact: editDistance(shown, name, MAX_DIFFERENCES),
    }))
    .sort((a, b) => a.distance - b.distance || a.exact - b.exact);
  const seen = new Set<string>();
  const isFirst = ({ name }: { name: string }) => seen.size < seen.add(normalize(name)).size;
  return similar
    .filter(isFirst)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
};

const listed = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' or ');

/** ` Did you mean 'web-shop'?`, or an empty string without a similar name. */
export const didYouMean = (input: string, known: readonly string[]): string => {
  const names = similarNames(input, known).map((name) => `'${name}'`);
  return names.length === 0 ? '' : ` Did you mean ${listed(names)}?`;
};

/** The same for thousands of names, with other work of the event loop in between. */
export const didYouMeanAmong = async (input: string, known: readonly string[]): Promise<string> => {
  const count = Math.ceil(known.length / NAMES_AT_ONCE);
  const parts = Array.from({ length: count }, (_, index) =>
    known.slice(index * NAMES_AT_ONCE, (index + 1) * NAMES_AT_ONCE),
  );
  const similar = await mapInSlices(parts, (part) => similarNames(input, part));
  return didYouMean(input, similar.flat());
};
