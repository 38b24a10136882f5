import { type Db, Prisma } from '../data/db.js';
import { ADMIN_TOKEN_USER_ID, type Holder } from '../domain/actor.js';
import { AuthenticationRequired, NoAccessError } from '../domain/errors.js';
import { isVerified, readApiCredential } from './credential.js';
import { findWithFallback, type Lookup, type MissingObjects } from './find-with-fallback.js';

type Token = { name: string; type: string | null; isExpired: boolean };
/** A token found by its selector comes with its verifier. */
type FoundToken = Token & { verifier: string };

const EXPIRED = Prisma.sql`coalesce(expires_at <= now(), false) as "isExpired"`;

const bySecret = (secret: string): Lookup => ({
  select: Prisma.sql`
    select coalesce(nullif(token_name, ''), username) as name, type, ${EXPIRED}
    from api_tokens where secret = ${secret} or alias = ${secret}
    order by secret = ${secret} desc limit 1`,
  presence: Prisma.sql`true`,
});

const bySelector = (selector: string): Lookup => ({
  select: Prisma.sql`
    select token_name as name, type, ${EXPIRED}, verifier
    from api_tokens_v2 where selector = ${selector}`,
  presence: Prisma.sql`to_regclass('api_tokens_v2') is not null`,
});

/** Finds API tokens. Older Unleash versions lack the table of selectors; there every token is matched by its secret. */
export const createApiTokenLookup = (db: Db) => {
  const missing: MissingObjects = new Set();
  return async (secret: string): Promise<Token | undefined> => {
    const credential = readApiCredential(secret);
    if (credential.kind === 'secret') {
      const [token] = await db.$queryRaw<Token[]>(bySecret(secret).select);
      return token;
    }
    const lookups = { selector: bySelector(credential.selector), secret: bySecret(secret) };
    const { lookup, row } = await findWithFallback<FoundToken>(db, lookups, 'selector', missing);
    return row && (lookup === 'secret' || isVerified(secret, row.verifier)) ? row : undefined;
  };
};

/** Accepts admin tokens only. Tokens of any other type, known or not, have no permissions here. */
export const toApiTokenHolder = (token: Token | undefined): Holder => {
  if (!token || token.isExpired) throw AuthenticationRequired.badToken();
  if (token.type?.toLowerCase() !== 'admin') {
    throw new NoAccessError(
      'API tokens of this type have no access to the admin API. Use an admin token or a personal access token.',
      ['ADMIN'],
    );
  }
  return {
    kind: 'ADMIN_TOKEN',
    userId: ADMIN_TOKEN_USER_ID,
    author: token.name,
    name: token.name,
    tokenName: token.name,
    grants: [{ permission: 'ADMIN', project: null, environment: null }],
    seesAllEvents: true,
    visibleProjects: null,
  };
};
