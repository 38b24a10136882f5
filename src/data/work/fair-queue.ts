/** A queue that is fair across owners: they take turns, however many items each of them has queued. */
export type FairQueue<Item> = {
  readonly length: number;
  lengthOf(owner: string): number;
  add(owner: string, item: Item): void;
  /** No-op if the item is no longer queued. */
  remove(owner: string, item: Item): void;
  /** Removes the oldest item of the next owner. Owners that `mayRun` rejects keep their position. */
  next(mayRun?: (owner: string, item: Item) => boolean): { owner: string; item: Item } | null;
  /** Removes and returns all items. */
  clear(): Item[];
};

export const createFairQueue = <Item>(): FairQueue<Item> => {
  // Iteration order is turn order.
  const owners = new Map<string, Set<Item>>();
  let length = 0;

  const takeOut = (owner: string, item: Item): void => {
    const items = owners.get(owner);
    if (!items?.delete(item)) return;
    length -= 1;
    if (items.size === 0) owners.delete(owner);
  };

  return {
    get length() {
      return length;
    },
    lengthOf: (owner) => owners.get(owner)?.size ?? 0,
    add: (owner, item) => {
      const items = owners.get(owner) ?? new Set();
      items.add(item);
      owners.set(owner, items);
      length += 1;
    },
    remove: takeOut,
    next: (mayRun = () => true) => {
      for (const [owner, items] of owners) {
        const [item] = items as Set<Item> & [Item];
        if (!mayRun(owner, item)) continue;
        takeOut(owner, item);
        // Moves the owner to the end.
        if (owners.delete(owner)) owners.set(owner, items);
        return { owner, item };
      }
      return null;
    },
    clear: () => {
      const all = [...owners.values()].flatMap((items) => [...items]);
      owners.clear();
      length = 0;
      return all;
    },
  };
};
