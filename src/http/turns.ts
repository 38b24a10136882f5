import { performance } from 'node:perf_hooks';
import { createFairQueue } from '../domain/work.js';

export type Step = () => void;
/** Steps of the first lane run before those of the second. In a lane, owners take turns. */
type Lane = 'first' | 'second';

export type Turns = {
  /** Whether a step could run at once: this turn has time left, and no step waits that would come first. */
  hasTime(lane?: Lane): boolean;
  /** Runs a step and counts its time. */
  runNow(step: Step): void;
  /** Runs a step in a later turn. It must not throw. */
  runLater(owner: string, step: Step, lane?: Lane): void;
};

/** Steps of many requests or connections, of which each turn of the event loop runs as many as fit into a time. */
export const createTurns = (turnMs: number): Turns => {
  const waiting = { first: createFairQueue<Step>(), second: createFairQueue<Step>() };
  let spentMs = 0;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(runTurn);
  };
  const runNow = (step: Step): void => {
    const startedAt = performance.now();
    try {
      step();
    } finally {
      spentMs += performance.now() - startedAt;
      schedule();
    }
  };
  /** Steps that are added meanwhile run in the next turn. */
  const runWhileTime = async (lane: Lane, maxSteps: number): Promise<void> => {
    const steps = waiting[lane];
    for (let left = Math.min(steps.length, maxSteps); left > 0 && spentMs < turnMs; left -= 1) {
      const next = steps.next();
      if (next) runNow(next.item);
      const startedAt = performance.now();
      // Whatever waited for the step runs meanwhile, and counts, too.
      await null;
      spentMs += performance.now() - startedAt;
    }
  };
  const runTurn = async (): Promise<void> => {
    isScheduled = false;
    spentMs = 0;
    // One of the second lane in any case: the first may never be empty.
    await runWhileTime('second', 1);
    await runWhileTime('first', Number.POSITIVE_INFINITY);
    await runWhileTime('second', Number.POSITIVE_INFINITY);
    if (waiting.first.length + waiting.second.length > 0) schedule();
  };
  return {
    hasTime: (lane = 'first') =>
      spentMs < turnMs &&
      waiting.first.length === 0 &&
      (lane === 'first' || waiting.second.length === 0),
    runNow,
    runLater: (owner, step, lane = 'first') => {
      waiting[lane].add(owner, step);
      schedule();
    },
  };
};

/** Runs each step at once, or in a later turn if many come together. Steps run in order and must not throw. */
export const inTurns = (turnMs: number): ((step: Step) => void) => {
  const turns = createTurns(turnMs);
  return (step) => (turns.hasTime() ? turns.runNow(step) : turns.runLater('', step));
};
