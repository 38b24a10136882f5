import { createHash } from 'node:crypto';

/** Chance that falls the same way every time. */
export type Random = {
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
};

/** The mulberry32 generator: small, quick, and good enough to spread events over days. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));

  return {
    int,
    pick: (items) => items[int(0, items.length - 1)] ?? items[0],
    shuffle: (items) =>
      items
        .map((item) => ({ item, rank: next() }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ item }) => item),
  };
};

/** A number that depends on the text alone, to seed the chance of one feature without touching the others. */
export const seedOf = (text: string): number =>
  createHash('sha256').update(text).digest().readUInt32BE();

/** An id shaped like a random UUID that depends on the text alone. */
export const uuidOf = (text: string): string => {
  const hex = createHash('sha256').update(text).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
  ];
  return [...parts, hex.slice(20, 32)].join('-');
};
