export type TableFacts = {
  /** As the server last measured; below zero when it never did. */
  rows: number;
  bytes: number;
  /** Column name to its average width in bytes; null where nobody knows. */
  widths: Readonly<Record<string, number | null>>;
};

const PAGE = 8_192;
const SMALLEST = 2 * PAGE;
// Header and pointer of an entry, and the part of a page that a fresh index fills.
const ENTRY = 12;
const FILLED = 0.9;
const UNKNOWN_WIDTH = 16;
const UNKNOWN_ROW = 300;
// Measured with payloads of some hundred characters: the trigrams take about as much room as the text itself.
const TRIGRAMS = 1;
const UNKNOWN_TEXT = 350;

const rowsOf = ({ rows, bytes }: TableFacts): number =>
  rows > 0 || bytes === 0 ? Math.max(rows, 0) : bytes / UNKNOWN_ROW;

const toPages = (bytes: number): number => Math.max(SMALLEST, Math.ceil(bytes / PAGE) * PAGE);

/** About how large a B-tree over these columns gets. */
export const indexBytes = (table: TableFacts, columns: readonly string[]): number => {
  const width = columns
    .map((column) => table.widths[column] ?? UNKNOWN_WIDTH)
    .reduce((sum, one) => sum + one, 0);
  return toPages((rowsOf(table) * (ENTRY + Math.ceil(width / 8) * 8)) / FILLED);
};

/** About how large a trigram index over the text of these columns gets. */
export const textIndexBytes = (table: TableFacts, columns: readonly string[]): number => {
  const width = columns
    .map((column) => table.widths[column] ?? UNKNOWN_TEXT)
    .reduce((sum, one) => sum + one, 0);
  return toPages(rowsOf(table) * width * TRIGRAMS);
};
