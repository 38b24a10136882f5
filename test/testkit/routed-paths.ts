export type RoutedPath = { method: string; target: string; by: 'gateway' | 'unleash' };

const GATEWAY: readonly [method: string, target: string][] = [
  ['GET', '/api/admin/search/events'],
  ['GET', '/api/admin/search/events?query=a%2Fb%20c&limit=5'],
  ['GET', '/api/admin/projects/default/health-report'],
  ['GET', '/api/admin/projects/odd%20id%20%C3%A4/health-report'],
  ['GET', '/api/admin/addons/1/events?limit=20&offset=0'],
  ['POST', '/api/admin/projects/default/features/my.flag-1_x/clone'],
  // Routed by path: the gateway rejects methods it does not have.
  ['DELETE', '/api/admin/search/events'],
  ['GET', '/api/admin/projects/default/features/my.flag-1_x/clone'],
];

/** Paths that Unleash does not have. */
const OWN: readonly [method: string, target: string][] = [
  ['POST', '/graphql'],
  ['GET', '/graphql?query=%7B__typename%7D'],
  ['GET', '/export/events.ndjson'],
  ['GET', '/export/events.csv?project=default&after=5'],
];

const UNLEASH: readonly [method: string, target: string][] = [
  ['GET', '/'],
  ['GET', '/history'],
  ['POST', '/auth/simple/login'],
  ['POST', '/logout'],
  ['GET', '/static/index.js'],
  ['GET', '/api/client/features'],
  ['GET', '/api/admin/events'],
  ['GET', '/api/admin/search'],
  ['GET', '/api/admin/search/events/x'],
  ['GET', '/api/admin/search/events/'],
  ['GET', '/api/admin/search/eventsx'],
  ['GET', '/api/admin/search/features'],
  ['GET', '/x/api/admin/search/events'],
  ['GET', '/api/admin/addons'],
  ['GET', '/api/admin/addons/1'],
  ['PUT', '/api/admin/addons/1'],
  ['GET', '/api/admin/addons/1/events/2'],
  ['GET', '/api/admin/addons/1/2/events'],
  ['GET', '/api/admin/projects'],
  ['GET', '/api/admin/projects/default/health'],
  ['GET', '/api/admin/projects/default/health-report/x'],
  ['GET', '/api/admin/projects/a/b/health-report'],
  ['GET', '/api/admin/projects/default/features'],
  ['POST', '/api/admin/projects/default/features/clone'],
  ['POST', '/api/admin/projects/default/features/x/clone/y'],
  ['POST', '/api/admin/projects/default/features/x/y/clone'],
  ['GET', '/graphql/x'],
  ['GET', '/graphqlx'],
  ['GET', '/x/graphql'],
  ['GET', '/export'],
  ['GET', '/export/events.xml'],
  ['GET', '/export/events.csv/x'],
];

const routed = (
  entries: readonly [method: string, target: string][],
  by: RoutedPath['by'],
): RoutedPath[] => entries.map(([method, target]) => ({ method, target, by }));

/** The server of each request if the four paths, `/graphql` and the exports are routed to the gateway. */
export const ROUTED_PATHS: readonly RoutedPath[] = [
  ...routed(GATEWAY, 'gateway'),
  ...routed(OWN, 'gateway'),
  ...routed(UNLEASH, 'unleash'),
];

/** The same for requests without an `Authorization` header if only those with one are routed. */
export const ROUTED_WITHOUT_AUTHORIZATION: readonly RoutedPath[] = [
  ...routed(GATEWAY, 'unleash'),
  ...routed(OWN, 'gateway'),
  ...routed(UNLEASH, 'unleash'),
];

/** Prepends a base path to the gateway's paths, as the comment in each file describes. */
export const withBasePath = (configuration: string, basePath: string): string =>
  configuration.replaceAll(/\/(?=api\/admin\/|graphql\b|export\/)/g, `${basePath}/`);

/** The table for the configuration with a base path; without it, no path belongs to the gateway. */
export const belowBasePath = (
  paths: readonly RoutedPath[],
  basePath: string,
): readonly RoutedPath[] => [
  ...paths.map((path) => ({ ...path, target: `${basePath}${path.target}` })),
  ...paths.map((path) => ({ ...path, by: 'unleash' as const })),
];
