import type { Check } from '../part.js';
import type { Watched } from './watch.js';

/** Collects check results: one line per check, for all rounds together. */
export type Checks = {
  /** Passes if there is no difference. */
  add(what: string, difference?: string): void;
  /** Passes if the list of errors is empty. */
  none(what: string, wrong: readonly string[]): void;
  /** Passes if nothing was late; reports the slowest of all rounds. */
  inTime(what: string, limitMs: number, watched: Watched): void;
  list(): Check[];
};

type CheckState = { differences: string[]; times: number; slowestMs?: number; limitMs?: number };

const SHOWN = 5;

export const createChecks = (): Checks => {
  const states = new Map<string, CheckState>();
  const record = (what: string, difference: string | undefined, more: Partial<CheckState> = {}) => {
    const before = states.get(what) ?? { differences: [], times: 0 };
    states.set(what, {
      ...before,
      ...more,
      times: before.times + 1,
      differences:
        difference === undefined ? before.differences : [...before.differences, difference],
    });
  };

  return {
    add: (what, difference) => record(what, difference),
    none: (what, wrong) => {
      const rest = wrong.length > SHOWN ? ` and ${wrong.length - SHOWN} more` : '';
      record(what, wrong.length > 0 ? `${wrong.slice(0, SHOWN).join('; ')}${rest}` : undefined);
    },
    inTime: (what, limitMs, { slowestMs, late }) => {
      const slowest = Math.max(states.get(what)?.slowestMs ?? 0, slowestMs);
      const difference = late.length > 0 ? late.slice(0, SHOWN).join('; ') : undefined;
      record(what, difference, { slowestMs: slowest, limitMs });
    },
    list: () =>
      [...states].map(([what, { differences, times, slowestMs, limitMs }]) => {
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
