import type { IndexCatalogue, IndexRow, TableRow } from './index-catalogue.js';
import { indexBytes } from './index-size.js';
import {
  createStatement,
  type RecommendedIndex,
  readRecommendedIndexes,
} from './recommended-indexes.js';

/**
 * `present` under our name, `equivalent` under another; `invalid` was left by an interrupted build, `conflict` is
 * something else under our name; `inapplicable` if the table or one of its columns is missing.
 */
export type IndexState =
  | 'present'
  | 'equivalent'
  | 'missing'
  | 'invalid'
  | 'conflict'
  | 'inapplicable';

export type FoundIndex = {
  name: string;
  table: string;
  columns: readonly string[];
  state: IndexState;
  /** The index that serves the queries, under any name. */
  servedBy: string | null;
  speedsUp: string;
  /** The statement that creates it if missing. */
  statement: string;
  /** Actual size, or the estimated size if missing. */
  bytes: number | null;
  /** Owner of the table; no other role may create indexes on it. */
  owner: string | null;
  mayCreate: boolean;
};

export type ExpectedIndex = {
  index: Pick<FoundIndex, 'name' | 'table' | 'columns' | 'speedsUp'>;
  statement: string;
  serves: (row: IndexRow) => boolean;
  /** Whether an index under our name is our own unfinished one. */
  isLeftover: (row: IndexRow) => boolean;
  estimate: (table: TableRow) => number;
};

export const inspectIndex = (
  { indexes, tables }: IndexCatalogue,
  { index, statement, serves, isLeftover, estimate }: ExpectedIndex,
): FoundIndex => {
  const table = tables.get(index.table);
  const named = indexes.find((row) => row.name === index.name);
  const servedBy = [...(named ? [named] : []), ...indexes].find(serves);

  const state = (): IndexState => {
    if (servedBy) return servedBy === named ? 'present' : 'equivalent';
    if (named) return isLeftover(named) ? 'invalid' : 'conflict';
    return table && index.columns.every((column) => column in table.widths)
      ? 'missing'
      : 'inapplicable';
  };
  return {
    ...index,
    state: state(),
    servedBy: servedBy?.name ?? null,
    statement,
    bytes: servedBy?.bytes ?? (table ? estimate(table) : null),
    owner: table?.owner ?? null,
    mayCreate: table?.mayCreate ?? false,
  };
};

/** Whether a plan or a build still has work to do for it. */
export const needsAction = ({ state }: FoundIndex): boolean =>
  state === 'missing' || state === 'invalid' || state === 'conflict';

const expectedIndex = (schema: string, { keys, ...index }: RecommendedIndex): ExpectedIndex => ({
  index,
  statement: createStatement(schema, { ...index, keys }),
  // Indexes can be scanned backward, so after keys compared for equality the sort direction does not matter.
  serves: (row) =>
    row.table === index.table &&
    row.isPlain &&
    row.isValid &&
    index.columns.every((column, position) => row.keys[position] === column),
  isLeftover: (row) =>
    !row.isValid && row.table === index.table && row.keys.join() === index.columns.join(),
  estimate: (table) => indexBytes(table, index.columns),
});

/** Which of our indexes exist, and the size of the others. */
export const inspectIndexes = (catalogue: IndexCatalogue, schema: string): FoundIndex[] =>
  readRecommendedIndexes().map((index) => inspectIndex(catalogue, expectedIndex(schema, index)));
