import type { Operation } from '../request.js';

/** A path of the gateway, relative to the base path. */
type Route = readonly [operation: Operation, method: string, path: RegExp];

const ROUTES: readonly Route[] = [
  ['search events', 'GET', /^\/api\/admin\/search\/events$/],
  ['health report', 'GET', /^\/api\/admin\/projects\/[^/]+\/health-report$/],
  ['integration events', 'GET', /^\/api\/admin\/addons\/[^/]+\/events$/],
  ['clone', 'POST', /^\/api\/admin\/projects\/[^/]+\/features\/[^/]+\/clone$/],
];

export type Routed = {
  /** The path relative to the base path. */
  path: string;
  /** Which of the four operations the path serves, if any. */
  operation?: Operation;
  isGateway: boolean;
};

/** Routes as docs/guides/attach.md recommends: the four paths and `/graphql` go to the gateway, everything else to Unleash. */
export const routeOf = (method: string, pathname: string, basePath: string): Routed => {
  const isBelow = pathname.startsWith(`${basePath}/`);
  const path = isBelow ? pathname.slice(basePath.length) : pathname;
  const [operation] =
    ROUTES.find(([, verb, pattern]) => isBelow && verb === method && pattern.test(path)) ?? [];
  if (operation !== undefined) return { path, operation, isGateway: true };
  return { path, isGateway: isBelow && path === '/graphql' };
};
