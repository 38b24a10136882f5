import { createRandom } from '../../faults/src/random.js';

/** Draws the values of questions. The same seed yields the same values. */
export type Draw = {
  /** An integer below `count`. Of many, a few are drawn often and most rarely (Zipf's law): 0 most often. */
  popular(count: number): number;
  /** An integer below `count`, all equally often. */
  any(count: number): number;
  pick<Value>(values: readonly Value[]): Value;
};

/** Share of all draws up to each rank. */
const cumulative = (count: number): Float64Array => {
  const shares = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank += 1) {
    sum += 1 / (rank + 1);
    shares[rank] = sum;
  }
  return shares.map((share) => share / sum);
};

const known = new Map<number, Float64Array>();

const sharesOf = (count: number): Float64Array => {
  const shares = known.get(count) ?? cumulative(count);
  known.set(count, shares);
  return shares;
};

/** The first rank whose share is above a number. */
const rankOf = (shares: Float64Array, drawn: number): number => {
  let [low, high] = [0, shares.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shares[middle] ?? 1) > drawn) high = middle;
    else low = middle + 1;
  }
  return low;
};

export const createDraw = (seed: number): Draw => {
  const random = createRandom(seed);
  return {
    popular: (count) => rankOf(sharesOf(count), random.next()),
    any: random.below,
    pick: random.pick,
  };
};
