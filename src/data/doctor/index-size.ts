export type TableFacts = {
  /** The server's estimate. Negative if the table was never analyzed. */
  rows: number;
  bytes: number;
  /** Average width of each column in bytes. Null if unknown. */
  widths: Readonly<Record<string, number | null>>;
};

const PAGE = 8_192;
const MIN_BYTES = 2 * PAGE;
// Header and pointer of an entry, and the fill factor of a new index.
const ENTRY = 12;
const FILLED = 0.9;
const UNKNOWN_WIDTH = 16;
const UNKNOWN_ROW = 300;
// Measured on payloads of a few hundred characters: trigrams take about as much space as the text itself.
const TRIGRAMS = 1;
const UNKNOWN_TEXT = 350;

const rowsOf = ({ rows, bytes }: TableFacts): number =>
  rows > 0 || bytes === 0 ? Math.max(rows, 0) : bytes / UNKNOWN_ROW;

const toPages = (bytes: number): number => Math.max(MIN_BYTES, Math.ceil(bytes / PAGE) * PAGE);

/** Estimated size of a B-tree over these columns. */
export const indexBytes = (table: TableFacts, columns: readonly string[]): number => {
  const width = columns
    .map((column) => table.widths[column] ?? UNKNOWN_WIDTH)
    .reduce((sum, one) => sum + one, 0);
  return toPages((rowsOf(table) * (ENTRY + Math.ceil(width / 8) * 8)) / FILLED);
};

/** Estimated size of a trigram index over the text of these columns. */
export const textIndexBytes = (table: TableFacts, columns: readonly string[]): number => {
  const width = columns
    .map((column) => table.widths[column] ?? UNKNOWN_TEXT)
    .reduce((sum, one) => sum + one, 0);
  return toPages(rowsOf(table) * width * TRIGRAMS);
};
