import { type Answer, send } from '../http.js';
import type { World } from '../world/world.js';
import { cloneRequest, type Probe } from './requests.js';

const WORKERS = 2;

/** What must never reach a caller. */
const INNARDS =
  /\b(select .+ from|insert into|relation "|column "|constraint "|cached plan|prisma|postgres|SQLSTATE)|\bat .+:\d+:\d+|node_modules|\.js:/i;

const RETRYABLE: Readonly<Record<number, string>> = { 503: 'OverloadedError', 504: 'TimeoutError' };

type ErrorBody = { id?: unknown; name?: unknown; message?: unknown };

const errorOf = ({ json }: Answer): ErrorBody => {
  const body = (json ?? {}) as ErrorBody & {
    errors?: { message?: unknown; extensions?: ErrorBody }[];
  };
  const [first] = body.errors ?? [];
  return first ? { ...first.extensions, message: first.message } : body;
};

/** What is wrong with an answer as a refusal the caller may try again; undefined when nothing is. */
const faultOfRefusal = (answer: Answer): string | undefined => {
  const expected = RETRYABLE[answer.status];
  const shown = `${answer.status} ${answer.text.slice(0, 300)}`;
  if (expected === undefined) return `neither right nor a refusal to try again: ${shown}`;
  const { id, name, message } = errorOf(answer);
  if (typeof id !== 'string' || name !== expected || typeof message !== 'string') {
    return `an error of another shape: ${shown}`;
  }
  if (answer.status === 503 && answer.headers['retry-after'] === undefined) {
    return `no Retry-After: ${shown}`;
  }
  return INNARDS.test(message) ? `innards in the message: ${shown}` : undefined;
};

export type Traffic = {
  /** Waits until everything has been asked so often. */
  rounds(count: number): Promise<void>;
  stop(): Promise<Travelled>;
};

export type Travelled = {
  /** Requests answered rightly, refused for the moment, and answered wrongly with the first such answer of each kind. */
  right: number;
  refused: number;
  faults: ReadonlyMap<string, string>;
  /** Names of clones that were reported as made, and of those that were not. */
  made: readonly string[];
  failed: readonly string[];
  /** The longest anybody waited for an answer, in milliseconds. */
  longestMs: number;
};

const isError = ({ json }: Answer): boolean =>
  typeof json === 'object' && json !== null && 'errors' in json;

const rightOnly = (expected: Answer, { status, text }: Answer): boolean =>
  status === expected.status && (status >= 400 || text === expected.text);

/** Sends all probes and clones in turn, several at a time, and judges each answer against what was answered before. */
export const startTraffic = (
  url: string,
  world: World,
  expected: readonly { probe: Probe; answer: Answer }[],
): Traffic => {
  const faults = new Map<string, string>();
  const made: string[] = [];
  const failed: string[] = [];
  let [right, refused, longestMs, turn, finishedRounds] = [0, 0, 0, 0, 0];
  let isStopped = false;
  const waiting = new Set<() => void>();

  const timed = async (work: () => Promise<Answer>): Promise<Answer> => {
    const begun = Date.now();
    const answer = await work();
    longestMs = Math.max(longestMs, Date.now() - begun);
    return answer;
  };
  const judge = (what: string, answer: Answer, isRight: boolean): void => {
    if (isRight) {
      right++;
      return;
    }
    const fault = faultOfRefusal(answer);
    if (fault === undefined) refused++;
    else if (!faults.has(what)) faults.set(what, fault);
  };
  const cloneOnce = async (name: string, isGraphql: boolean): Promise<void> => {
    const answer = await timed(() => send(url, cloneRequest(world, name, isGraphql)));
    const isMade = answer.status === 200 && !isError(answer) && answer.text.includes(name);
    (isMade ? made : failed).push(name);
    judge(isGraphql ? 'clone over GraphQL' : 'clone', answer, isMade);
  };

  const round = async (): Promise<void> => {
    const number = ++turn;
    for (const { probe, answer: before } of expected) {
      const answer = await timed(() => send(url, probe.wire));
      judge(probe.what, answer, rightOnly(before, answer));
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
        for (const wake of waiting) wake();
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
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
      }
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(workers);
      return { right, refused, faults, made, failed, longestMs };
    },
  };
};
