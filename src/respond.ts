import type { IncomingMessage } from 'node:http';
import { type Caller, readCaller } from './auth/caller.js';
import { type LimitedAuthenticate, rejectionOf } from './auth/limit-failures.js';
import { BadDataError } from './domain/errors.js';
import { endWork, runAs } from './domain/work.js';
import { type createExportHandler, isExportPath } from './export/handler.js';
import { type createGraphqlHandler, graphqlFailure } from './graphql/handler.js';
import { isPreflight } from './http/cors.js';
import { withDeadline } from './http/deadline.js';
import type { Forwarded } from './http/forwarded.js';
import { isRead } from './http/is-read.js';
import { isLoopback } from './http/loopback.js';
import { withPrivateHeaders } from './http/private-headers.js';
import { createRejectionPace } from './http/rejection-pace.js';
import type { ReportError } from './http/report-error.js';
import { isSameOrigin } from './http/same-origin.js';
import type { HttpResponse } from './http/send.js';
import type { LiveResponse } from './http/send-live.js';
import type { Refusal } from './http/websocket/handshake.js';
import type { Metrics } from './observability/metrics.js';
import type { createProbes } from './observability/probes.js';
import type { createPages } from './pages/pages.js';
import type { Task } from './request-handler.js';
import { toErrorResponse } from './rest/errors.js';
import type { createRestHandler } from './rest/router.js';
import type { Sockets } from './socket-handler.js';

/** Protects against DNS rebinding: a page of another site may have pointed its own name to this machine. */
const misdirected = (): HttpResponse => ({
  ...toErrorResponse(
    BadDataError.of({
      message:
        'While the demo data is served on loopback, the Host header must be localhost, 127.0.0.1 or [::1].',
    }),
  ),
  status: 421,
});

const toRefusal = ({ error, status, headers }: Refusal): HttpResponse => {
  const response = toErrorResponse(error);
  return {
    ...response,
    status: status ?? response.status,
    headers: { ...response.headers, ...headers },
  };
};

type Options = {
  socketRefusal: Sockets['refusal'];
  graphql: ReturnType<typeof createGraphqlHandler>;
  rest: ReturnType<typeof createRestHandler>;
  exportEvents: ReturnType<typeof createExportHandler>;
  probes: Pick<ReturnType<typeof createProbes>, 'find'>;
  pages: ReturnType<typeof createPages>;
  metrics: Pick<Metrics, 'respond'>;
  recognize: LimitedAuthenticate['recognize'];
  /** Verifies Unleash's sign-in cookies. Undefined: sessions are off. */
  sessionSecret: string | undefined;
  reportError: ReportError;
  requestTimeoutMs: number;
  /** Pages contain tokens, so only this machine may open them. */
  isLoopbackOnly: boolean;
};

/** Finds what responds to a request, in the order: probes, pages, GraphQL, exports, REST. */
export const createRespond = ({
  socketRefusal,
  graphql,
  rest,
  exportEvents,
  probes,
  pages,
  metrics,
  recognize,
  sessionSecret,
  reportError,
  requestTimeoutMs,
  isLoopbackOnly,
}: Options): ((task: Task) => Promise<HttpResponse | LiveResponse>) => {
  const paceRejection = createRejectionPace();

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
      return await withDeadline(responding, requestTimeoutMs, end);
    } catch (error) {
      end();
      return graphqlFailure(request, reportError(error));
    }
  };

  /** The timeout applies until the response begins. After that, a client must only keep reading. */
  const respondToExport = async (
    caller: Caller,
    path: string,
    { request, search, work, call, end }: Task,
  ): Promise<HttpResponse | LiveResponse> => {
    const { signal } = work;
    try {
      const responding = exportEvents({ request, path, search, caller, call, signal });
      return await withDeadline(responding, requestTimeoutMs, end);
    } catch (error) {
      end();
      const known = reportError(error);
      return { ...toErrorResponse(known), errorCode: known.name };
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
    const fingerprint = recognize(caller);
    if (fingerprint !== null) task.call.recognize(fingerprint);
    else if (caller.credentials !== null) task.call.queueAs('credentials');
    const isGraphql = path !== null && /^\/graphql\/?$/.test(path);
    const result = isGraphql
      ? await respondToGraphql(caller, task)
      : isExportPath(path)
        ? await respondToExport(caller, path, task)
        : await respondToRest(caller, task);
    // From here on the body counts, not the data it was built from.
    endWork(task.work);
    if ('body' in result) task.call.recordResponse(result.body?.length ?? 0);
    else task.call.startStream(task.work.signal);
    if (result.status === 401) task.call.facts.authFailure = rejectionOf(caller);
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
    const { call, hold, work } = task;
    try {
      await call.enter(work.signal);
      const response = hold(await page());
      call.recordResponse(response.body?.length ?? 0);
      return response;
    } catch (error) {
      const response = toErrorResponse(reportError(error));
      if (response.status === 429) await reject(task);
      return response;
    }
  };

  return (task) => {
    const { request, path, search } = task;
    if (isLoopbackOnly && !isLoopback(request.headers.host ?? 'localhost')) {
      return Promise.resolve(misdirected());
    }
    const refusal = socketRefusal(request);
    if (refusal) return respondPublicly(async () => toRefusal(refusal), task);
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
};
