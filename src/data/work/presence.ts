/** An owner is present for this time after its last work. */
const PRESENT_MS = 1_000;

/** Knows whether more than one owner uses something: a single one may use all of it. */
export const createPresence = () => {
  let latest = { owner: '', at: Number.NEGATIVE_INFINITY };
  let previous = latest;
  return {
    enter: (owner: string): void => {
      if (latest.owner !== owner) previous = latest;
      latest = { owner, at: performance.now() };
    },
    hasOthers: (owner: string): boolean => {
      const other = latest.owner === owner ? previous : latest;
      return performance.now() - other.at < PRESENT_MS;
    },
  };
};
