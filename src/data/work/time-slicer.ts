import { AsyncResource } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { currentWork, type Work } from './work.js';

/** Lets a large operation run in slices, with other work of the event loop in between. */
export type TimeSlicer = {
  /**
   * Resolves with the value when the operation may continue with it. Rejects if its work was aborted, with what
   * `toFailure` makes of the reason.
   */
  turn<Value>(value: Value, toFailure?: (reason: unknown) => unknown): Promise<Value>;
  /** Runs something once no continuation waits for its turn, so that a batch contains the keys of all slices. */
  whenSettled(run: () => void): void;
  isSettled(): boolean;
};

/** The client for which an operation runs. */
export type Sender = {
  /** Whether no other client would benefit from a pause. */
  isAlone(): boolean;
  /** Called with the duration of each slice. */
  recordTime(ms: number): void;
};

type Lane = {
  sender: Sender | undefined;
  /** How long its slices took in total. */
  usedMs: number;
  isEmpty(): boolean;
  /** Starts the oldest continuation. */
  proceed(): void;
  settle(): void;
};

/** How an operation proceeds. */
type Pace = {
  sliceMs: number;
  /** After a slice, it waits until the event loop was idle for this long, */
  idleMs: number;
  /** or for this time. */
  maxPauseMs: number;
};

const FAST: Pace = { sliceMs: 3, idleMs: 2, maxPauseMs: 10 };
/** For an operation that has run for longer than this: other requests need several turns of the event loop each. */
const SLOW_AFTER_MS = 30;
const SLOW: Pace = { sliceMs: 1, idleMs: 4, maxPauseMs: 30 };
/** Operations only wait if other work of the event loop took longer than this between two slices. */
const BUSY_MS = 0.3;

/** Operations take turns. Iteration order is turn order. */
const lanes = new Set<Lane>();
let isRunning = false;
/** When the last slice ended. */
let endedAt = Number.NEGATIVE_INFINITY;

const paceOf = (lane: Lane | undefined): Pace =>
  lane && lane.usedMs > SLOW_AFTER_MS ? SLOW : FAST;

/** Continuations are promise callbacks, which run while this waits. */
const runSlice = async (lane: Lane): Promise<void> => {
  const startedAt = performance.now();
  const end = startedAt + paceOf(lane).sliceMs;
  do {
    lane.proceed();
    await null;
  } while (!lane.isEmpty() && performance.now() < end);
  // After all promise callbacks of the slice.
  process.nextTick(() => {
    endedAt = performance.now();
    lane.usedMs += endedAt - startedAt;
    lane.sender?.recordTime(endedAt - startedAt);
  });
};

/** A request needs several turns of the event loop, and should not wait for a slice at each of them. */
const pause = ({ idleMs, maxPauseMs }: Pace): void => {
  const startedAt = performance.now();
  const loop = performance.eventLoopUtilization();
  const check = (): void => {
    const { idle } = performance.eventLoopUtilization(loop);
    if (idle >= idleMs || performance.now() - startedAt >= maxPauseMs) void runNext();
    else setTimeout(check, 1);
  };
  setTimeout(check, 1);
};

const runOrPause = (): void => {
  const [lane] = lanes;
  if (performance.now() - endedAt > BUSY_MS && !lane?.sender?.isAlone()) pause(paceOf(lane));
  else void runNext();
};

const runNext = async (): Promise<void> => {
  const [lane] = lanes;
  if (lane) {
    lanes.delete(lane);
    await runSlice(lane);
    if (!lane.isEmpty()) lanes.add(lane);
    else {
      lanes.delete(lane);
      lane.settle();
    }
  }
  if (lanes.size > 0) setImmediate(runOrPause);
  else isRunning = false;
};

const enter = (lane: Lane): void => {
  lanes.add(lane);
  if (isRunning) return;
  isRunning = true;
  setImmediate(runNext);
};

const NEVER = new AbortController().signal;

/** The sender of a unit of work is set later than its first pauses, such as those while its body is parsed. */
const pausesOf = (work: Work): TimeSlicer => {
  work.pauses ??= createTimeSlicer(NEVER, {
    isAlone: () => work.sender?.isAlone() ?? false,
    recordTime: (ms) => work.sender?.recordTime(ms),
  });
  return work.pauses;
};

