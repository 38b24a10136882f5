import autocannon from 'autocannon';
import { ADMIN_TOKEN } from '../../../parity/src/upstream.js';

/** A request as a contender understands it. */
export type BenchRequest = {
  method?: 'GET' | 'POST';
  path: string;
  /** Appended to the path, new for every request. */
  suffix?: () => string;
  /** Sent as JSON; a function creates a new one for every request. */
  body?: unknown | (() => unknown);
};

export type Load = {
  url: string;
  request: BenchRequest;
  connections: number;
  /** Either a time or a number of requests. */
  seconds?: number;
  amount?: number;
  isCorrect: (body: string) => boolean;
};

export type LoadResult = {
  /** Latency of each 2xx response within the time limit, in milliseconds. */
  latencies: number[];
  seconds: number;
  wrong: number;
  /** Statuses other than 2xx, broken connections and timeouts. */
  failed: number;
  /** Counts of each of those statuses. */
  statuses: Record<string, number>;
};

const TIMEOUT_S = 150;

export const headersOf = (request: BenchRequest): Record<string, string> => ({
  authorization: ADMIN_TOKEN,
  ...(request.body !== undefined && { 'content-type': 'application/json' }),
});

export const bodyOf = (request: BenchRequest): string | undefined => {
  if (request.body === undefined) return undefined;
  return JSON.stringify(typeof request.body === 'function' ? request.body() : request.body);
};

const toAutocannonRequest = (request: BenchRequest) => {
  const body = bodyOf(request);
  const options = {
    method: request.method ?? 'GET',
    path: request.path,
    headers: headersOf(request),
  };
  const { suffix } = request;
  if (suffix) {
    return {
      ...options,
      setupRequest: <Request extends object>(original: Request) => ({
        ...original,
        path: `${request.path}${suffix()}`,
      }),
    };
  }
  if (body === undefined) return options;
  if (typeof request.body !== 'function') return { ...options, body };
  return {
    ...options,
    body,
    setupRequest: <Request extends object>(original: Request) => ({
      ...original,
      body: bodyOf(request) ?? '',
    }),
  };
};

/** Puts a server under load and checks every response. */
export const runLoad = ({
  url,
  request,
  connections,
  seconds,
  amount,
  isCorrect,
}: Load): Promise<LoadResult> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const limit = seconds === undefined ? Number.POSITIVE_INFINITY : seconds * 1000;
    const latencies: number[] = [];
    const statuses: Record<string, number> = {};
    let last = 0;
    const instance = autocannon(
      {
        url,
        connections,
        ...(amount === undefined ? { duration: seconds ?? 1 } : { amount }),
        timeout: TIMEOUT_S,
        sampleInt: 50,
        method: request.method ?? 'GET',
        headers: headersOf(request),
        requests: [toAutocannonRequest(request)],
        verifyBody: isCorrect,
      },
      (error, result) => {
        if (error) return reject(error);
        resolve({
          latencies,
          seconds: amount === undefined ? (seconds ?? 1) : last / 1000,
          wrong: result.mismatches,
          failed: result.errors + result.non2xx,
          statuses,
        });
      },
    );
    instance.on(
      'response',
      (_client: unknown, status: number, _bytes: number, durationMs: number) => {
        const at = performance.now() - startedAt;
        if (status < 200 || status > 299) statuses[status] = (statuses[status] ?? 0) + 1;
        else if (at <= limit) {
          last = at;
          latencies.push(durationMs);
        }
      },
    );
  });

/** Sends one request and returns the body as text; fails unless the status is 2xx. */
export const sendOnce = async (url: string, request: BenchRequest): Promise<string> => {
  const body = bodyOf(request);
  const response = await fetch(`${url}${request.path}`, {
    method: request.method ?? 'GET',
    headers: headersOf(request),
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(TIMEOUT_S * 1000),
  });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${request.path} was answered ${response.status}: ${text.slice(0, 500)}`);
  return text;
};
