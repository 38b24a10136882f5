import { createMatcher, partsOf } from './path-pattern.js';

/** Routes other than those of REST and of the console. */
const ADDRESSES = [
  '/',
  '/start',
  '/graphql',
  '/livez',
  '/readyz',
  '/metrics',
  '/docs/*',
  '/assets/*',
  '/export/*',
];

/** The route of a path, or `other`. Unlike paths, routes are bounded in number. */
export const createRouteName = (patterns: readonly string[]) => {
  const routes = [...ADDRESSES, ...patterns].map((name) => ({ name, match: createMatcher(name) }));
  return (path: string | null): string => {
    const parts = path === null ? null : partsOf(path);
    if (parts === null) return 'other';
    return routes.find(({ match }) => match(parts))?.name ?? 'other';
  };
};
