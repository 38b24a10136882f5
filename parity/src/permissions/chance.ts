import { createRandom, type Random } from '../../../src/demo/random.js';

/** Seeded randomness with helpers for building worlds. */
export type Chance = Random & {
  /** True with this probability in percent. */
  percent(share: number): boolean;
  /** A random number of distinct items, fewer if there are not enough. */
  some<Item>(items: readonly Item[], min: number, max: number): Item[];
  /** One of several, by weight. */
  weighted<Item>(items: readonly (readonly [weight: number, item: Item])[]): Item;
};

export const createChance = (seed: number): Chance => {
  const random = createRandom(seed);
  return {
    ...random,
    percent: (share) => random.int(1, 100) <= share,
    some: (items, min, max) => random.shuffle(items).slice(0, random.int(min, max)),
    weighted: (items) => {
      const total = items.reduce((sum, [weight]) => sum + weight, 0);
      let remaining = random.int(1, total);
      for (const [weight, item] of items) {
        remaining -= weight;
        if (remaining <= 0) return item;
      }
      throw new Error('no items to choose from');
    },
  };
};
