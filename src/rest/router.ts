import type { Authenticate } from '../auth/authenticate.js';
import { requestCost } from '../domain/cost.js';
import { DomainError, NotFoundError } from '../domain/errors.js';
import { OnDemand } from '../domain/on-demand.js';
import { createSharedReads } from '../domain/shared-reads.js';
import { allowReplica, beginWriting } from '../domain/work.js';
import { withDeadline } from '../http/deadline.js';
import { isRead } from '../http/is-read.js';
import { partsOf } from '../http/path-pattern.js';
import { JSON_MEDIA_TYPE, readBody } from './body.js';
import { cloneFeatureRoute } from './clone-feature.js';
import type { Deprecation } from './deprecation.js';
import { loginFacts, toErrorResponse } from './errors.js';
import { healthReportRoute } from './health-report.js';
import {
  createBodyWriter,
  finishResponse,
  jsonResponse,
  type RestRequest,
  type RestResponse,
} from './http.js';
import { integrationEventsRoute } from './integration-events.js';
import { noticesOf } from './notices.js';
import type { RestOperations } from './rest-operations.js';
import { decodeParams, defineRoute, type Route } from './route.js';
import { searchEventsRoute } from './search-events.js';

export type RestDependencies = {
  /** Throws AuthenticationRequired or NoAccessError. */
  authenticate: Authenticate;
  operations: RestOperations;
  /** Prefix of every path, without a trailing slash. Empty for none. */
  basePath: string;
  /** The OpenAPI document of these paths. */
  openApi: object;
  /** Deprecation of the health report. */
  deprecation: Deprecation;
  /** Logs internal errors and returns the error for the caller. */
  reportError: (error: unknown) => DomainError;
  /** Request timeout. */
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
  const parts = path === null ? null : partsOf(path);
  if (parts === null) return null;
  for (const route of routes) {
    const rawParams = route.match(parts);
    if (rawParams) return { route, rawParams };
  }
  return null;
};

const allowResponse = (methods: readonly string[]): RestResponse => ({
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8', allow: methods.join(', ') },
  body: Buffer.from(methods.join(',')),
});

/** The REST paths as one function from request to response. Never rejects. */
export const createRestHandler = (deps: RestDependencies) => {
  const { authenticate, operations, basePath, reportError } = deps;
  const reads = createSharedReads();
  const writeBody = createBodyWriter();
  const openApiRoute = defineRoute({
    method: 'GET',
    path: OPENAPI_PATH,
    parse: () => new OnDemand(OPENAPI_PATH, async () => deps.openApi),
    cost: () => 1,
    run: async (_operations, _actor, response) => response,
  });
  const routes = [...OPERATION_ROUTES, openApiRoute];

  // Requests are checked in this order: an error reveals nothing about later checks.
  const respond = async (
    request: RestRequest,
    found: ReturnType<typeof findRoute>,
  ): Promise<RestResponse> => {
    await request.call.enter();
    if (WRITE_METHODS.includes(request.method)) beginWriting();
    // Before the body is read, so that it counts for its sender. Whether it is valid is checked first.
    const [authenticated] = await Promise.allSettled([authenticate(request.caller)]);
    if (authenticated.status === 'fulfilled') request.call.identify(authenticated.value);
    else request.call.reject();
    const body = await readBody(request);
    if (authenticated.status === 'rejected') throw authenticated.reason;
    const actor = authenticated.value;
    await request.call.start();
    request.call.charge(requestCost(request.search.length));
    if (WRITE_METHODS.includes(request.method)) await operations.assertWritable();

    const subject = request.path === null ? 'A path outside ' : `${request.method} `;
    const notServed = `${subject}${basePath}${request.path ?? ''} is not served here.`;
    if (!found) throw new NotFoundError(notServed);

    const { route, rawParams } = found;
    const params = decodeParams(rawParams);
    if (request.method === 'OPTIONS') return allowResponse(route.allowedMethods);
    if (!route.allowedMethods.includes(request.method)) throw new NotFoundError(notServed);

    if (isRead(request)) allowReplica();
    const { search, headers } = request;
    const { cost, run } = request.call.timed(() =>
      route.prepare({ actor, params, search, headers, body }),
    );
    request.call.facts.cost = cost;
    request.call.charge(cost);
    const handle = () =>
      request.call.inTurn(() =>
        request.call.admit(cost, async () =>
          jsonResponse(200, await writeBody(await run(operations))),
        ),
      );
    if (!isRead(request) || body.mediaType === JSON_MEDIA_TYPE) return handle();
    const cacheKey = [actor.identity, request.path, request.search];
    return reads.share(JSON.stringify(cacheKey), handle);
  };

  const reject = (request: RestRequest, cause: unknown): RestResponse => {
    const error = cause instanceof DomainError ? cause : reportError(cause);
    const hasNoToken = error.name === 'AuthenticationRequired' && !request.headers.authorization;
    request.call.facts.errorCode = error.name;
    return toErrorResponse(error, hasNoToken ? loginFacts(basePath) : {});
  };

  return async (request: RestRequest): Promise<RestResponse> => {
    const found = findRoute(routes, request.path);
    const response = await withDeadline(
      respond(request, found),
      deps.requestTimeoutMs,
      request.cancel,
    ).catch((error: unknown) => reject(request, error));
    const notices = found ? noticesOf(found.route, deps) : {};
    return finishResponse(request, { ...response, headers: { ...response.headers, ...notices } });
  };
};
