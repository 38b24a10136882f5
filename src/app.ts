import type { IncomingMessage, ServerResponse } from 'node:http';
import { createAuthenticate } from './auth/authenticate.js';
import { type Caller, readCaller } from './auth/caller.js';
import { limitFailures } from './auth/limit-failures.js';
import type { Config } from './config/config.js';
import type { Database } from './data/connect.js';
import type { DemoAccess } from './demo/demo-access.js';
import { BadDataError } from './domain/errors.js';
import { createOperations } from './domain/operations.js';
import { traceOperations } from './domain/trace-operations.js';
import { createByteBudget, endWork, runAs } from './domain/work.js';
import { createGraphqlServer } from './graphql/graphql-server.js';
import { createGraphqlHandler, graphqlFailure } from './graphql/handler.js';
import { hasOperationParameters } from './graphql/trusted-documents/resolve-document.js';
import type { TrustedDocuments } from './graphql/trusted-documents/trusted-documents.js';
import { createCalls } from './http/call.js';
import { isPreflight } from './http/cors.js';
import { withDeadline } from './http/deadline.js';
import { type Forwarded, networkOf } from './http/forwarded.js';
import { isRead } from './http/is-read.js';
import { isLoopback } from './http/loopback.js';
import { createOpenPages } from './http/open-pages.js';
import { withPrivateHeaders } from './http/private-headers.js';
import { createRejectionPace } from './http/rejection-pace.js';
import { createReportError } from './http/report-error.js';
import { isSameOrigin } from './http/same-origin.js';
import type { HttpResponse } from './http/send.js';
import type { LiveResponse } from './http/send-live.js';
import { createTokenBuckets } from './http/token-bucket.js';
import type { Logger } from './observability/logger.js';
import { createMetrics, type Metrics } from './observability/metrics.js';
import { createProbes } from './observability/probes.js';
import { createPages } from './pages/pages.js';
import { createRequestHandler, type Task } from './request-handler.js';
import { toErrorResponse } from './rest/errors.js';
import { createOpenApiDocument } from './rest/openapi.js';
import { createRestHandler } from './rest/router.js';

/** The health report has been deprecated since the release of Unleash 6.6. */
const HEALTH_REPORT_DEPRECATED = new Date('2025-01-27T00:00:00Z');

export type AppDependencies = {
  config: Config;
  database: Database;
  logger: Logger;
  /** Version of the gateway, for the metrics. */
  version: string;
  /** Operations that clients can send by reference, without their text. Default none. */
  documents?: TrustedDocuments | undefined;
  /** Verifies Unleash's sign-in cookies. Undefined: sessions are off. */
  sessionSecret?: string | undefined;
  demo?: DemoAccess;
  /** The metrics of all processes that share the port. Default: of this one. */
  scrape?: (() => Promise<string | null>) | undefined;
};

export type App = {
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** From now on `/readyz` reports that the server is not ready. */
  announceStop: () => void;
  /** Closes open streams, which would never end, in a way that lets clients resume. */
  drain: () => void;
  /** All metrics as objects. */
  readMetrics: Metrics['read'];
};

/** Protects against DNS rebinding: a page of another site may have pointed its own name to this machine. */
const misdirected = (): HttpResponse => ({
  ...toErrorResponse(
    BadDataError.of({
      message:
        'While the demo world is served on loopback, the Host header must be localhost, 127.0.0.1 or [::1].',
    }),
  ),
  status: 421,
});

