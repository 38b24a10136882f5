import type { Actor } from '../domain/actor.js';
import { DomainError, NotFoundError } from '../domain/errors.js';
import { createSharedReads } from '../domain/shared-reads.js';
import { withDeadline } from '../http/deadline.js';
import { isRead } from '../http/is-read.js';
import { JSON_MEDIA_TYPE, readBody } from './body.js';
import { cloneFeatureRoute } from './clone-feature.js';
import type { Deprecation } from './deprecation.js';
import { loginFacts, toErrorResponse } from './errors.js';
import { healthReportRoute } from './health-report.js';
import { conclude, jsonResponse, type RestRequest, type RestResponse } from './http.js';
import { integrationEventsRoute } from './integration-events.js';
import { noticesOf } from './notices.js';
import type { RestOperations } from './rest-operations.js';
import { decodeParams, defineRoute, type Route } from './route.js';
import { searchEventsRoute } from './search-events.js';

export type RestDependencies = {
  /** Finds out who calls; throws AuthenticationRequired or NoAccessError. */
  authenticate: (authorization: string | undefined, ip: string | null) => Promise<Actor>;
  operations: RestOperations;
  /** In front of every path, without a slash at its end; empty for none. */
  basePath: string;
  /** What describes these paths. */
  openApi: object;
  /** Of the health report. */
  deprecation: Deprecation;
  /** Logs what is our fault and says what the caller is told of it. */
  reportError: (error: unknown) => DomainError;
  /** Longest time one request may take. */
  requestTimeoutMs: number;
};

const WRITE_METHODS: readonly string[] = ['POST', 'PUT', 'DELETE'];

const OPERATION_ROUTES = [
  searchEventsRoute,
  healthReportRoute,
  integrationEventsRoute,
  cloneFeatureRoute,
];
const OPENAPI_PATH = '/api/admin/openapi.json';

export const REST_PATHS: readonly string[] = [
  ...OPERATION_ROUTES.map(({ path }) => path),
  OPENAPI_PATH,
];

const findRoute = (routes: readonly Route[], path: string | null) => {
  if (path === null) return null;
  for (const route of routes) {
    const rawParams = route.match(path);
    if (rawParams) return { route, rawParams };
  }
  return null;
};

const allowResponse = (methods: readonly string[]): RestResponse => ({
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8', allow: methods.join(', ') },
  body: Buffer.from(methods.join(',')),
});

/** The REST paths as one function from request to answer; it never rejects. */
export const createRestHandler = (deps: RestDependencies) => {
  const { authenticate, operations, basePath, reportError } = deps;
  const reads = createSharedReads();
  const openApiRoute = defineRoute({
    method: 'GET',
    path: OPENAPI_PATH,
    parse: () => deps.openApi,
    run: async (_operations, _actor, answer) => answer,
  });
  const routes = [...OPERATION_ROUTES, openApiRoute];

  // The order of these steps is the order in which a request is judged: a caller learns nothing of a later one
  // before he has passed the earlier ones.
  const respond = async (request: RestRequest): Promise<RestResponse> => {
    const body = await readBody(request);
    const actor = await authenticate(request.headers.authorization || undefined, request.ip);
    if (WRITE_METHODS.includes(request.method)) await operations.assertWritable();

    const place = request.path === null ? 'A path outside of ' : `${request.method} `;
    const notServed = `${place}${basePath}${request.path ?? ''} is not served here.`;
    const found = findRoute(routes, request.path);
    if (!found) throw new NotFoundError(notServed);

    const { route, rawParams } = found;
    const params = decodeParams(rawParams);
    if (request.method === 'OPTIONS') return allowResponse(route.allowedMethods);
    if (!route.allowedMethods.includes(request.method)) throw new NotFoundError(notServed);

    const call = { actor, params, search: request.search, body };
    const answer = async () => jsonResponse(200, await route.handle(operations, call));
    if (!isRead(request) || body.mediaType === JSON_MEDIA_TYPE) return answer();
    const question = [actor.identity, request.path, request.search];
    return reads.share(JSON.stringify(question), answer);
  };

  const refuse = (request: RestRequest, cause: unknown): RestResponse => {
    const error = cause instanceof DomainError ? cause : reportError(cause);
    const hasNoToken = error.name === 'AuthenticationRequired' && !request.headers.authorization;
    return toErrorResponse(error, hasNoToken ? loginFacts(basePath) : {});
  };

  return async (request: RestRequest): Promise<RestResponse> => {
    const response = await withDeadline(respond(request), deps.requestTimeoutMs).catch(
      (error: unknown) => refuse(request, error),
    );
    const route = findRoute(routes, request.path)?.route;
    const notices = route ? noticesOf(route, deps) : {};
    return conclude(request, { ...response, headers: { ...response.headers, ...notices } });
  };
};
