const MAX_SUGGESTIONS = 3;

/** Number of characters to insert, delete, replace or swap with their neighbor (optimal string alignment). */
export const editDistance = (a: string, b: string): number => {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      current[j] = Math.min(
        (previous[j] ?? 0) + 1,
        (current[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforePrevious[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
};

const normalize = (text: string): string => text.toLowerCase().replaceAll(/[\s_]+/g, '-');

/** The known names closest to a misspelled one, best first. Of names that differ only in case, the closest. */
export const similarNames = (input: string, known: readonly string[]): string[] => {
  const shown = input.slice(0, 200);
  const normalized = normalize(shown);
  const limit = Math.max(1, Math.floor(normalized.length * 0.4));
  const distanceTo = (name: string): number => {
    const other = normalize(name);
    if (normalized.length > 2 && other.includes(normalized)) return 1;
    return Math.abs(other.length - normalized.length) > limit
      ? limit + 1
      : editDistance(normalized, other);
  };
  const similar = known
    .map((name) => ({ name, distance: distanceTo(name) }))
    .filter(({ distance }) => distance <= limit)
    .map(({ name, distance }) => ({ name, distance, exact: editDistance(shown, name) }))
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