/** Resolves when a long computation may continue. To be awaited every few milliseconds. */
export const yieldToEventLoop = (): Promise<void> => {
  const work = currentWork();
  const slicer = work ? (work.slicer ?? pausesOf(work)) : createTimeSlicer(NEVER);
  return slicer.turn(undefined);
};

/** In a large operation, resolves when a computation of a millisecond or more may start. In others, that is at once. */
export const takeTurn = async (): Promise<void> => {
  await currentWork()?.slicer?.turn(undefined);
};

/** Yields to the event loop if a computation has run for a slice since it last did. */
export const createPace = (): (() => Promise<void>) => {
  let end = performance.now() + FAST.sliceMs;
  return async () => {
    if (performance.now() < end) return;
    await yieldToEventLoop();
    end = performance.now() + FAST.sliceMs;
  };
};

/**
 * Calls `visit` for each item, with other work of the event loop in between: at the earliest after `atOnce` items, so
 * that short lists are visited without a pause.
 */
export const visitInSlices = async <Item>(
  items: Iterable<Item>,
  visit: (item: Item) => void,
  atOnce = 1,
): Promise<void> => {
  let end = performance.now() + FAST.sliceMs;
  let visited = 0;
  for (const item of items) {
    visit(item);
    visited += 1;
    if (visited % atOnce !== 0 || performance.now() < end) continue;
    await yieldToEventLoop();
    end = performance.now() + FAST.sliceMs;
  }
};

/** The results of `map` for each item, computed as `visitInSlices` does. */
export const mapInSlices = async <Item, Result>(
  items: Iterable<Item>,
  map: (item: Item) => Result,
  atOnce?: number,
): Promise<Result[]> => {
  const results: Result[] = [];
  await visitInSlices(items, (item) => results.push(map(item)), atOnce);
  return results;
};

/** Sorted at once: takes a millisecond. */
const SORTED_AT_ONCE = 1_000;

type Compare<Item> = (one: Item, other: Item) => number;

/** A sorted copy, with other work of the event loop in between. Equal items keep their order. */
export const sortInSlices = async <Item>(
  items: readonly Item[],
  compare: Compare<Item>,
  pace: () => Promise<void> = createPace(),
): Promise<Item[]> => {
  if (items.length <= SORTED_AT_ONCE) return items.toSorted(compare);
  const middle = Math.ceil(items.length / 2);
  const one = await sortInSlices(items.slice(0, middle), compare, pace);
  const other = await sortInSlices(items.slice(middle), compare, pace);
  await pace();
  const merged: Item[] = [];
  let next = 0;
  for (const item of one) {
    for (; next < other.length; next += 1) {
      const added = other[next] as Item;
      if (compare(item, added) <= 0) break;
      merged.push(added);
    }
    merged.push(item);
    if (merged.length % SORTED_AT_ONCE === 0) await pace();
  }
  for (; next < other.length; next += 1) merged.push(other[next] as Item);
  return merged;
};

export const createTimeSlicer = (signal: AbortSignal, sender?: Sender): TimeSlicer => {
  let waiting: (() => void)[] = [];
  let next = 0;
  const settling: (() => void)[] = [];

  const lane: Lane = {
    sender,
    usedMs: 0,
    isEmpty: () => next === waiting.length,
    proceed: () => {
      waiting[next]?.();
      next += 1;
      if (next < waiting.length) return;
      waiting = [];
      next = 0;
    },
    settle: () => {
      for (const run of settling.splice(0)) run();
    },
  };
  return {
    turn: (value, toFailure = (reason) => reason) =>
      new Promise((resolve, reject) => {
        if (lane.isEmpty()) enter(lane);
        waiting.push(() => (signal.aborted ? reject(toFailure(signal.reason)) : resolve(value)));
      }),
    isSettled: lane.isEmpty,
    whenSettled: (run) => {
      // Runs in the asynchronous context of this caller, not in that of the continuation that settles.
      if (lane.isEmpty()) run();
      else settling.push(AsyncResource.bind(run));
    },
  };
};
