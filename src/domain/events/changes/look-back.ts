/** A part of the log, from one id to another. */
export type Span = { low: number; high: number };

/** How many ids before an event are looked at, and how many in all: where events lie far apart, fewer before each. */
const LOOK_BACK = 100_000;
const MOST_IDS = 200_000;
/** What is always looked at, since most things changed not long ago. */
const LEAST_LOOK_BACK = 200;

const spansOf = (ascendingIds: readonly number[], lookBack: number): Span[] => {
  const spans: Span[] = [];
  for (const id of ascendingIds) {
    const last = spans.at(-1);
    if (last && id - lookBack <= last.high) last.high = id;
    else spans.push({ low: id - lookBack, high: id });
  }
  return spans;
};

const sizeOf = (spans: readonly Span[]): number =>
  spans.reduce((size, { low, high }) => size + high - low, 0);

/**
 * The parts of the log that are looked at for the states before these events, none of them twice. No index leads to
 * the events about one thing of a project or of the installation, so that all of a part is read.
 */
export const spansBefore = (eventIds: readonly number[]): Span[] => {
  const ids = eventIds.toSorted((a, b) => a - b);
  let lookBack = LOOK_BACK;
  let spans = spansOf(ids, lookBack);
  while (sizeOf(spans) > MOST_IDS && lookBack > LEAST_LOOK_BACK) {
    lookBack = Math.floor(lookBack / 2);
    spans = spansOf(ids, lookBack);
  }
  return spans;
};
