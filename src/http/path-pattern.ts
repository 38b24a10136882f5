// Dropping empty parts accepts a trailing slash and takes runs of slashes for one.
export const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');

/**
 * Compares the parts of a path with a pattern, in which `:name` stands for one part and `*` for all that follow. The
 * answer is what stands for the names, or null when this is another path.
 */
export const createMatcher = (pattern: string) => {
  const wanted = partsOf(pattern);
  const isOpen = wanted.at(-1) === '*';
  const fixed = isOpen ? wanted.slice(0, -1) : wanted;

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
