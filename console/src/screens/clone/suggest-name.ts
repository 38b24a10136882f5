const MAX_LENGTH = 100;
const MAX_TRIES = 20;

export type Naming = { pattern: string | null; example: string | null } | null;

const numbered = (name: string): string[] =>
  Array.from({ length: MAX_TRIES }, (_, index) => {
    const ending = index === 0 ? '-copy' : `-copy-${index + 1}`;
    return `${name.slice(0, MAX_LENGTH - ending.length)}${ending}`;
  });

const isMatch = (name: string, pattern: string): boolean => {
  try {
    return new RegExp(`^(?:${pattern})$`).test(name);
  } catch {
    // Not a pattern of this language: the preview knows.
    return true;
  }
};

/** Names for a copy, best first: `checkout-copy`, `checkout-copy-2`, … In a project with a pattern, such as `mobile.checkout-copy`. */
export const candidateNames = (name: string, naming: Naming): string[] => {
  const names = numbered(name);
  const [first = ''] = names;
  if (!naming?.pattern || isMatch(first, naming.pattern)) return names;
  const [prefix = ''] = /^[^._-]+[._-]/.exec(naming.example ?? '') ?? [];
  const prefixed = numbered(`${prefix}${name}`);
  return isMatch(prefixed[0] ?? '', naming.pattern) ? prefixed : names;
};

/** The first candidate that no visible feature has. */
export const firstFree = (candidates: readonly string[], taken: readonly string[]): string =>
  candidates.find((candidate) => !taken.includes(candidate)) ?? candidates[0] ?? '';
