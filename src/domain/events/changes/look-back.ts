import type { Span } from '../../../data/events/previous-states.sql.js';

/** IDs searched before each event, and in total; the range per event shrinks if events are far apart. */
const LOOK_BACK = 100_000;
const MAX_IDS = 200_000;
/** Always searched, because most objects changed recently. */
const MIN_LOOK_BACK = 200;

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
 * Disjoint ranges of the log to search for the states before these events. No index covers the events about one
 * object of a project or of the instance, so each range is read completely.
 */
export const spansBefore = (eventIds: readonly number[]): Span[] => {
  const ids = eventIds.toSorted((a, b) => a - b);
  let lookBack = LOOK_BACK;
  let spans = spansOf(ids, lookBack);
  while (sizeOf(spans) > MAX_IDS && lookBack > MIN_LOOK_BACK) {
    lookBack = Math.floor(lookBack / 2);
    spans = spansOf(ids, lookBack);
  }
  return spans;
};
