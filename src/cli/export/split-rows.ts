import type { FormatName } from '../../export/formats.js';

/** Whole rows of an export. */
export type Rows = {
  bytes: Buffer;
  /** Events among them. The header of a table is a row, but no event. */
  events: number;
  /** ID of the last event. Null without an event. */
  lastId: number | null;
};

const QUOTE = 0x22;
const LINE_FEED = 0x0a;

/** The first column, or the first field of an object, is the ID. */
const ROW_ID: Readonly<Record<FormatName, RegExp>> = {
  ndjson: /^\{"id":(\d+)/,
  csv: /^(\d+),/,
  'csv-raw': /^(\d+),/,
};
const ID_LENGTH = 20;

/** Splits arbitrarily chunked bytes into whole rows. In a table, quoted cells can contain line breaks. */
export const createRowSplitter = (format: FormatName) => {
  const hasQuotes = format !== 'ndjson';
  let rest = Buffer.alloc(0);
  let scanned = 0;
  let isQuoted = false;

  const idOf = (bytes: Buffer, start: number): number | null => {
    const text = bytes.toString('latin1', start, start + ID_LENGTH);
    const id = ROW_ID[format].exec(text)?.[1];
    return id === undefined ? null : Number(id);
  };

  return {
    /** The rows that are complete with this chunk. Null if there are none. */
    add: (chunk: Uint8Array): Rows | null => {
      const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
      let end = 0;
      let events = 0;
      let lastId: number | null = null;
      for (; scanned < bytes.length; scanned += 1) {
        const byte = bytes[scanned];
        if (hasQuotes && byte === QUOTE) isQuoted = !isQuoted;
        if (byte !== LINE_FEED || isQuoted) continue;
        const id = idOf(bytes, end);
        events += id === null ? 0 : 1;
        lastId = id ?? lastId;
        end = scanned + 1;
      }
      rest = bytes.subarray(end);
      scanned -= end;
      return end === 0 ? null : { bytes: bytes.subarray(0, end), events, lastId };
    },
    /** Whether the last row is incomplete. */
    hasRest: () => rest.length > 0,
  };
};
