import type { Connection } from '../connection.js';
import { readSequences } from '../layout/access.js';
import { type Grants, requiredGrants } from '../layout/grants.js';
import { readColumns, type TableOf } from '../layout/layout.js';
import { LayoutError } from '../layout/layout-error.js';
import { type FoundLayout, findLayout } from './find-layout.js';

export type ReadGrants = {
  layout: FoundLayout;
  schema: string;
  /** Quoted as an SQL identifier. */
  role: string;
  grants: Grants;
};

/** The grants that a role (default: the current one) needs on this database. */
export const readGrants = (
  connection: Connection,
  tableOf: TableOf,
  role: string | undefined,
): Promise<ReadGrants> =>
  connection.withSession(async (session) => {
    const { schema, place } = connection;
    const layout = await findLayout(session);
    if (layout.owner === 'empty' || layout.owner === 'foreign') {
      throw new LayoutError(
        `The schema '${schema}' of the database at ${place} has no tables to grant privileges on.`,
      );
    }
    const { rows } = await session.query<{ role: string }>(
      'SELECT quote_ident(coalesce($1::text, current_user)) AS role',
      [role ?? null],
    );
    const grants = requiredGrants(
      tableOf,
      await readColumns(session),
      await readSequences(session),
    );
    return { layout, schema, role: rows[0]?.role ?? '', grants };
  });
