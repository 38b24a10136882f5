import { performance } from 'node:perf_hooks';
import { createFairQueue } from '../domain/work.js';

/** Per turn of the event loop. */
const TURN_MS = 2;
/** How long requests wait for connections to be accepted. */
const MAX_ACCEPTING_MS = 20;

let accepted = 0;

/**
 * To be called for each new connection. A turn of the event loop accepts only one, so connections would wait long if
 * requests started in every turn.
 */
export const noteAccepted = (): void => {
  accepted += 1;
};

/**
 * Starts requests at once, or in later turns of the event loop: when many are ready together, such as when they have
 * waited for the same credentials, and while many connections wait to be accepted. Owners take turns. Null: the request
 * can start at once.
 */
export const createStartTurns = (): ((owner: string) => Promise<void> | null) => {
  const queue = createFairQueue<() => void>();
  let startedAt = 0;
  let isRunning = false;
  let seen = accepted;

  const begin = (): void => {
    isRunning = true;
    setImmediate(runTurn);
  };
  const isAccepting = (): boolean => {
    const isMore = accepted !== seen;
    seen = accepted;
    return isMore && performance.now() - startedAt < MAX_ACCEPTING_MS;
  };
  const runTurn = async (): Promise<void> => {
    isRunning = false;
    if (queue.length === 0) return;
    begin();
    if (isAccepting()) return;
    startedAt = performance.now();
    do {
      queue.next()?.item();
      // The request runs while this waits.
      await null;
    } while (queue.length > 0 && performance.now() - startedAt < TURN_MS);
  };
  return (owner) => {
    const canStart = !isRunning && accepted === seen;
    if (!isRunning) {
      begin();
      startedAt = performance.now();
    }
    seen = accepted;
    return canStart ? null : new Promise((resolve) => queue.add(owner, resolve));
  };
};
