import type { SqlSession } from '../sql-session.js';
import { LayoutError } from './layout-error.js';

// A user's own schema often comes first in the search path and is empty, so look for the tables.
const SCHEMA = `
  SELECT coalesce(
    (SELECT n.nspname
     FROM unnest(current_schemas(false)) WITH ORDINALITY AS path (name, place)
     JOIN pg_namespace n ON n.nspname = path.name
     WHERE 2 = (SELECT count(*) FROM pg_class c
                WHERE c.relnamespace = n.oid AND c.relname IN ('events', 'features'))
     ORDER BY path.place LIMIT 1),
    current_schema())::text AS name`;

const ELSEWHERE = `
  SELECT n.nspname::text AS name FROM pg_namespace n
  WHERE n.nspname <> $1 AND n.nspname !~ '^pg_' AND NOT EXISTS (
      SELECT FROM pg_class c JOIN pg_namespace own ON own.oid = c.relnamespace
      WHERE own.nspname = $1 AND c.relname IN ('events', 'features'))
    AND 2 = (SELECT count(*) FROM pg_class c
             WHERE c.relnamespace = n.oid AND c.relname IN ('events', 'features'))
  ORDER BY 1`;

/** The schema in the search path that holds the tables, else the one where new tables would go. */
export const findSchema = async (
  session: SqlSession,
  named: string | undefined,
): Promise<string> => {
  const { rows } = await session.query<{ name: string | null }>(SCHEMA);
  const found = rows[0]?.name;
  if (found) {
    // If ?schema= was forgotten, don't create new tables next to the intended ones.
    if (named === undefined) await assertNowhereElse(session, found);
    return found;
  }

  throw new LayoutError(
    named === undefined
      ? 'The search path of the database user contains no schema that exists and that it may use. Set one with ?schema= in DATABASE_URL.'
      : `The schema '${named}' of DATABASE_URL does not exist, or the database user may not use it.`,
  );
};

const assertNowhereElse = async (session: SqlSession, schema: string): Promise<void> => {
  const { rows } = await session.query<{ name: string }>(ELSEWHERE, [schema]);
  const [other] = rows;
  if (!other) return;
  throw new LayoutError(
    `The tables are in schema '${other.name}', not in schema '${schema}'. Append ?schema=${other.name} to DATABASE_URL to use them, or ?schema=${schema} to create new tables.`,
  );
};
