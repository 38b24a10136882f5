import { setImmediate } from 'node:timers/promises';
import { BadDataError } from '../../errors.js';

/** What one request may take to tell the past, however many of its fields ask for it. */
export type HistoryBudget = {
  /** How many events may still be read. */
  readonly left: number;
  /** Counts events that were read. */
  read: (events: number) => void;
  /** Counts events that are gone through, and lets others have their turn in between. */
  walk: (events: number) => Promise<void>;
  /** One work after the other, so that each is told what those before it have left. */
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

type Bounds = {
  field: string;
  /** What may be asked for several times of one feature, such as moments. */
  asked: string;
  read: number;
  walked: number;
};

/** So many events are gone through before anybody else gets a turn. */
const STRETCH = 10_000;

export const createHistoryBudget = ({ field, asked, read, walked }: Bounds): HistoryBudget => {
  let readSoFar = 0;
  let walkedSoFar = 0;
  let turn: Promise<unknown> = Promise.resolve();

  const assertWithin = (done: number, most: number, work: string) => {
    if (done <= most) return;
    throw BadDataError.of({
      message: `'${field}' would have to ${work} more than ${most} events for this request. Ask for fewer features at once, or for fewer ${asked}.`,
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
      const stretches = Math.floor(walkedSoFar / STRETCH);
      walkedSoFar += events;
      assertWithin(walkedSoFar, walked, 'go through');
      if (Math.floor(walkedSoFar / STRETCH) > stretches) await setImmediate();
    },
    inTurn: (work) => {
      const result = turn.then(work);
      turn = result.catch(() => undefined);
      return result;
    },
  };
};
