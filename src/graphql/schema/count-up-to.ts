import { BadDataError } from '../../domain/errors.js';
import { builder } from '../builder.js';

const MOST = 100_000;

type Count = { count: number; exceeded: boolean };

export const CountUpTo = builder.objectRef<Count>('CountUpTo').implement({
  description: 'How many there are, as far as they were counted.',
  fields: (t) => ({
    count: t.exposeInt('count', {
      description: 'The number of items, or `max` if there are more.',
    }),
    exceeded: t.exposeBoolean('exceeded', { description: 'Whether there are more than `max`.' }),
  }),
});

/** Counts one item further than asked for, which tells whether there are more. */
export const readCount = async (
  max: number,
  countUpTo: (upTo: number) => Promise<number>,
): Promise<Count> => {
  if (max < 1 || max > MOST) {
    throw BadDataError.of({ message: `'max' must be from 1 to ${MOST}; ${max} is not.` });
  }
  const found = await countUpTo(max + 1);
  return { count: Math.min(found, max), exceeded: found > max };
};
