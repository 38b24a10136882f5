import { COUNT_UP_TO_COST, COUNTED_PER_POINT } from '../../domain/cost.js';
import { BadDataError } from '../../domain/errors.js';
import { builder } from '../builder.js';

const MAX_COUNT_UP_TO = 100_000;

type Count = { count: number; exceeded: boolean };

export const CountUpTo = builder.objectRef<Count>('CountUpTo').implement({
  description: 'Number of items, counted up to a limit.',
  fields: (t) => ({
    count: t.exposeInt('count', {
      description: 'Number of items, or `max` if there are more.',
    }),
    exceeded: t.exposeBoolean('exceeded', {
      description: 'Whether there are more than `max` items.',
    }),
  }),
});

/** A limit out of range is rejected later, for its own reason. */
export const countUpToCost = ({ max }: { max: number }): number =>
  COUNT_UP_TO_COST + Math.floor(Math.min(Math.max(max, 0), MAX_COUNT_UP_TO) / COUNTED_PER_POINT);

/** Counts one item beyond `max` to find out whether there are more. */
export const readCount = async (
  max: number,
  countUpTo: (upTo: number) => Promise<number>,
): Promise<Count> => {
  if (max < 1 || max > MAX_COUNT_UP_TO) {
    throw BadDataError.of({
      message: `'max' must be between 1 and ${MAX_COUNT_UP_TO} (got ${max}).`,
    });
  }
  const found = await countUpTo(max + 1);
  return { count: Math.min(found, max), exceeded: found > max };
};
