import { Prisma } from '../db.js';
import { withOptionalColumns } from '../sql/optional-columns.sql.js';
import { ACTIVE_USER, USER_COLUMNS, type UserRow } from '../user-rights.sql.js';
import type { Lookup } from './find-with-fallback.sql.js';

/** The owner of a token, and the token's name if it may be read. */
export type TokenOwner = UserRow & { tokenName?: string | null };

const nameColumn = (hasName: boolean) =>
  hasName ? Prisma.sql`, description as "tokenName"` : Prisma.empty;

const ownerOf = (condition: Prisma.Sql, furtherColumns: Prisma.Sql) =>
  withOptionalColumns(
    { description: 'text' },
    Prisma.sql`select ${USER_COLUMNS} ${furtherColumns}
      from personal_access_tokens token join users u on u.id = token.user_id
      where ${condition} and token.expires_at > now() and ${ACTIVE_USER}
      order by token.id limit 1`,
  );

const hasColumn = (column: string) => Prisma.sql`exists (select from pg_attribute
  where attrelid = to_regclass('personal_access_tokens') and attname = ${column} and not attisdropped)`;

export const ownerBySecret = (secret: string, hasName: boolean): Lookup => ({
  select: ownerOf(Prisma.sql`token.secret = ${secret}`, nameColumn(hasName)),
  presence: hasColumn('secret'),
});

/** The owner comes with the token's verifier. */
export const ownerBySelector = (selector: string, hasName: boolean): Lookup => ({
  select: ownerOf(
    Prisma.sql`token.selector = ${selector}`,
    Prisma.sql`, token.verifier ${nameColumn(hasName)}`,
  ),
  presence: hasColumn('selector'),
});
