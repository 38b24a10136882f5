import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createDecayingTimes } from '../data/work/decaying-times.js';
import { responseTimeout, withTimeout } from '../data/work/single-flight.js';
import { assertNotCancelled, CancelledError, currentWork } from '../data/work/work.js';
import type { Actor } from './actor.js';
import { OverloadedError } from './errors.js';

/** One connection in five, so that scans never take more than half of the pool. */
const POOL_SHARE = 5;
/** A slot pauses after each turn, for this fraction of the time that the turn took. */
const PAUSE_SHARE = 0.75;
const MAX_PAUSE_MS = 2_000;
/** Maximum number of running and waiting scans, per caller and in total. */
const MAX_PER_CALLER = 60;
const MAX_SCANS = 600;
/** Maximum wait for a turn: a scan of a million events takes ten seconds, and those of one caller run one after the other. */
const WAIT_MS = 20_000;
/** Half-life of the time charged to a caller. */
const HALF_LIFE_MS = 10_000;
/** Callers whose time is tracked; evicts the least recently served. */
const MAX_CALLERS = 10_000;

/** Runs one statement, or a few short ones, as soon as the limiter has a free slot. */
export type Turn = <Result>(work: () => Promise<Result>) => Promise<Result>;

export type ScanLimiter = {
  /**
   * Runs a scan that takes its turns through the limiter. `callers` are those that wait for its result; more can be
   * added while it runs. Throws OverloadedError if too many scans wait, or a turn does not come in time.
   */
  run<Result>(callers: ReadonlySet<string>, scan: (turn: Turn) => Promise<Result>): Promise<Result>;
};

/** Identifies a caller, whatever its current permissions. */
export const callerKey = ({ kind, userId, author }: Actor): string => `${kind}/${userId}/${author}`;

export const callerOf = (actor: Actor): ReadonlySet<string> => new Set([callerKey(actor)]);

type Waiting = { callers: ReadonlySet<string>; order: number; begin: (caller: string) => void };

const overloaded = () =>
  new OverloadedError(
    'Too many reads without an index are waiting. Retry later or narrow the filter: IDs and feature names use an index, free text of four characters or more in events uses an optional one.',
  );

type Options = {
  /** Connections of the pool; 1 without a pool. Default: 10. */
  poolSize?: number | undefined;
  statementTimeoutMs?: number | undefined;
  /** Default: 20 s. */
  waitMs?: number;
};

/**
 * Limits reads that may scan the whole event log. Few of their statements run at a time, and a caller that spent less
 * time on them recently goes first: one caller can delay the scans of others by one statement at most.
 */
export const createScanLimiter = ({
  poolSize = 10,
  statementTimeoutMs,
  waitMs = WAIT_MS,
}: Options = {}): ScanLimiter => {
  const slots = Math.max(1, Math.ceil(poolSize / POOL_SHARE));
  const slotsPerCaller = Math.max(1, slots - 1);
  const turnLimit = responseTimeout(statementTimeoutMs);
  const waiting = new Set<Waiting>();
  const scans = new Map<string, number>();
  const running = new Map<string, number>();
  const spent = createDecayingTimes({ halfLifeMs: HALF_LIFE_MS, maxKeys: MAX_CALLERS });
  let taken = 0;
  let admitted = 0;
  let order = 0;

  const add = (counts: Map<string, number>, key: string, step: 1 | -1) => {
    const count = (counts.get(key) ?? 0) + step;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
  };

  /** The next turn: of the caller that spent the least time; of one caller, in order of arrival. */
  const pick = (): (() => void) | null => {
    const now = performance.now();
    let best: { entry: Waiting; caller: string; cost: number } | null = null;
    for (const entry of waiting) {
      for (const caller of entry.callers) {
        if ((running.get(caller) ?? 0) >= slotsPerCaller) continue;
        const cost = spent.read(caller, now);
        const isBetter =
          !best || cost < best.cost || (cost === best.cost && entry.order < best.entry.order);
        if (isBetter) best = { entry, caller, cost };
      }
    }
    if (!best) return null;
    const { entry, caller } = best;
    return () => {
      waiting.delete(entry);
      entry.begin(caller);
    };
  };

  const fillSlots = () => {
    while (taken < slots) {
      const begin = pick();
      if (!begin) return;
      begin();
    }
  };

  /** Resolves with the caller that is charged for the turn. */
  const acquire = (callers: ReadonlySet<string>, order: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const signal = currentWork()?.signal;
      const leave = (reason: Error) => {
        waiting.delete(entry);
        end();
        reject(reason);
      };
      const onAbort = () => leave(new CancelledError());
      const timer = setTimeout(() => leave(overloaded()), waitMs);
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const entry: Waiting = {
        callers,
        order,
        begin: (caller) => {
          end();
          taken += 1;
          add(running, caller, 1);
          resolve(caller);
        },
      };
      if (signal) {
        // One request may wait for many turns.
        setMaxListeners(0, signal);
        signal.addEventListener('abort', onAbort, { once: true });
      }
      waiting.add(entry);
      fillSlots();
    });

  const release = async (caller: string, ms: number) => {
    spent.add(caller, ms);
    await delay(Math.min(ms * PAUSE_SHARE, MAX_PAUSE_MS));
    taken -= 1;
    add(running, caller, -1);
    fillSlots();
  };

  const turnOf =
    (callers: ReadonlySet<string>, order: number): Turn =>
    async (work) => {
      assertNotCancelled();
      const caller = await acquire(callers, order);
      const started = performance.now();
      try {
        return await withTimeout(turnLimit, work());
      } finally {
        release(caller, performance.now() - started);
      }
    };

  return {
    run: async (callers, scan) => {
      const [owner = ''] = callers;
      if (admitted >= MAX_SCANS || (scans.get(owner) ?? 0) >= MAX_PER_CALLER) throw overloaded();
      order += 1;
      admitted += 1;
      add(scans, owner, 1);
      try {
        return await scan(turnOf(callers, order));
      } finally {
        admitted -= 1;
        add(scans, owner, -1);
      }
    },
  };
};
