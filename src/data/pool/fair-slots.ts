import { createDecayingTimes } from '../work/decaying-times.js';
import { createFairQueue } from '../work/fair-queue.js';
import { createPresence } from '../work/presence.js';
import { type Waiter, waitInQueue } from '../work/wait-in-queue.js';
import { CancelledError, currentWork } from '../work/work.js';
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
/** While others are present, an owner that recently used connections for longer than this, and than all others, gets one. */
const HEAVY_MS = 2_000;
const ALL_OWNERS = 'all';
const HALF_LIFE_MS = 5_000;
const MAX_OWNERS = 1_000;

/** What shares a limit: the small operations of an owner, or its large ones. */
type Line = { owner: string; isLarge: boolean };

const keyOf = ({ owner, isLarge }: Line): string => `${isLarge ? 'large' : 'small'} ${owner}`;

/**
 * As many slots as the pool has connections. Callers take turns, and one caller gets at most half of the slots, or one
 * slot if its statements take long: however many it sends, it neither delays others nor occupies the database. Large
 * operations of a caller get one slot while others are present: their lists would occupy all cores of the database.
 */
export const createFairSlots = ({ size, waitMs }: Options): FairSlots => {
  const maxPerOwner = Math.ceil(size / 2);
  const queue = createFairQueue<Waiter<() => void> & { line: Line }>();
  /** By line, and by owner. */
  const taken = new Map<string, number>();
  /** How long each owner recently used connections. */
  const usage = createDecayingTimes({ halfLifeMs: HALF_LIFE_MS, maxKeys: MAX_OWNERS });
  const presence = createPresence();
  let free = size;

  /** A slow database makes all callers use connections for longer. */
  const isHeavy = (owner: string): boolean => {
    const used = usage.read(owner);
    return used > HEAVY_MS && used > usage.read(ALL_OWNERS) / 2;
  };

  const mayRun = (line: Line): boolean => {
    const { owner, isLarge } = line;
    if (owner === NO_OWNER) return true;
    if (takenBy(owner) >= maxPerOwner) return false;
    if (takenBy(keyOf(line)) === 0) return true;
    return !((isLarge || isHeavy(owner)) && presence.hasOthers(owner));
  };

  const takenBy = (key: string): number => taken.get(key) ?? 0;

  const increment = (key: string): void => {
    taken.set(key, takenBy(key) + 1);
  };

  const decrement = (key: string): void => {
    const remaining = takenBy(key) - 1;
    if (remaining > 0) taken.set(key, remaining);
    else taken.delete(key);
  };

  const fill = (): void => {
    while (free > 0) {
      const next = queue.next((_key, { line }) => mayRun(line));
      if (!next) return;
      next.item.grant(begin(next.item.line));
    }
  };

  const begin = (line: Line): (() => void) => {
    const { owner } = line;
    const key = keyOf(line);
    const startedAt = performance.now();
    if (owner !== NO_OWNER) presence.enter(owner);
    free -= 1;
    increment(key);
    increment(owner);
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      const ms = performance.now() - startedAt;
      usage.add(owner, ms);
      usage.add(ALL_OWNERS, ms);
      free += 1;
      decrement(key);
      decrement(owner);
      fill();
    };
  };

  return {
    enter: async () => {
      const { owner = NO_OWNER, signal, slicer } = currentWork() ?? {};
      const line = { owner, isLarge: slicer !== undefined };
      const key = keyOf(line);
      if (signal?.aborted) throw new CancelledError();
      // Waiters that are at their own limit don't keep others from a free slot.
      if (free > 0 && mayRun(line)) return begin(line);
      if (queue.lengthOf(key) >= MAX_WAITING) throw new NoConnectionError(waitMs);
      return waitInQueue(
        queue,
        key,
        { line },
        { ms: waitMs, error: () => new NoConnectionError(waitMs) },
      );
    },
    waiting: () => queue.length,
  };
};
