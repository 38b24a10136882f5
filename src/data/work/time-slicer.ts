import { AsyncResource } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { currentWork } from './work.js';

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

type Options = {
  /** Whether no other client would benefit from a rest. Default: false. */
  isAlone?: (() => boolean) | undefined;
  /** Called with the duration of each slice. */
  onSlice?: ((ms: number) => void) | undefined;
};

type Lane = {
  onSlice?: ((ms: number) => void) | undefined;
  /** How long its slices took in total. */
  usedMs: number;
  /** Whether no other client would benefit from a rest. */
  isAlone(): boolean;
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
  maxRestMs: number;
};

const FAST: Pace = { sliceMs: 3, idleMs: 2, maxRestMs: 10 };
/** For an operation that has run for longer than this: other requests need several turns of the event loop each. */
const SLOW_AFTER_MS = 30;
const SLOW: Pace = { sliceMs: 1, idleMs: 4, maxRestMs: 30 };
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
  const ms = performance.now() - startedAt;
  lane.usedMs += ms;
  lane.onSlice?.(ms);
};

/** A request needs several turns of the event loop, and should not wait for a slice at each of them. */
const rest = ({ idleMs, maxRestMs }: Pace): void => {
  const startedAt = performance.now();
  const loop = performance.eventLoopUtilization();
  const check = (): void => {
    const { idle } = performance.eventLoopUtilization(loop);
    if (idle >= idleMs || performance.now() - startedAt >= maxRestMs) void runNext();
    else setTimeout(check, 1);
  };
  setTimeout(check, 1);
};

const runOrRest = (): void => {
  const [lane] = lanes;
  if (performance.now() - endedAt > BUSY_MS && !lane?.isAlone()) rest(paceOf(lane));
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
  // After all promise callbacks of the slice.
  process.nextTick(() => {
    endedAt = performance.now();
  });
  if (lanes.size > 0) setImmediate(runOrRest);
  else isRunning = false;
};

const enter = (lane: Lane): void => {
  lanes.add(lane);
  if (isRunning) return;
  isRunning = true;
  setImmediate(runNext);
};

const NEVER = new AbortController().signal;

/** Resolves when a long computation may continue. To be awaited every few milliseconds. */
export const yieldToEventLoop = (): Promise<void> => {
  const slicer = currentWork()?.slicer ?? createTimeSlicer(NEVER);
  return slicer.turn(undefined);
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

export const createTimeSlicer = (
  signal: AbortSignal,
  { isAlone = () => false, onSlice }: Options = {},
): TimeSlicer => {
  let waiting: (() => void)[] = [];
  let next = 0;
  const settling: (() => void)[] = [];

  const lane: Lane = {
    isAlone,
    usedMs: 0,
    onSlice,
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
