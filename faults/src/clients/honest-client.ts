import { setTimeout as delay } from 'node:timers/promises';
import { TOKENS } from '../world/tokens.js';
import { type Call, graphqlCall, outcomeOf, send } from './http.js';
import { percentile } from './statistics.js';

export type Sample = {
  /** Milliseconds since the client started. */
  start: number;
  milliseconds: number;
  /** `ok`, or the error. */
  outcome: string;
};

export type HonestClient = {
  samples: readonly Sample[];
  /** Requests without a response yet. */
  inFlight(): number;
  /** Milliseconds since the client started. */
  now(): number;
  /** Stops sending and waits for the responses. */
  stop(): Promise<readonly Sample[]>;
};

const header = (token: string) => ({ authorization: token });

/** Requests of an admin UI page and a script. They read old events, so the responses stay the same. */
export const honestCalls = (token: string): Call[] => [
  graphqlCall(
    `{ viewer { kind } events(first: 20, filter: { id: { before: 2000 } }) { nodes { id type createdAt createdBy projectId } } }`,
    { token },
  ),
  {
    path: '/api/admin/search/events?limit=20&project=IS:payments&to=IS:2025-01-01',
    headers: { ...header(token), 'accept-encoding': 'gzip' },
  },
  graphqlCall(`{ project(id: "payments") { name features(first: 10) { nodes { name type } } } }`, {
    token,
  }),
];

type Options = {
  token?: string;
  /** Interval between requests. They do not wait for each other. */
  everyMs?: number;
  timeoutMs?: number;
  calls?: readonly Call[];
};

/**
 * Sends small requests at a steady pace, independent of earlier responses. Later responses must equal the first ones.
 */
export const startHonestClient = async (
  url: string,
  { token = TOKENS.honest, everyMs = 50, timeoutMs = 40_000, calls }: Options = {},
): Promise<HonestClient> => {
  const requests = (calls ?? honestCalls(token)).map((call) => ({ ...call, timeoutMs }));
  const expected: string[] = [];
  for (const call of requests) {
    const response = await send(url, call);
    const result = outcomeOf(response);
    if (result !== 'ok')
      throw new Error(`The honest client is rejected: ${result} ${response.text.slice(0, 300)}`);
    expected.push(response.text);
  }

  const samples: Sample[] = [];
  const startedAt = performance.now();
  const now = () => performance.now() - startedAt;
  const inFlight = new Set<Promise<void>>();
  let isStopped = false;

  const sendCall = async (index: number): Promise<void> => {
    const start = now();
    const call = requests[index];
    if (!call) return;
    const outcome = await send(url, call).then(
      (response) => outcomeOf(response, expected[index]),
      (error: Error) => (error as NodeJS.ErrnoException).code ?? error.message,
    );
    samples.push({ start, milliseconds: now() - start, outcome });
  };
  const loop = (async () => {
    for (let round = 0; !isStopped; round += 1) {
      const sending = sendCall(round % requests.length);
      inFlight.add(sending);
      sending.finally(() => inFlight.delete(sending));
      await delay(everyMs);
    }
  })();

  return {
    samples,
    inFlight: () => inFlight.size,
    now,
    stop: async () => {
      isStopped = true;
      await loop;
      await Promise.all(inFlight);
      return samples;
    },
  };
};

export const failuresOf = (samples: readonly Sample[]): string[] =>
  samples.filter(({ outcome }) => outcome !== 'ok').map(({ outcome }) => outcome);

export const p99Of = (samples: readonly Sample[]): number =>
  percentile(
    samples.map(({ milliseconds }) => milliseconds),
    0.99,
  );

/** Sends honest requests for a number of seconds. */
export const sendHonestCalls = async (
  url: string,
  seconds: number,
  options: Options = {},
): Promise<readonly Sample[]> => {
  const honest = await startHonestClient(url, options);
  await delay(seconds * 1000);
  return honest.stop();
};
