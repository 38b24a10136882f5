import autocannon from 'autocannon';
import { ADMIN_TOKEN } from '../../../parity/src/original.js';

/** A request as a contender understands it. */
export type Ask = {
  method?: 'GET' | 'POST';
  path: string;
  /** Put behind the path, a new one for every request. */
  suffix?: () => string;
  /** Sent as JSON; a function makes a new one for every request. */
  body?: unknown | (() => unknown);
};

export type Load = {
  url: string;
  ask: Ask;
  connections: number;
  /** Either a time or a number of requests. */
  seconds?: number;
  amount?: number;
  isRight: (body: string) => boolean;
};

export type Driven = {
  /** Milliseconds each right answer took. */
  latencies: number[];
  seconds: number;
  wrong: number;
  /** Statuses other than 2xx, broken connections and answers that did not come in time. */
  failed: number;
  /** How often each of those statuses came. */
  statuses: Record<string, number>;
};

const TIMEOUT_S = 150;

export const headersOf = (ask: Ask): Record<string, string> => ({
  authorization: ADMIN_TOKEN,
  ...(ask.body !== undefined && { 'content-type': 'application/json' }),
});

export const bodyOf = (ask: Ask): string | undefined => {
  if (ask.body === undefined) return undefined;
  return JSON.stringify(typeof ask.body === 'function' ? ask.body() : ask.body);
};

const requestOf = (ask: Ask) => {
  const body = bodyOf(ask);
  const request = { method: ask.method ?? 'GET', path: ask.path, headers: headersOf(ask) };
  const { suffix } = ask;
  if (suffix) {
    return {
      ...request,
      setupRequest: <Request extends object>(given: Request) => ({
        ...given,
        path: `${ask.path}${suffix()}`,
      }),
    };
  }
  if (body === undefined) return request;
  if (typeof ask.body !== 'function') return { ...request, body };
  return {
    ...request,
    body,
    setupRequest: <Request extends object>(given: Request) => ({
      ...given,
      body: bodyOf(ask) ?? '',
    }),
  };
};

/** Puts a server under load and looks at every answer. */
export const drive = ({ url, ask, connections, seconds, amount, isRight }: Load): Promise<Driven> =>
  new Promise((resolve, reject) => {
    const begun = performance.now();
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
        method: ask.method ?? 'GET',
        headers: headersOf(ask),
        requests: [requestOf(ask)],
        verifyBody: isRight,
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
    instance.on('response', (_client: unknown, status: number, _bytes: number, took: number) => {
      const at = performance.now() - begun;
      if (status < 200 || status > 299) statuses[status] = (statuses[status] ?? 0) + 1;
      else if (at <= limit) {
        last = at;
        latencies.push(took);
      }
    });
  });

/** One request, answered as text; fails unless the status is 2xx. */
export const askOnce = async (url: string, ask: Ask): Promise<string> => {
  const body = bodyOf(ask);
  const answer = await fetch(`${url}${ask.path}`, {
    method: ask.method ?? 'GET',
    headers: headersOf(ask),
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(TIMEOUT_S * 1000),
  });
  const text = await answer.text();
  if (!answer.ok)
    throw new Error(`${ask.path} was answered ${answer.status}: ${text.slice(0, 500)}`);
  return text;
};
