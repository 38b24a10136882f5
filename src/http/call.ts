import type { Traffic } from '../config/traffic.js';
import type { Actor } from '../domain/actor.js';
import { RateLimitError } from '../domain/errors.js';
import { currentWork } from '../domain/work.js';
import type { Sender } from './client-weights.js';
import { type ConcurrencyLimit, createConcurrencyLimit } from './concurrency-limit.js';
import { type CostGate, createCostGate } from './cost-gate.js';
import { networkOf } from './forwarded.js';
import { createHeavyClientThrottle, type HeavyClientThrottle } from './heavy-client-throttle.js';
import { sleep } from './sleep.js';
import { createStartTurns } from './start-turns.js';
import { createTokenBuckets, type TokenBuckets } from './token-bucket.js';
import { createUnknownRequests } from './unknown-requests.js';

/** What the log line of a request contains in addition to its path and outcome. Never a secret. */
export type CallFacts = {
  actor?: { kind: string; userId: number; token?: string };
  operation?: string;
  operationType?: string;
  documentHash?: string;
  cost?: number;
  errorCode?: string;
  authFailure?: string;
};

/** One request, its caller and its share of the common resources. */
export type Call = {
  readonly facts: CallFacts;
  /** Identifies a caller before authentication. Default: by client address. */
  recognize(fingerprint: string): void;
  /** Probes, and requests with unknown credentials, do not wait for other anonymous requests. */
  queueAs(kind: 'probe' | 'credentials'): void;
  /** Called once the caller is authenticated. */
  identify(actor: Actor): void;
  /** Charges cost points to the caller. Throws RateLimitError if too few are left. */
  charge(points: number): void;
  /**
   * Resolves when the caller has the points and it is its turn. For work that can wait, such as past events. `reserve`
   * is the share of its points that stays free for other requests of the caller. Default 0.
   */
  pace(points: number, signal: AbortSignal, reserve?: number): Promise<void>;
  /** Adds the size of the response to the weight of the caller: writing and sending it takes time. */
  recordResponse(bytes: number): void;
  /** The same for a body of the request that is to be parsed. */
  recordBody(bytes: number): void;
  /** The same for errors in the response: each is created with its location and path. */
  recordErrors(count: number): void;
  /** The same for the time for which the request kept the event loop busy. */
  recordTime(ms: number): void;
  /** Runs something and records its time. */
  timed<Result>(run: () => Result): Result;
  /**
   * To be awaited when a request arrives. Like `throttle`, but also counts a request without known credentials for its
   * address, until it has ended or its caller is authenticated. Throws RateLimitError if the address has too many.
   */
  enter(signal?: AbortSignal): Promise<void> | undefined;
  /** Its caller cannot be authenticated: from now on, the request counts as one without credentials. Throws like `enter`. */
  reject(): void;
  /** Resolves when the caller may start another request. Undefined if that is now. */
  throttle(signal?: AbortSignal): Promise<void> | undefined;
  /** The same for something that is not a request, such as a message of a WebSocket. */
  takeTurn(signal: AbortSignal): Promise<void> | undefined;
  /** From now on the request with this signal is a stream, which does not delay other requests of its client. */
  startStream(signal: AbortSignal): void;
  /** Whether no other client has sent a request within a second. */
  isAlone(): boolean;
  /** To be awaited before a request is parsed. Null if it can start at once. */
  start(): Promise<void> | null;
  /** Runs an operation when it is the caller's turn. */
  inTurn<Result>(run: () => Promise<Result>): Promise<Result>;
  /** The RateLimit and RateLimit-Policy headers. None for unauthenticated callers. */
  headers(): Record<string, string>;
  /** Executes an operation of this cost when it fits next to the operations in flight. */
  admit<Result>(points: number, run: () => Promise<Result>): Promise<Result>;
};

export type CallEvents = {
  /** The caller is authenticated: `owner` is the same for all its credentials. */
  onIdentified?: (owner: string) => void;
  /** The credentials were valid when they were last used. */
  onRecognized?: (fingerprint: string) => void;
};

export type CallOptions = {
  onRateLimited?: () => void;
  onEvict?: () => void;
};

/** Equal for all credentials of one user, and for all admin tokens of one name. */
const identityOf = ({ kind, userId, author }: Actor): string => `${kind} ${userId} ${author}`;

/** Users choose the names of their tokens. */
const MAX_TOKEN_NAME_LENGTH = 100;
/** Of a response. */
const BYTES_PER_POINT = 100;
/** Of the body of a request. */
const BODY_BYTES_PER_POINT = 50;
const POINTS_PER_ERROR = 100;
/** Shorter times are part of every request. */
const MIN_RECORDED_MS = 1;
const POLICY = '"points"';
const NEVER = new AbortController().signal;

const limitError = (waitMs: number) =>
  new RateLimitError(
    'Rate limit exceeded: your cost points are used up. Retry later or request less data.',
    Math.ceil(waitMs / 1000),
  );

