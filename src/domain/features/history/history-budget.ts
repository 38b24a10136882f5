import { BadDataError } from '../../errors.js';
import { createPace } from '../../work.js';

/** Limits the history that one request can read, whatever the number of fields. */
export type HistoryBudget = {
  /** Number of events that may still be read. */
  readonly left: number;
  /** Counts events that were read. */
  read: (events: number) => void;
  /** Counts events that are replayed, and yields to the event loop in between. */
  walk: (events: number) => Promise<void>;
  /** Runs work sequentially, so that each sees what the previous ones have left. */
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

type Bounds = {
  field: string;
  /** What can be requested several times for one feature, such as timestamps. */
  requested: string;
  read: number;
  walked: number;
};

export const createHistoryBudget = ({ field, requested, read, walked }: Bounds): HistoryBudget => {
  let readSoFar = 0;
  let walkedSoFar = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const pace = createPace();

  const assertWithin = (done: number, max: number, work: string) => {
    if (done <= max) return;
    throw BadDataError.of({
      message: `'${field}' would ${work} more than ${max} events for this request. Request fewer features or fewer ${requested}.`,
    });
  };

  return {
    get left() {
      return read - readSoFar;
    },
    read: (events) => {
      readSoFar += events;
      assertWithin(readSoFar, read, 'read');
    },
    walk: async (events) => {
      walkedSoFar += events;
      assertWithin(walkedSoFar, walked, 'replay');
      await pace();
    },
    inTurn: (work) => {
      const result = turn.then(work);
      turn = result.catch(() => undefined);
      return result;
    },
  };
};
