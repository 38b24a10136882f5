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

export const CONSOLE_BASE_PATH = '/flaggraph';

/** What the gateway serves below its base path if the console is routed. */
const PAGES: readonly [method: string, target: string][] = [
  ['GET', ''],
  ['GET', '/'],
  ['GET', '/?type=feature-created'],
  ['GET', '/projects/odd%20id%20%C3%A4'],
  ['GET', '/features/my.flag-1_x'],
  ['GET', '/assets/console/assets/main-1.js'],
  ['GET', '/docs/guides/console'],
  ['GET', '/metricsx'],
  ...OWN,
];

const INTERNAL = ['/livez', '/readyz', '/metrics'];

/** Paths that Unleash keeps although the gateway has them, too, below its base path. */
const KEPT: readonly [method: string, target: string][] = [
  ['GET', '/projects/default'],
  ['GET', '/projects/default/features/x'],
  ['GET', '/assets/x.js'],
  ['GET', '/docs/openapi/'],
  ['GET', '/flaggraphs/x'],
  ['GET', '/x/flaggraph/'],
];

const below = (entries: readonly [method: string, target: string][]) =>
  entries.map(([method, target]): [string, string] => [method, `${CONSOLE_BASE_PATH}${target}`]);

/** The server of each request if the gateway has a base path of its own, beside Unleash. */
export const ROUTED_WITH_CONSOLE: readonly RoutedPath[] = [
  ...routed(GATEWAY, 'gateway'),
  ...routed(below(PAGES), 'gateway'),
  ...routed([...UNLEASH, ...OWN, ...KEPT], 'unleash'),
];

/** Paths that no client of the proxy reaches. */
export const INTERNAL_WITH_CONSOLE = INTERNAL.map((path) => `${CONSOLE_BASE_PATH}${path}`);

/** The path at which the gateway receives a request: those of Unleash get the base path. */
export const receivedAs = (target: string): string =>
  target.startsWith(CONSOLE_BASE_PATH) ? target : `${CONSOLE_BASE_PATH}${target}`;

/** The same if the gateway has a host name of its own. */
export const ROUTED_ON_OWN_HOST: readonly RoutedPath[] = routed(
  [...GATEWAY, ...PAGES.filter(([, target]) => target !== '')],
  'gateway',
);

export const INTERNAL_ON_OWN_HOST = INTERNAL;

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