type Shares = {
  buckets: TokenBuckets | null;
  unknownRequests: ReturnType<typeof createUnknownRequests>;
  throttle: HeavyClientThrottle;
  concurrency: ConcurrencyLimit;
  gate: CostGate;
  start: ReturnType<typeof createStartTurns>;
  policy: string;
};

const createCall = (
  { buckets, unknownRequests, throttle, concurrency, gate, start, policy }: Shares,
  { onRateLimited = () => undefined }: CallOptions,
  address: string | null,
  { onIdentified = () => undefined, onRecognized = () => undefined }: CallEvents = {},
): Call => {
  let key = `address ${networkOf(address)}`;
  let sender: Sender = { client: key, anonymous: 'anonymous' };
  const facts: CallFacts = {};
  let leaveUnknown = (): void => undefined;
  /** Requests that wait for a body, without valid credentials, take no place of those whose credentials are verified. */
  const enterUnknown = (signal: AbortSignal): void => {
    const { anonymous } = sender;
    if (anonymous) leaveUnknown = unknownRequests.enter(`${anonymous} ${key}`, signal);
  };
  const recordTime = (ms: number): void => {
    if (ms >= MIN_RECORDED_MS) throttle.record(sender, { ms });
  };
  const isAlone = (): boolean => !throttle.hasOthers(sender);
  return {
    facts,
    recognize: (fingerprint) => {
      sender = { client: fingerprint };
      const work = currentWork();
      if (work) work.recognized = fingerprint;
      onRecognized(fingerprint);
    },
    queueAs: (kind) => {
      sender = { client: key, anonymous: kind };
    },
    identify: (actor) => {
      leaveUnknown();
      key = identityOf(actor);
      const work = currentWork();
      if (work) {
        work.owner = key;
        work.sender = { isAlone, recordTime };
      }
      onIdentified(key);
      facts.actor = {
        kind: actor.kind,
        userId: actor.userId,
        ...(actor.tokenName && { token: actor.tokenName.slice(0, MAX_TOKEN_NAME_LENGTH) }),
      };
    },
    charge: (points) => {
      const waitMs = buckets?.take(key, points) ?? 0;
      throttle.record(sender, { points });
      if (waitMs === 0) return;
      onRateLimited();
      throw limitError(waitMs);
    },
    pace: async (points, signal, reserve = 0) => {
      const take = () => buckets?.take(key, points, reserve) ?? 0;
      for (let waitMs = take(); waitMs > 0 && !signal.aborted; waitMs = take()) {
        await sleep(waitMs, signal);
      }
      throttle.record(sender, { points });
      await throttle.takeTurn(sender, signal);
    },
    recordResponse: (bytes) => throttle.record(sender, { points: bytes / BYTES_PER_POINT }),
    recordBody: (bytes) => throttle.record(sender, { points: bytes / BODY_BYTES_PER_POINT }),
    recordErrors: (count) => throttle.record(sender, { points: count * POINTS_PER_ERROR }),
    recordTime,
    timed: (run) => {
      const startedAt = performance.now();
      try {
        return run();
      } finally {
        recordTime(performance.now() - startedAt);
      }
    },
    enter: (signal = currentWork()?.signal ?? NEVER) => {
      enterUnknown(signal);
      return throttle.begin(sender, signal);
    },
    reject: () => {
      leaveUnknown();
      sender = { client: key, anonymous: 'anonymous' };
      enterUnknown(currentWork()?.signal ?? NEVER);
    },
    throttle: (signal = currentWork()?.signal ?? NEVER) => throttle.begin(sender, signal),
    takeTurn: (signal) => throttle.takeTurn(sender, signal),
    startStream: throttle.end,
    isAlone,
    start: () => start(key),
    inTurn: (run) => concurrency(key, currentWork()?.signal ?? NEVER, run),
    admit: (points, run) => gate(key, points, run),
    headers: () => {
      if (!buckets || !facts.actor) return {};
      const { remaining, resetSeconds } = buckets.stateOf(key);
      return {
        ratelimit: `${POLICY};r=${remaining};t=${resetSeconds}`,
        'ratelimit-policy': policy,
      };
    },
  };
};

/** The shares of all callers: cost points over time, and concurrent operations. */
export const createCalls = (
  { rateLimitPoints: points, rateLimitWindowMs: windowMs, maxConcurrentOperations }: Traffic,
  options: CallOptions = {},
) => {
  const shares: Shares = {
    buckets: points === 0 ? null : createTokenBuckets({ points, windowMs }, options),
    unknownRequests: createUnknownRequests(),
    throttle: createHeavyClientThrottle(),
    concurrency: createConcurrencyLimit(maxConcurrentOperations),
    gate: createCostGate(),
    start: createStartTurns(),
    policy: `${POLICY};q=${points};w=${Math.ceil(windowMs / 1000)}`,
  };
  return (address: string | null, events?: CallEvents): Call =>
    createCall(shares, options, address, events);
};
