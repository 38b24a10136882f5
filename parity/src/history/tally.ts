import { isDeepStrictEqual } from 'node:util';
import type { Check } from '../part.js';

const SHOWN = 5;
/** Below this share, a comparison would prove little. */
const MIN_KNOWN = 0.7;

const show = (value: unknown): string => (JSON.stringify(value) ?? 'undefined').slice(0, 400);

/** Counts compared fields of one kind; unknown ones are never wrong. */
export type Tally = {
  equal(where: string, expected: unknown, actual: unknown): void;
  unknown(): void;
  toCheck(): Check;
};

export const createTally = (what: string): Tally => {
  const wrong: string[] = [];
  let known = 0;
  let unknown = 0;
  return {
    equal: (where, expected, actual) => {
      known += 1;
      if (isDeepStrictEqual(expected, actual)) return;
      wrong.push(`${where}: upstream has ${show(expected)}, the gateway ${show(actual)}`);
    },
    unknown: () => {
      unknown += 1;
    },
    toCheck: () => {
      const figures = `${what} (${known} fields, ${unknown} unknown, ${wrong.length} wrong)`;
      if (wrong.length > 0)
        return { what: figures, difference: wrong.slice(0, SHOWN).join('\n    ') };
      return known / Math.max(1, known + unknown) < MIN_KNOWN
        ? { what: figures, difference: 'too few fields are known to compare anything' }
        : { what: figures };
    },
  };
};