/** Wires the modules together into the one handler behind every route. */
export const createApp = ({
  config,
  database,
  logger,
  version,
  documents,
  sessionSecret,
  demo,
  scrape,
}: AppDependencies): App => {
  const { client } = database;
  const { basePath } = config;
  // Pages show these to every visitor, so only this machine may open them.
  const openTokens = demo?.isLocal ? demo.tokens : null;
  const reportError = createReportError(logger, {
    isMigratedByOthers: database.ownership === 'original',
  });
  const metrics = createMetrics(database, { version, scrape });
  const { traffic } = config;
  const budget = createByteBudget({
    max: traffic.maxBytesInFlight,
    maxPerWork: traffic.maxAnswerBytes,
  });
  const createCall = createCalls(traffic, {
    onRateLimited: () => metrics.rateLimited('points'),
    onEvict: () => metrics.evicted('rate_limits'),
  });
  const operations = traceOperations(createOperations(database, config));
  const { authenticate, recognise } = limitFailures(
    createAuthenticate(database, {
      ...(demo && { rejects: demo.rejects, storedToken: demo.storedToken }),
    }),
    {
      failures:
        traffic.authFailuresPerMinute === 0
          ? null
          : createTokenBuckets(
              { points: traffic.authFailuresPerMinute, windowMs: 60_000 },
              { onEvict: () => metrics.evicted('rate_limits') },
            ),
      networkOf,
      onFailure: metrics.authenticationFailed,
    },
  );
  const graphql = createGraphqlHandler({
    server: createGraphqlServer({
      client,
      operations,
      reportError,
      documents,
      operationRan: metrics.operationRan,
      onEvict: () => metrics.evicted('documents'),
    }),
    authenticate,
    openIntrospection: !config.production,
    reportError,
    documents,
  });
  const openApi = createOpenApiDocument(basePath);
  const pages = createPages({
    basePath,
    hasGraphiql: config.graphiql,
    isProduction: config.production,
    trustedProxies: config.trustedProxies,
    hasSessions: sessionSecret !== undefined,
    database,
    isGraphqlRequest: hasOperationParameters,
    openApi,
    ...(openTokens && { demoTokens: openTokens }),
  });
  const paceRejection = createRejectionPace();
  const rest = createRestHandler({
    authenticate,
    operations,
    basePath,
    openApi,
    deprecation: {
      since: HEALTH_REPORT_DEPRECATED,
      ...(config.healthReportSunset && { sunset: config.healthReportSunset }),
    },
    reportError,
    requestTimeoutMs: config.requestTimeoutMs,
  });
  const probes = createProbes(database, logger);
  const openPages = createOpenPages();

  const callerOf = (request: IncomingMessage, { ip, host }: Forwarded): Caller => {
    return readCaller(request.headers, {
      sessionSecret,
      isSameOrigin: isSameOrigin(request, host),
      ip,
    });
  };

  const respondToGraphql = async (
    caller: Caller,
    { request, search, work, call, end }: Task,
  ): Promise<HttpResponse | LiveResponse> => {
    try {
      const responding = graphql(request, caller, search, call, work);
      return await withDeadline(responding, config.requestTimeoutMs, end);
    } catch (error) {
      end();
      return graphqlFailure(request, reportError(error));
    }
  };

  const respondToRest = (
    caller: Caller,
    { request, path, search, call, end }: Task,
  ): Promise<HttpResponse> =>
    rest({
      method: request.method ?? 'GET',
      path,
      search: search.slice(1),
      headers: request.headers,
      stream: request,
      caller,
      call,
      cancel: end,
    });

  /** Delays a rejection, or closes the connection if too many wait. */
  const reject = async ({ request, work }: Task): Promise<void> => {
    if (!(await paceRejection(work.signal))) request.socket.destroy();
  };

  /** Responses that depend on the caller. */
  const respondPrivately = async (task: Task): Promise<HttpResponse | LiveResponse> => {
    const { request, path } = task;
    const caller = callerOf(request, task.forwarded);
    const fingerprint = recognise(caller);
    if (fingerprint !== null) task.call.recognise(fingerprint);
    else if (caller.credentials !== null) task.call.queueAs('credentials');
    const isGraphql = path !== null && /^\/graphql\/?$/.test(path);
    const result = isGraphql
      ? await respondToGraphql(caller, task)
      : await respondToRest(caller, task);
    // From here on the body counts, not the data it was built from.
    endWork(task.work);
    if ('body' in result) task.call.recordResponse(result.body?.length ?? 0);
    if (result.status === 429) await reject(task);
    const response = 'stream' in result ? result : task.hold(result);
    const headers = { ...response.headers, ...task.call.headers() };
    return { ...response, headers: withPrivateHeaders(headers, caller) };
  };

  /** Probes are delayed like everything else without credentials, but never rejected. */
  const respondToProbe = async (
    probe: () => Promise<HttpResponse>,
    { call, work }: Task,
  ): Promise<HttpResponse> => {
    call.queueAs('probe');
    // Only rejects if the client has disconnected.
    await Promise.resolve()
      .then(() => call.throttle(work.signal))
      .catch(() => undefined);
    return probe();
  };

  /** Pages and metrics, which need no credentials. */
  const respondPublicly = async (
    page: () => Promise<HttpResponse>,
    task: Task,
  ): Promise<HttpResponse> => {
    const { call, forwarded, hold, work } = task;
    try {
      openPages.enter(networkOf(forwarded.ip), work.signal);
      await call.throttle(work.signal);
    } catch (error) {
      const response = toErrorResponse(reportError(error));
      if (response.status === 429) await reject(task);
      return response;
    }
    const response = hold(await page());
    call.recordResponse(response.body?.length ?? 0);
    return response;
  };

  const respond = (task: Task): Promise<HttpResponse | LiveResponse> => {
    const { request, path, search } = task;
    if (openTokens && !isLoopback(request.headers.host ?? 'localhost')) {
      return Promise.resolve(misdirected());
    }
    if (isPreflight(request)) {
      return respondPublicly(async () => ({ status: 204, headers: {}, body: null }), task);
    }
    if (path !== null) {
      const probe = probes.find(path);
      if (probe) return respondToProbe(probe, task);
      const isMetrics = path === '/metrics' && isRead(request);
      const page = isMetrics ? metrics.respond : pages.find(request, path, search);
      if (page) return respondPublicly(page, task);
    }
    return runAs(task.work, () => respondPrivately(task));
  };

  return {
    handle: createRequestHandler({ config, logger, metrics, budget, createCall, respond }),
    announceStop: probes.drain,
    drain: operations.endFollowing,
    readMetrics: metrics.read,
  };
};
