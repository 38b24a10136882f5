import { LayoutError } from './layout-error.js';
import type { SqlSession } from './sql-session.js';

// A user's own schema often comes first in the search path and is empty: the tables are what counts.
const SCHEMA = `
  SELECT coalesce(
    (SELECT n.nspname
     FROM unnest(current_schemas(false)) WITH ORDINALITY AS path (name, place)
     JOIN pg_namespace n ON n.nspname = path.name
     WHERE 2 = (SELECT count(*) FROM pg_class c
                WHERE c.relnamespace = n.oid AND c.relname IN ('events', 'features'))
     ORDER BY path.place LIMIT 1),
    current_schema())::text AS name`;

/** The schema of the search path that holds the tables; where none does, the one that new tables would go to. */
export const findSchema = async (
  session: SqlSession,
  named: string | undefined,
): Promise<string> => {
  const { rows } = await session.query<{ name: string | null }>(SCHEMA);
  const found = rows[0]?.name;
  if (found) return found;

  throw new LayoutError(
    named === undefined
      ? 'No schema in the search path of the database user exists, or it may use none of them. Name one with ?schema= in DATABASE_URL.'
      : `The schema '${named}' of DATABASE_URL does not exist, or the database user may not use it.`,
  );
};
