import { createMatcher, partsOf } from './path-pattern.js';

/** The addresses beside those of REST. */
const ADDRESSES = ['/', '/graphql', '/livez', '/readyz', '/metrics', '/docs/*', '/assets/*'];

/** The address a path belongs to, or `other`: paths are without end, names of addresses are not. */
export const createRouteName = (restPaths: readonly string[]) => {
  const routes = [...ADDRESSES, ...restPaths].map((name) => ({ name, match: createMatcher(name) }));
  return (path: string | null): string => {
    if (path === null) return 'other';
    const parts = partsOf(path);
    return routes.find(({ match }) => match(parts))?.name ?? 'other';
  };
};
