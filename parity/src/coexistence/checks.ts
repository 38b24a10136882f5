import type { Check } from '../part.js';
import type { Watched } from './watch.js';

/** Gathers what has been found; one line each, whatever the number of rounds. */
export type Checks = {
  /** It holds when no difference is given. */
  add(what: string, difference?: string): void;
  /** It holds when the list of what is wrong is empty. */
  none(what: string, wrong: readonly string[]): void;
  /** It holds when nothing was late; the slowest of all rounds is told. */
  inTime(what: string, limitMs: number, watched: Watched): void;
  list(): Check[];
};

type Kept = { differences: string[]; times: number; slowestMs?: number; limitMs?: number };

const SHOWN = 5;

export const createChecks = (): Checks => {
  const kept = new Map<string, Kept>();
  const keep = (what: string, difference: string | undefined, more: Partial<Kept> = {}) => {
    const before = kept.get(what) ?? { differences: [], times: 0 };
    kept.set(what, {
      ...before,
      ...more,
      times: before.times + 1,
      differences:
        difference === undefined ? before.differences : [...before.differences, difference],
    });
  };

  return {
    add: (what, difference) => keep(what, difference),
    none: (what, wrong) => {
      const rest = wrong.length > SHOWN ? ` and ${wrong.length - SHOWN} more` : '';
      keep(what, wrong.length > 0 ? `${wrong.slice(0, SHOWN).join('; ')}${rest}` : undefined);
    },
    inTime: (what, limitMs, { slowestMs, late }) => {
      const slowest = Math.max(kept.get(what)?.slowestMs ?? 0, slowestMs);
      const difference = late.length > 0 ? late.slice(0, SHOWN).join('; ') : undefined;
      keep(what, difference, { slowestMs: slowest, limitMs });
    },
    list: () =>
      [...kept].map(([what, { differences, times, slowestMs, limitMs }]) => {
        const figures = [
          `${times} times`,
          ...(slowestMs === undefined ? [] : [`slowest ${slowestMs} ms of ${limitMs} allowed`]),
        ];
        const [first] = differences;
        return {
          what: `${what} (${figures.join(', ')})`,
          ...(first !== undefined && {
            difference: `${differences.length} of ${times}: ${first}`,
          }),
        };
      }),
  };
};
