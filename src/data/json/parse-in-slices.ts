import { yieldToEventLoop } from '../work/time-slicer.js';

/** Shorter texts are parsed at once. */
const SLICE_LENGTH = 131_072;
/** What `json_agg` writes between rows. Inside of a row it can occur only between the parts of a nested value. */
const BETWEEN_ROWS = ', \n ';

type Parse = (json: string) => unknown;

/** Null if the text ends inside of a row: its brackets don't match. */
const parsePart = (part: string, parse: Parse): unknown[] | null => {
  try {
    return parse(`[${part}]`) as unknown[];
  } catch {
    return null;
  }
};

/**
 * Parses a list that `json_agg` wrote, with other work of the event loop in between: a text of 20 MB takes a fifth of
 * a second.
 */
export const parseInSlices = async (json: string, parse: Parse): Promise<unknown[]> => {
  if (json.length <= SLICE_LENGTH) return parse(json) as unknown[];
  const rows: unknown[] = [];
  const end = json.lastIndexOf(']');
  let length = SLICE_LENGTH;
  for (let start = json.indexOf('[') + 1; start < end; ) {
    await yieldToEventLoop();
    const cut = json.indexOf(BETWEEN_ROWS, start + length);
    const isLast = cut === -1 || cut >= end;
    const part = parsePart(json.slice(start, isLast ? end : cut), parse);
    if (part) {
      for (const row of part) rows.push(row);
      start = isLast ? end : cut + BETWEEN_ROWS.length;
      length = SLICE_LENGTH;
    } else if (isLast) return parse(json) as unknown[];
    // Twice as much, so that the text is read at most a few times in all.
    else length *= 2;
  }
  return rows;
};
