import type { Sql } from '../../data/db.js';
import { type IdRange, idsWithin } from '../../data/events/id-ranges.sql.js';
import { assertNotCancelled } from '../../data/work/work.js';
import type { Turn } from '../scan-limiter.js';

/** Target duration of a portion, so that other callers get their turn soon. */
const PORTION_MS = 150;
const FIRST_PORTION = 20_000;
const MIN_PORTION = 1_000;
const MAX_PORTION = 100_000;

const isEmpty = ({ first, last }: IdRange): boolean => first > last;

const nextSize = (size: number, ms: number): number => {
  const targetSize = Math.floor((size * PORTION_MS) / Math.max(1, ms));
  return Math.max(MIN_PORTION, Math.min(MAX_PORTION, size * 2, targetSize));
};

const splitRange = ({ first, last }: IdRange, size: number, newestFirst: boolean) => {
  if (newestFirst) {
    const middle = Math.max(first, last - size + 1);
    return { portion: { first: middle, last }, rest: { first, last: middle - 1 } };
  }
  const middle = Math.min(last, first + size - 1);
  return { portion: { first, last: middle }, rest: { first: middle + 1, last } };
};

type Walk = {
  turn: Turn;
  newestFirst?: boolean;
  /** Reads an ID range of events (alias `e`); false ends the walk. */
  read: (range: Sql) => Promise<boolean>;
};

/** Reads a range of the log in portions, each in its own turn; returns false if `read` ended it. */
export const walkLog = async (
  range: IdRange,
  { turn, newestFirst = false, read }: Walk,
): Promise<boolean> => {
  let remaining = range;
  let size = FIRST_PORTION;
  while (!isEmpty(remaining)) {
    assertNotCancelled();
    const { portion, rest } = splitRange(remaining, size, newestFirst);
    const { shouldContinue, ms } = await turn(async () => {
      const started = performance.now();
      const result = await read(idsWithin(portion));
      return { shouldContinue: result, ms: performance.now() - started };
    });
    if (!shouldContinue) return false;
    remaining = rest;
    size = nextSize(size, ms);
  }
  return true;
};
