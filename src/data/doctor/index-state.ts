import type { IndexCatalogue, IndexRow, TableRow } from './index-catalogue.js';
import { indexBytes } from './index-size.js';
import {
  createStatement,
  type RecommendedIndex,
  readRecommendedIndexes,
} from './recommended-indexes.js';

/**
 * `present` under our name, `equivalent` under another; `invalid` is what an interrupted build leaves behind, `conflict`
 * something else under our name; `inapplicable` where the table or a column of it is not there.
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
  /** The index that does the work, under whatever name. */
  servedBy: string | null;
  speedsUp: string;
  /** What to run when it is not there. */
  statement: string;
  /** Size of one that is there, likely size of one that is not. */
  bytes: number | null;
  /** Who owns the table; nobody else may make indexes on it. */
  owner: string | null;
  mayCreate: boolean;
};

export type WantedIndex = {
  index: Pick<FoundIndex, 'name' | 'table' | 'columns' | 'speedsUp'>;
  statement: string;
  serves: (row: IndexRow) => boolean;
  /** Whether an index under our name is an unfinished one of ours. */
  isLeftover: (row: IndexRow) => boolean;
  estimate: (table: TableRow) => number;
};

/** How it stands with one index. */
export const judgeIndex = (
  { indexes, tables }: IndexCatalogue,
  { index, statement, serves, isLeftover, estimate }: WantedIndex,
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

/** Whether a plan or a build has something left to do about it. */
export const isWanting = ({ state }: FoundIndex): boolean =>
  state === 'missing' || state === 'invalid' || state === 'conflict';

const wanted = (schema: string, { keys, ...index }: RecommendedIndex): WantedIndex => ({
  index,
  statement: createStatement(schema, { ...index, keys }),
  // Read backward an index gives the same rows, so behind keys that are compared for equality directions do not matter.
  serves: (row) =>
    row.table === index.table &&
    row.isPlain &&
    row.isValid &&
    index.columns.every((column, place) => row.keys[place] === column),
  isLeftover: (row) =>
    !row.isValid && row.table === index.table && row.keys.join() === index.columns.join(),
  estimate: (table) => indexBytes(table, index.columns),
});

/** Which of our indexes are there, and what the others would take. */
export const judgeIndexes = (catalogue: IndexCatalogue, schema: string): FoundIndex[] =>
  readRecommendedIndexes().map((index) => judgeIndex(catalogue, wanted(schema, index)));
