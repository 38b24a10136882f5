import { type HttpResponse, send } from '../http.js';
import type { World } from '../world/world.js';
import { cloneRequest, type Probe } from './requests.js';

const WORKERS = 2;

/** Internal details that a response must never contain. */
const INTERNALS =
  /\b(select .+ from|insert into|relation "|column "|constraint "|cached plan|prisma|postgres|SQLSTATE)|\bat .+:\d+:\d+|node_modules|\.js:/i;

const RETRYABLE: Readonly<Record<number, string>> = { 503: 'OverloadedError', 504: 'TimeoutError' };

type ErrorBody = { id?: unknown; name?: unknown; message?: unknown };

const errorOf = ({ json }: HttpResponse): ErrorBody => {
  const body = (json ?? {}) as ErrorBody & {
    errors?: { message?: unknown; extensions?: ErrorBody }[];
  };
  const [first] = body.errors ?? [];
  return first ? { ...first.extensions, message: first.message } : body;
};

/** Checks a retryable error; undefined if it is well-formed. */
const faultOfRefusal = (response: HttpResponse): string | undefined => {
  const expected = RETRYABLE[response.status];
  const summary = `${response.status} ${response.text.slice(0, 300)}`;
  if (expected === undefined) return `neither correct nor a retryable error: ${summary}`;
  const { id, name, message } = errorOf(response);
  if (typeof id !== 'string' || name !== expected || typeof message !== 'string') {
    return `a malformed error: ${summary}`;
  }
  if (response.status === 503 && response.headers['retry-after'] === undefined) {
    return `no Retry-After: ${summary}`;
  }
  return INTERNALS.test(message) ? `internal details in the message: ${summary}` : undefined;
};

export type Traffic = {
  /** Waits until every request was sent this many times. */
  rounds(count: number): Promise<void>;
  stop(): Promise<TrafficResult>;
};

export type TrafficResult = {
  /** Number of correct and of retryable responses, and the first faulty response of each kind. */
  right: number;
  rejected: number;
  faults: ReadonlyMap<string, string>;
  /** Names of clones that were reported as created, and of all others. */
  cloned: readonly string[];
  failed: readonly string[];
  /** The longest response time in milliseconds. */
  longestMs: number;
};

const isError = ({ json }: HttpResponse): boolean =>
  typeof json === 'object' && json !== null && 'errors' in json;

const rightOnly = (expected: HttpResponse, { status, text }: HttpResponse): boolean =>
  status === expected.status && (status >= 400 || text === expected.text);

/**
 * Sends all probes and clones in turn, several at a time, and compares each response with the one before the migration.
 */
export const startTraffic = (
  url: string,
  world: World,
  expected: readonly { probe: Probe; response: HttpResponse }[],
): Traffic => {
  const faults = new Map<string, string>();
  const cloned: string[] = [];
  const failed: string[] = [];
  let [right, rejected, longestMs, requestIndex, finishedRounds] = [0, 0, 0, 0, 0];
  let isStopped = false;
  const waiters = new Set<() => void>();

  const timed = async (work: () => Promise<HttpResponse>): Promise<HttpResponse> => {
    const startedAt = Date.now();
    const response = await work();
    longestMs = Math.max(longestMs, Date.now() - startedAt);
    return response;
  };
  const record = (what: string, response: HttpResponse, isRight: boolean): void => {
    if (isRight) {
      right++;
      return;
    }
    const fault = faultOfRefusal(response);
    if (fault === undefined) rejected++;
    else if (!faults.has(what)) faults.set(what, fault);
  };
  const cloneOnce = async (name: string, isGraphql: boolean): Promise<void> => {
    const response = await timed(() => send(url, cloneRequest(world, name, isGraphql)));
    const isCloned = response.status === 200 && !isError(response) && response.text.includes(name);
    (isCloned ? cloned : failed).push(name);
    record(isGraphql ? 'clone over GraphQL' : 'clone', response, isCloned);
  };

  const round = async (): Promise<void> => {
    const number = ++requestIndex;
    for (const { probe, response: before } of expected) {
      const response = await timed(() => send(url, probe.wire));
      record(probe.what, response, rightOnly(before, response));
    }
    await cloneOnce(`upgrade-${number}`, false);
    await cloneOnce(`upgrade-${number}-graphql`, true);
  };
  const work = async (): Promise<void> => {
    while (!isStopped) {
      try {
        await round();
      } catch (error) {
        faults.set('no answer', String(error));
        return;
      } finally {
        finishedRounds++;
        for (const wake of waiters) wake();
      }
    }
  };
  const workers = Array.from({ length: WORKERS }, work);

  return {
    rounds: async (count) => {
      const goal = finishedRounds + count;
      while (finishedRounds < goal && !faults.has('no answer')) {
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiters.delete(wake);
            resolve();
          };
          waiters.add(wake);
        });
      }
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(workers);
      return { right, rejected, faults, cloned, failed, longestMs };
    },
  };
};
