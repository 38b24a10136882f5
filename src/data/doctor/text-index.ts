import type { SqlSession } from '../sql-session.js';
import type { IndexCatalogue, IndexRow } from './index-catalogue.js';
import { textIndexBytes } from './index-size.js';
import { type FoundIndex, inspectIndex } from './index-state.js';
import { createTextStatement, TEXT_EXTENSION, TEXT_INDEX } from './recommended-indexes.js';

export type TextIndex = FoundIndex & {
  extension: { name: string; isInstalled: boolean; isAvailable: boolean };
};

const EXTENSION = `
  SELECT (SELECT n.nspname::text FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
          WHERE e.extname = $1) AS "installedIn",
    EXISTS (SELECT FROM pg_available_extensions WHERE name = $1) AS "isAvailable"`;

type ExtensionRow = { installedIn: string | null; isAvailable: boolean };

const covers = ({ table, definition }: IndexRow): boolean =>
  table === TEXT_INDEX.table &&
  !definition.includes(' WHERE ') &&
  TEXT_INDEX.columns.every((column) =>
    new RegExp(`\\(\\(${column}\\)::text\\) (\\S+\\.)?gin_trgm_ops`).test(definition),
  );

/** State and size of the optional index for free-text search. */
export const readTextIndex = async (
  session: SqlSession,
  catalogue: IndexCatalogue,
  schema: string,
): Promise<TextIndex> => {
  const [row] = (await session.query<ExtensionRow>(EXTENSION, [TEXT_EXTENSION])).rows;
  const installedIn = row?.installedIn ?? null;
  const index = inspectIndex(catalogue, {
    index: TEXT_INDEX,
    statement: createTextStatement(schema, installedIn),
    serves: (found) => found.isValid && covers(found),
    isLeftover: (found) => !found.isValid && covers(found),
    estimate: (table) => textIndexBytes(table, TEXT_INDEX.columns),
  });
  return {
    ...index,
    extension: {
      name: TEXT_EXTENSION,
      isInstalled: installedIn !== null,
      isAvailable: row?.isAvailable ?? false,
    },
  };
};
