const partsOf = (path: string) => path.split('/').filter((part) => part !== '');

/** Every address of the gateway; `:name` stands for one part, `*` for all that follow. */
const ROUTES = [
  '/',
  '/graphql',
  '/api/admin/search/events',
  '/api/admin/projects/:projectId/health-report',
  '/api/admin/addons/:id/events',
  '/api/admin/projects/:projectId/features/:featureName/clone',
  '/api/admin/openapi.json',
  '/livez',
  '/readyz',
  '/metrics',
  '/docs/*',
  '/assets/*',
].map((name) => ({ name, parts: partsOf(name) }));

const isMatch = (wanted: readonly string[], parts: readonly string[]): boolean => {
  const isOpen = wanted.at(-1) === '*';
  if (isOpen ? parts.length < wanted.length - 1 : parts.length !== wanted.length) return false;
  return wanted.every(
    (part, index) => part === '*' || part.startsWith(':') || part === parts[index]?.toLowerCase(),
  );
};

/** The address a path belongs to, or `other`: paths are without end, names of addresses are not. */
export const routeName = (path: string | null): string => {
  if (path === null) return 'other';
  const parts = partsOf(path);
  return ROUTES.find((route) => isMatch(route.parts, parts))?.name ?? 'other';
};
