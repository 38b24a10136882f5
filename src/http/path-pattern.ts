// Dropping empty parts accepts a trailing slash and collapses repeated slashes.
export const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');

/**
 * Matches path segments against a pattern in which `:name` matches one segment and `*` all that follow. Returns
 * the values of the names, or null if the path does not match.
 */
export const createMatcher = (pattern: string) => {
  const patternParts = partsOf(pattern);
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
