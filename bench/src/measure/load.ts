import autocannon from 'autocannon';
import { ADMIN_TOKEN } from '../../../parity/src/upstream.js';

/** A request as a contender understands it. */
export type BenchRequest = {
  method?: 'GET' | 'POST';
  path: string;
  /** Sent as JSON. */
  body?: object;
};

/** What is sent to a server, and what becomes of the responses. */
export type Exchange = {
  /** The next request. */
  next: () => BenchRequest;
  /** Called with each 2xx response in time. */
  onResponse: (request: BenchRequest, body: string) => void;
};

export type Load = Exchange & {
  url: string;
  connections: number;
  /** Either a time or a number of requests. */
  seconds?: number;
  amount?: number;
};

export type LoadResult = {
  /** Latency of each 2xx response within the time limit, in milliseconds. */
  latencies: number[];
  seconds: number;
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

const bodyOf = ({ body }: BenchRequest): string | undefined => body && JSON.stringify(body);

/** Puts a server under load. */
export const runLoad = ({
  url,
  next,
  onResponse,
  connections,
  seconds,
  amount,
}: Load): Promise<LoadResult> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const limit = seconds === undefined ? Number.POSITIVE_INFINITY : seconds * 1000;
    const latencies: number[] = [];
    const statuses: Record<string, number> = {};
    let last = 0;
    const isInTime = () => performance.now() - startedAt <= limit;
    const instance = autocannon(
      {
        url,
        connections,
        ...(amount === undefined ? { duration: seconds ?? 1 } : { amount }),
        timeout: TIMEOUT_S,
        sampleInt: 50,
        requests: [
          {
            setupRequest: (defaults, context) => {
              const request = next();
              context.request = request;
              return {
                ...defaults,
                method: request.method ?? 'GET',
                path: request.path,
                headers: headersOf(request),
                body: bodyOf(request) ?? '',
              };
            },
            onResponse: (status, body, { request }) => {
              if (request && status >= 200 && status <= 299 && isInTime())
                onResponse(request, body);
            },
          },
        ],
      },
      (error, result) => {
        if (error) return reject(error);
        resolve({
          latencies,
          seconds: amount === undefined ? (seconds ?? 1) : last / 1000,
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

/** The same request over and over, whose responses are compared at once. */
export const repeat = (
  request: BenchRequest,
  isCorrect: (body: string) => boolean = () => true,
): Exchange & { wrong: () => number } => {
  let wrong = 0;
  return {
    next: () => request,
    onResponse: (_request, body) => {
      if (!isCorrect(body)) wrong += 1;
    },
    wrong: () => wrong,
  };
};

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
    throw new Error(`${request.path} returned ${response.status}: ${text.slice(0, 500)}`);
  return text;
};
