import { createFairQueue, createPresence, type Waiter, waitInQueue } from '../domain/work.js';

/** Runs an operation when its cost fits next to the operations in flight. */
export type CostGate = <Result>(
  owner: string,
  points: number,
  run: () => Promise<Result>,
) => Promise<Result>;

/** Points of all operations in flight. A point takes about 700 bytes of heap; see graphql/bound-fields.ts for others. */
const MAX_POINTS = 200_000;
/** Cheaper operations never wait. */
const SMALL_POINTS = 400;
/** One owner runs one operation of this cost at a time. */
const LARGE_POINTS = 20_000;
/** Points of one owner's operations in flight while others are present. */
const MAX_SHARED_POINTS = 2_000;

export const isSmall = (points: number): boolean => points <= SMALL_POINTS;

type Queued = Waiter<void> & { points: number };

/**
 * Bounds the memory of executing operations, which is proportional to their cost. Owners take turns, and one owner takes
 * at most half: an expensive operation of one client doesn't hold up those of others.
 */
export const createCostGate = (maxPoints = MAX_POINTS): CostGate => {
  const maxPerOwner = maxPoints / 2;
  const queue = createFairQueue<Queued>();
  const taken = new Map<string, number>();
  const presence = createPresence();
  let free = maxPoints;

  // An operation above the owner's share still runs, alone.
  const mayRun = (owner: string, { points }: Queued): boolean => {
    const own = taken.get(owner) ?? 0;
    const max = presence.hasOthers(owner) ? Math.min(maxPerOwner, MAX_SHARED_POINTS) : maxPerOwner;
    return points <= free && (own === 0 || own + points <= max);
  };

  const fill = (): void => {
    for (let next = queue.next(mayRun); next; next = queue.next(mayRun)) {
      begin(next.owner, next.item.points);
      next.item.grant();
    }
  };

  const begin = (owner: string, points: number): void => {
    free -= points;
    taken.set(owner, (taken.get(owner) ?? 0) + points);
  };

  const end = (owner: string, points: number): void => {
    free += points;
    const remaining = (taken.get(owner) ?? points) - points;
    if (remaining > 0) taken.set(owner, remaining);
    else taken.delete(owner);
    fill();
  };

  return async (owner, points, run) => {
    presence.enter(owner);
    if (isSmall(points)) return run();
    const taking = points < LARGE_POINTS ? points : Math.max(points, maxPerOwner);
    const counted = Math.min(taking, maxPoints);
    const admission = waitInQueue<void, { points: number }>(queue, owner, { points: counted });
    fill();
    await admission;
    try {
      return await run();
    } finally {
      end(owner, counted);
    }
  };
};
