import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createAuthenticate } from './auth/authenticate.js';
import type { Config } from './config/config.js';
import type { Database } from './data/connect.js';
import { createOperations } from './domain/operations.js';
import { createGraphqlServer } from './graphql/graphql-server.js';
import { createGraphqlHandler, graphqlFailure } from './graphql/handler.js';
import { asksForOperation } from './graphql/trusted-documents/resolve-document.js';
import type { TrustedDocuments } from './graphql/trusted-documents/trusted-documents.js';
import { callerAddress } from './http/caller-address.js';
import { corsHeaders, isPreflight } from './http/cors.js';
import { withDeadline } from './http/deadline.js';
import { isRead } from './http/is-read.js';
import { createReportError } from './http/report-error.js';
import { createRouteName } from './http/route-name.js';
import { type Answer, send } from './http/send.js';
import { type LiveAnswer, sendLive } from './http/send-live.js';
import type { Logger } from './observability/logger.js';
import { createMetrics } from './observability/metrics.js';
import { createProbes } from './observability/probes.js';
import { createPages } from './pages/pages.js';
import type { DemoTokens } from './pages/start-page.js';
import { createOpenApiDocument } from './rest/openapi.js';
import { createRestHandler, REST_PATHS } from './rest/router.js';

const routeName = createRouteName(REST_PATHS);

/** The health report has been deprecated since the original's version 6.6 came out. */
const HEALTH_REPORT_DEPRECATED = new Date('2025-01-27T00:00:00Z');

export type AppDependencies = {
  config: Config;
  database: Database;
  logger: Logger;
  /** Operations that can be asked for without their text. Default none. */
  documents?: TrustedDocuments | undefined;
  /** Known demo secrets: refused in production, offered in GraphiQL elsewhere. */
  demo?: { isDemoToken: (secret: string) => boolean; tokens?: DemoTokens };
};

export type App = {
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** From now on the server is not ready for new work. */
  drain: () => void;
};

/** Wires the rooms together: the one handler behind every address of the gateway. */
export const createApp = ({ config, database, logger, documents, demo }: AppDependencies): App => {
  const { client } = database;
  const { basePath } = config;
  const reportError = createReportError(logger, {
    isMigratedByOthers: database.ownership === 'original',
  });
  const metrics = createMetrics(database);
  const operations = createOperations(client, config);
  const authenticate = createAuthenticate(client, {
    ...(config.production && demo && { refuses: demo.isDemoToken }),
  });
  const graphql = createGraphqlHandler({
    server: createGraphqlServer({
      client,
      operations,
      reportError,
      documents,
      operationRan: metrics.operationRan,
    }),
    authenticate,
    openIntrospection: !config.production,
    measure: operations.measure,
    reportError,
    documents,
  });
  const openApi = createOpenApiDocument(basePath);
  const pages = createPages({
    basePath,
    hasGraphiql: config.graphiql,
    isProduction: config.production,
    database,
    asksGraphql: asksForOperation,
    openApi,
    ...(demo?.tokens && !config.production && { demoTokens: demo.tokens }),
  });
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

  const answerGraphql = async (
    request: IncomingMessage,
    search: string,
    ending: AbortController,
  ): Promise<Answer | LiveAnswer> => {
    try {
      return await withDeadline(graphql(request, search, ending.signal), config.requestTimeoutMs);
    } catch (error) {
      ending.abort();
      return graphqlFailure(request, reportError(error));
    }
  };

  const answerRest = (
    request: IncomingMessage,
    path: string | null,
    search: string,
  ): Promise<Answer> =>
    rest({
      method: request.method ?? 'GET',
      path,
      search: search.slice(1),
      headers: request.headers,
      stream: request,
      ip: callerAddress(request),
    });

  const answer = (
    request: IncomingMessage,
    path: string | null,
    search: string,
    ending: AbortController,
  ): Promise<Answer | LiveAnswer> => {
    if (isPreflight(request)) return Promise.resolve({ status: 204, headers: {}, body: null });
    if (path === null) return answerRest(request, null, search);
    const probe = probes.find(path);
    if (probe) return probe();
    if (path === '/metrics' && isRead(request)) return metrics.answer();
    const page = pages.find(request, path, search);
    if (page) return page();
    if (/^\/graphql\/?$/.test(path)) return answerGraphql(request, search, ending);
    return answerRest(request, path, search);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const started = performance.now();
    const requestId = randomUUID();
    const url = (request.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '');
    const [rawPath = '/', query] = url.replace(/#.*/s, '').split(/\?(.*)/s);
    // The base path itself may be typed without a slash at its end.
    const path = `${rawPath}/`.startsWith(`${basePath}/`)
      ? rawPath.slice(basePath.length) || '/'
      : null;
    const ending = new AbortController();
    let isLive = false;
    response.on('close', () => {
      ending.abort();
      const ms = performance.now() - started;
      const status = response.writableFinished ? response.statusCode : null;
      logger.info({
        requestId,
        method: request.method,
        path: rawPath,
        ...(status === null ? { aborted: true } : { status }),
        ms: Math.round(ms),
      });
      const { method = 'GET' } = request;
      if (isLive) metrics.streamClosed();
      else metrics.requestEnded({ route: routeName(path), method, status, seconds: ms / 1000 });
    });
    const { headers, ...rest } = await answer(
      request,
      path,
      query === undefined ? '' : `?${query}`,
      ending,
    );
    const cors = corsHeaders(request, config.corsOrigins);
    const vary = [cors['vary'], headers['vary']].filter((value) => value !== undefined).join(', ');
    const allHeaders = {
      ...headers,
      ...cors,
      ...(vary && { vary }),
      ...(rest.status === 401 && { 'www-authenticate': 'Bearer' }),
      'x-request-id': requestId,
    };
    if ('stream' in rest) {
      isLive = !response.closed;
      if (isLive) metrics.streamOpened();
      await sendLive(response, { ...rest, headers: allHeaders });
    } else await send(request, response, { ...rest, headers: allHeaders });
  };

  return {
    handle,
    drain: () => {
      probes.drain();
      operations.endFollowing();
    },
  };
};
