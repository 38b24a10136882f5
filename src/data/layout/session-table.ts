import type { SqlSession } from '../sql-session.js';
import { SESSION_REQUIREMENT } from './requirements.js';

export type SessionTable = 'readable' | 'unreadable' | 'missing';

const STATE = `
  SELECT CASE
    WHEN to_regclass('${SESSION_REQUIREMENT.table}') IS NULL THEN 'missing'
    WHEN (SELECT count(*) FROM pg_attribute a
          WHERE a.attrelid = to_regclass('${SESSION_REQUIREMENT.table}') AND NOT a.attisdropped
            AND a.attname IN (${SESSION_REQUIREMENT.columns.map((name) => `'${name}'`).join(', ')})
            AND has_column_privilege(a.attrelid, a.attnum, 'SELECT')) = ${SESSION_REQUIREMENT.columns.length}
    THEN 'readable' ELSE 'unreadable' END AS state`;

export const readSessionTable = async (
  session: Pick<SqlSession, 'query'>,
): Promise<SessionTable> => {
  const { rows } = await session.query<{ state: SessionTable }>(STATE);
  return rows[0]?.state ?? 'missing';
};
