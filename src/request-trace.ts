import type { IncomingMessage } from 'node:http';
import { runInSpan, startRequestSpan } from './domain/tracing.js';
import { readTraceParent } from './observability/trace-parent.js';

type Outcome = {
  /** Null if the client disconnected before the end. */
  status: number | null;
  requestId: string;
};

export type RequestTrace = {
  /** The trace that the request belongs to, if it or its caller is traced. */
  traceId: string | undefined;
  /** Makes everything that `run` does a part of the trace. */
  run<Result>(run: () => Result): Result;
  end(outcome: Outcome): void;
};

/** Requested all the time, and of no interest in a trace. */
const UNTRACED: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics', '/assets/*']);
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);
const SERVER_ERROR = 500;

const errorTypeOf = (status: number | null): string | undefined => {
  if (status === null) return 'aborted';
  return status >= SERVER_ERROR ? String(status) : undefined;
};

/** Starts the trace of a request. Spans contain the route, never the path, the query string or credentials. */
export const beginRequestTrace = (
  { method = 'GET', headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  route: string,
): RequestTrace => {
  const parent = readTraceParent(headers);
  const known = METHODS.has(method);
  const span = UNTRACED.has(route)
    ? undefined
    : startRequestSpan(`${known ? method : 'HTTP'} ${route}`, parent);
  return {
    traceId: span?.traceId ?? parent?.traceId,
    run: (run) => runInSpan(span, run),
    end: ({ status, requestId }) => {
      span?.set({
        'http.request.method': known ? method : '_OTHER',
        'http.route': route,
        ...(status !== null && { 'http.response.status_code': status }),
        'flaggraph.request.id': requestId,
      });
      span?.end(errorTypeOf(status));
    },
  };
};
