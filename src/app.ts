import type { IncomingMessage, ServerResponse } from 'node:http';
import { createAuthenticate } from './auth/authenticate.js';
import { limitFailures } from './auth/limit-failures.js';
import type { Config } from './config/config.js';
import type { Database } from './data/connect.js';
import type { DemoAccess } from './demo/demo-access.js';
import { demoRolesOf } from './demo/demo-roles.js';
import { createOperations } from './domain/operations.js';
import { traceOperations } from './domain/trace-operations.js';
import { createByteBudget } from './domain/work.js';
import { createExportHandler } from './export/handler.js';
import { createGraphqlServer } from './graphql/graphql-server.js';
import { createGraphqlHandler } from './graphql/handler.js';
import { createRunQuery } from './graphql/run-internal-query.js';
import { createSocketOperations } from './graphql/socket-operations.js';
import { withBuiltIn } from './graphql/trusted-documents/built-in-documents.js';
import { hasOperationParameters } from './graphql/trusted-documents/resolve-document.js';
import type { TrustedDocuments } from './graphql/trusted-documents/trusted-documents.js';
import { createCalls } from './http/call.js';
import { networkOf } from './http/forwarded.js';
import { createReportError } from './http/report-error.js';
import { createTokenBuckets } from './http/token-bucket.js';
import type { Logger } from './observability/logger.js';
import { createMetrics, type Metrics } from './observability/metrics.js';
import { createProbes } from './observability/probes.js';
import { isConsoleBuilt, readConsoleDocuments } from './pages/console-files.js';
import { decideConsole } from './pages/console-setting.js';
import { createPages } from './pages/pages.js';
import { createRequestHandler } from './request-handler.js';
import { createRespond } from './respond.js';
import { createOpenApiDocument } from './rest/openapi.js';
import { createRestHandler } from './rest/router.js';
import { createSocketHandler, type Sockets } from './socket-handler.js';

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
  /** The built console. Default: the one in the package. */
  consoleFolder?: URL;
  /** The metrics of all processes that share the port. Default: of this one. */
  scrape?: (() => Promise<string | null>) | undefined;
};

export type App = {
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** From now on `/readyz` reports that the server is not ready. */
  announceStop: () => void;
  /** Closes open streams and WebSockets, which would never end, in a way that lets clients resume. */
  drain: () => void;
  sockets: Sockets;
  /** All metrics as objects. */
  readMetrics: Metrics['read'];
};

/** Wires the modules together into the one handler behind every route. */
export const createApp = ({
  config,
  database,
  logger,
  version,
  documents: ownDocuments,
  sessionSecret,
  demo,
  consoleFolder,
  scrape,
}: AppDependencies): App => {
  const { client } = database;
  const { basePath } = config;
  const hasSessions = sessionSecret !== undefined;
  const consoleDecision = decideConsole(config, {
    hasSessions,
    isBuilt: isConsoleBuilt(consoleFolder),
  });
  const documents = consoleDecision.isOn
    ? withBuiltIn(ownDocuments, readConsoleDocuments(consoleFolder))
    : ownDocuments;
  // Pages show these to every visitor, so only this machine may open them.
  const openTokens = demo?.isLocal ? demo.tokens : null;
  const reportError = createReportError(logger, {
    isMigratedByOthers: database.ownership === 'unleash',
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
  const { authenticate, recognize } = limitFailures(
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
  const server = createGraphqlServer({
    client,
    operations,
    federation: config.federation,
    reportError,
    documents,
    operationRan: metrics.operationRan,
    onEvict: () => metrics.evicted('documents'),
  });
  const graphql = createGraphqlHandler({
    server,
    authenticate,
    openIntrospection: !config.production,
    reportError,
    documents,
  });
  const exportEvents = createExportHandler({
    authenticate,
    operations,
    createRunQuery: createRunQuery(client, operations),
    reportError,
  });
  const openApi = createOpenApiDocument(basePath);
  const pages = createPages({
    basePath,
    hasGraphiql: config.graphiql,
    console: consoleDecision,
    ...(consoleFolder && { consoleFolder }),
    adminUiUrl: config.adminUiUrl,
    isProduction: config.production,
    trustedProxies: config.trustedProxies,
    hasSessions,
    database,
    isGraphqlRequest: hasOperationParameters,
    openApi,
    ...(openTokens && { demoTokens: openTokens, demoRoles: demoRolesOf(openTokens) }),
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
  const isLoopbackOnly = openTokens !== null;
  const sockets = createSocketHandler({
    config,
    logger,
    metrics,
    budget,
    createCall,
    operations: createSocketOperations({ server, authenticate, reportError, documents }),
    authenticate,
    recognize,
    reportError,
    sessionSecret,
    isLoopbackOnly,
  });
  const respond = createRespond({
    socketRefusal: sockets.refusal,
    graphql,
    rest,
    exportEvents,
    probes,
    pages,
    metrics,
    recognize,
    sessionSecret,
    reportError,
    requestTimeoutMs: config.requestTimeoutMs,
    isLoopbackOnly,
  });
  return {
    handle: createRequestHandler({ config, logger, metrics, budget, createCall, respond }),
    announceStop: probes.drain,
    drain: () => {
      sockets.drain();
      operations.endFollowing();
    },
    sockets,
    readMetrics: metrics.read,
  };
};
