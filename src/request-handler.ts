import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from './config/config.js';
import {
  type ByteBudget,
  CancelledError,
  createWork,
  endWork,
  unknownPagesOf,
  type Work,
} from './domain/work.js';
import { requestsCost } from './graphql/use-cost.js';
import { createBodyBudget } from './http/body-budget.js';
import type { Call, CallEvents } from './http/call.js';
import { markKnown, ownerOf } from './http/connection-owners.js';
import { corsHeaders } from './http/cors.js';
import { type Forwarded, forwardedOf, networkOf } from './http/forwarded.js';
import { readPath } from './http/request-path.js';
import { createRouteName } from './http/route-name.js';
import { type HttpResponse, send } from './http/send.js';
import { type LiveResponse, sendLive } from './http/send-live.js';
import { createTurns } from './http/turns.js';
import { joinVary } from './http/vary.js';
import type { Logger } from './observability/logger.js';
import type { Metrics } from './observability/metrics.js';
import { requestIdOf } from './observability/request-id.js';
import { createSlowOperationLog } from './observability/slow-operations.js';
import { CONSOLE_PATHS } from './pages/console-paths.js';
import { beginRequestTrace } from './request-trace.js';
import { REST_PATHS } from './rest/router.js';

const routeName = createRouteName([...REST_PATHS, ...CONSOLE_PATHS]);

/** Created once: by default every aborted signal creates its own error. */
const ENDED = new CancelledError();

/** Per turn of the event loop, for requests that end together, such as when thousands of connections are closed. */
const FINISH_TURN_MS = 2;

/** One request and its state. */
export type Task = {
  request: IncomingMessage;
  /** Path below the base path. Null for paths outside of it. */
  path: string | null;
  /** Query string with its question mark. Empty if there is none. */
  search: string;
  work: Work;
  call: Call;
  forwarded: Forwarded;
  /** Counts the body until it is sent. Returns 503 instead if there is no room. */
  hold: (response: HttpResponse) => HttpResponse;
  /** Cancels the work. */
  end: () => void;
};

type Options = {
  config: Config;
  logger: Logger;
  metrics: Metrics;
  budget: ByteBudget;
  createCall: (address: string | null, events: CallEvents) => Call;
  respond: (task: Task) => Promise<HttpResponse | LiveResponse>;
};

/** Static assets are logged at debug level: a page has many. */
const isAsset = (path: string | null): boolean => path?.startsWith('/assets/') ?? false;

/** What every request has in common: an ID, a unit of work, CORS, metrics and a log line. */
export const createRequestHandler = ({
  config,
  logger,
  metrics,
  budget,
  createCall,
  respond,
}: Options) => {
  const { basePath } = config;
  const bodies = createBodyBudget(budget);
  const finishing = createTurns(FINISH_TURN_MS);
  const logIfSlow = createSlowOperationLog({
    limitMs: config.slowOperationMs,
    logger,
    onSlow: metrics.slowOperation,
  });

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const started = performance.now();
    const requestId = requestIdOf(request.headers['x-request-id']);
    const { loggedPath, path, query } = readPath(request.url, basePath);
    const ending = new AbortController();
    const end = () => ending.abort(ENDED);
    const isMeasured = requestsCost(request.headers['x-graphql-cost']);
    const forwarded = forwardedOf(request, config.trustedProxies);
    const work = createWork(ending.signal, { isMeasured, budget });
    // Its connection must not be closed in favor of others while it waits for authentication.
    const mark = (owner: string) => markKnown(request.socket, owner);
    const call = createCall(forwarded.ip, { onIdentified: mark, onRecognized: mark });
    const hold = (result: HttpResponse) =>
      bodies.hold(response, work.owner || unknownPagesOf(networkOf(forwarded.ip)), result);
    const search = query === undefined ? '' : `?${query}`;
    const task = { request, path, search, work, call, forwarded, hold, end };
    const route = routeName(path);
    const trace = beginRequestTrace(request, route);
    const ids = { requestId, ...(trace.traceId && { traceId: trace.traceId }) };
    const level = isAsset(path) ? 'debug' : 'info';
    let isLive = false;
    const finish = () => {
      end();
      endWork(work);
      const ms = performance.now() - started;
      const status = response.writableFinished ? response.statusCode : null;
      logger[level]({
        ...ids,
        method: request.method,
        path: loggedPath,
        ...(status === null ? { aborted: true } : { status }),
        ms: Math.round(ms),
        ip: forwarded.ip,
        ...call.facts,
        ...(work.usage.statements > 0 && { statements: work.usage.statements }),
      });
      trace.end({ status, requestId });
      const { method = 'GET' } = request;
      if (isLive) metrics.streamClosed();
      else metrics.requestEnded({ route, method, status, seconds: ms / 1000 });
    };
    response.on('close', () => finishing.runLater(ownerOf(request.socket), finish));
    const responding = trace.run(() => respond(task));
    // Whatever takes long before the request is throttled counts for its sender.
    call.recordTime(performance.now() - started);
    const { headers, ...rest } = await responding;
    const isOperation = call.facts.cost !== undefined;
    logIfSlow(isOperation ? performance.now() - started : 0, () => ({
      ...ids,
      method: request.method,
      path: loggedPath,
      ...call.facts,
      statements: work.usage.statements,
      databaseMs: Math.round(work.usage.databaseMs),
      waitedMs: Math.round(work.usage.waitedMs),
    }));
    if ('errorCode' in rest && rest.errorCode) call.facts.errorCode = rest.errorCode;
    // Thousands of clients may leave at the same time: writing to closed connections takes a while.
    if (response.closed && !('stream' in rest)) return;
    const cors = corsHeaders(request, config.corsOrigins);
    const vary = joinVary(cors['vary'], headers['vary']);
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
      await sendLive(
        response,
        { ...rest, headers: allHeaders },
        { onStall: metrics.streamStalled },
      );
    } else await send(request, response, { ...rest, headers: allHeaders });
  };
};
