/** Far more than any path that is served has. A path of 15 KB can have thousands. */
const MAX_SLASHES = 50;

// Accepts a trailing slash and collapses repeated slashes.
const withoutEmpty = (parts: readonly string[]) => parts.filter((part) => part !== '');

/** The segments of a requested path. Null for a path with so many slashes that no pattern matches it. */
export const partsOf = (path: string): readonly string[] | null => {
  const parts = path.split('/', MAX_SLASHES + 2);
  return parts.length > MAX_SLASHES + 1 ? null : withoutEmpty(parts);
};

/**
 * Matches path segments against a pattern in which `:name` matches one segment and `*` all that follow. Returns
 * the values of the names, or null if the path does not match.
 */
export const createMatcher = (pattern: string) => {
  const patternParts = withoutEmpty(pattern.split('/'));
  const isOpen = patternParts.at(-1) === '*';
  const fixed = isOpen ? patternParts.slice(0, -1) : patternParts;

  return (parts: readonly string[]): Record<string, string> | null => {
    if (isOpen ? parts.length < fixed.length : parts.length !== fixed.length) return null;
    const params: Record<string, string> = {};
    for (const [index, name] of fixed.entries()) {
      const part = parts[index] ?? '';
      if (name.startsWith(':')) params[name.slice(1)] = part;
      else if (name !== part.toLowerCase()) return null;
    }
    return params;
  };
};
