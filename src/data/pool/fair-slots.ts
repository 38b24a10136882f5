import { createDecayingTimes } from '../decaying-times.js';
import { createFairQueue } from '../fair-queue.js';
import { createPresence } from '../presence.js';
import { type Waiter, waitInQueue } from '../wait-in-queue.js';
import { CancelledError, currentWork } from '../work.js';
import { NoConnectionError } from './pool-errors.js';

export type FairSlots = {
  /**
   * Resolves with a release function when a connection may be taken. Rejects if the caller's work is aborted or on
   * timeout.
   */
  enter(): Promise<() => void>;
  waiting(): number;
};

type Options = {
  size: number;
  /** Maximum wait for a slot. */
  waitMs: number;
};

/** Callers of an owner with this many waiters are rejected at once. */
const MAX_WAITING = 2_000;
/** Work without a caller: credential lookups, and reads shared by all. */
const NO_OWNER = '';
/** While others are present, an owner that recently used connections for longer than this gets one at a time. */
const HEAVY_MS = 2_000;
const HALF_LIFE_MS = 5_000;
const MAX_OWNERS = 1_000;

/**
 * As many slots as the pool has connections. Callers take turns, and one caller gets at most half of the slots, or one
 * slot if its statements take long: however many it sends, it neither delays others nor occupies the database.
 */
export const createFairSlots = ({ size, waitMs }: Options): FairSlots => {
  const maxPerOwner = Math.ceil(size / 2);
  const queue = createFairQueue<Waiter<() => void>>();
  const taken = new Map<string, number>();
  /** How long each owner recently used connections. */
  const usage = createDecayingTimes({ halfLifeMs: HALF_LIFE_MS, maxKeys: MAX_OWNERS });
  const presence = createPresence();
  let free = size;

  const mayRun = (owner: string): boolean => {
    const own = taken.get(owner) ?? 0;
    if (owner === NO_OWNER || own === 0) return true;
    return own < maxPerOwner && !(usage.read(owner) > HEAVY_MS && presence.hasOthers(owner));
  };

  const fill = (): void => {
    while (free > 0) {
      const next = queue.next(mayRun);
      if (!next) return;
      next.item.grant(begin(next.owner));
    }
  };

  const begin = (owner: string): (() => void) => {
    const startedAt = performance.now();
    if (owner !== NO_OWNER) presence.enter(owner);
    free -= 1;
    taken.set(owner, (taken.get(owner) ?? 0) + 1);
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      usage.add(owner, performance.now() - startedAt);
      free += 1;
      const remaining = (taken.get(owner) ?? 1) - 1;
      if (remaining > 0) taken.set(owner, remaining);
      else taken.delete(owner);
      fill();
    };
  };

  return {
    enter: async () => {
      const { owner = NO_OWNER, signal } = currentWork() ?? {};
      if (signal?.aborted) throw new CancelledError();
      // Waiters that are at their own limit don't keep others from a free slot.
      if (free > 0 && mayRun(owner)) return begin(owner);
      if (queue.lengthOf(owner) >= MAX_WAITING) throw new NoConnectionError(waitMs);
      return waitInQueue(
        queue,
        owner,
        {},
        { ms: waitMs, error: () => new NoConnectionError(waitMs) },
      );
    },
    waiting: () => queue.length,
  };
};
