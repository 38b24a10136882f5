import { performance } from 'node:perf_hooks';

type Step = () => void;

/** Per turn of the event loop. */
const TURN_MS = 2;

/**
 * Runs steps at once, or in later turns of the event loop if many come together, such as when thousands of connections
 * close at the same time. Steps run in order. They must not throw.
 */
export const createTurns = (): ((step: Step) => void) => {
  let waiting: Step[] = [];
  let spentMs = 0;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(runTurn);
  };
  const runTimed = (step: Step): void => {
    const startedAt = performance.now();
    step();
    spentMs += performance.now() - startedAt;
    schedule();
  };
  const runTurn = (): void => {
    isScheduled = false;
    spentMs = 0;
    const steps = waiting;
    waiting = [];
    let next = 0;
    for (; next < steps.length && spentMs < TURN_MS; next += 1) runTimed(steps[next] as Step);
    waiting = [...steps.slice(next), ...waiting];
    if (waiting.length > 0) schedule();
  };
  return (step) => {
    if (waiting.length === 0 && spentMs < TURN_MS) return runTimed(step);
    waiting.push(step);
    schedule();
  };
};
