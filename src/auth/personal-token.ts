import { databaseFailure } from '../data/database-failure.js';
import { type Db, Prisma } from '../data/db.js';
import { withOptionalColumns } from '../data/optional-columns.js';
import { ACTIVE_USER, USER_COLUMNS, type UserRow } from '../data/user-rights.js';
import { isVerified, readPersonalCredential } from './credential.js';
import { findWithFallback, type Lookup, type MissingObjects } from './find-with-fallback.js';

/** The owner of a token, and the token's name if it may be read. */
export type TokenOwner = UserRow & { tokenName?: string | null };

const NAME = Prisma.sql`, description as "tokenName"`;

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

const bySecret = (secret: string, name: Prisma.Sql): Lookup => ({
  select: ownerOf(Prisma.sql`token.secret = ${secret}`, name),
  presence: hasColumn('secret'),
});

const bySelector = (selector: string, name: Prisma.Sql): Lookup => ({
  select: ownerOf(Prisma.sql`token.selector = ${selector}`, Prisma.sql`, token.verifier ${name}`),
  presence: hasColumn('selector'),
});

/** Finds the owners of personal tokens. Older Unleash versions have no selectors; newer ones may have no secrets. */
export const createTokenOwnerLookup = (db: Db) => {
  const missing: MissingObjects = new Set();
  let name = NAME;

  const find = async (secret: string): Promise<TokenOwner | undefined> => {
    const credential = readPersonalCredential(secret);
    const selector = credential.kind === 'selector' ? credential.selector : '';
    const lookups = { selector: bySelector(selector, name), secret: bySecret(secret, name) };
    const { lookup, row } = await findWithFallback<TokenOwner & { verifier: string }>(
      db,
      lookups,
      credential.kind,
      missing,
    );
    return row && (lookup === 'secret' || isVerified(secret, row.verifier)) ? row : undefined;
  };

  return async (secret: string): Promise<TokenOwner | undefined> => {
    if (name === Prisma.empty) return find(secret);
    try {
      return await find(secret);
    } catch (error) {
      if (databaseFailure(error) !== 'privilege') throw error;
      // The name is only for the log, so go on without it if the role may not read it.
      name = Prisma.empty;
      return find(secret);
    }
  };
};
