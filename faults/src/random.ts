export type Random = {
  /** From 0 up to 1 (exclusive). */
  next(): number;
  below(limit: number): number;
  pick<Value>(values: readonly Value[]): Value;
  text(length: number): string;
};

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** The same seed yields the same numbers (mulberry32). */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value,
    text: (length) => Array.from({ length }, () => LETTERS[below(LETTERS.length)]).join(''),
  };
};
