import { databaseFailure } from '../data/database-failure.js';
import { type Db, Prisma } from '../data/db.js';
import { ADMIN_TOKEN_USER_ID, SYSTEM_USER_ID, type TokenHolder } from '../domain/actor.js';
import { AuthenticationRequired, NoAccessError } from '../domain/errors.js';
import { isVerified, readApiCredential } from './credential.js';

type Token = { name: string; type: string; expiresAt: Date | null };

// What an SDK uses; `backend` is what newer originals call a client token.
const SDK_TYPES: readonly string[] = ['client', 'backend', 'frontend'];

const findBySecret = async (db: Db, secret: string): Promise<Token | undefined> => {
  const [token] = await db.$queryRaw<Token[]>(Prisma.sql`
    select coalesce(nullif(token_name, ''), username) as name, type, expires_at as "expiresAt"
    from api_tokens where secret = ${secret} or alias = ${secret}
    order by secret = ${secret} desc limit 1`);
  return token;
};

const findBySelector = async (
  db: Db,
  selector: string,
  secret: string,
): Promise<Token | undefined> => {
  const [token] = await db.$queryRaw<(Token & { verifier: string })[]>(Prisma.sql`
    select token_name as name, type, expires_at as "expiresAt", verifier
    from api_tokens_v2 where selector = ${selector}`);
  return token && isVerified(secret, token.verifier) ? token : undefined;
};

const findToken = async (db: Db, given: string): Promise<Token | undefined> => {
  const credential = readApiCredential(given);
  if (credential.kind === 'secret') return findBySecret(db, given);
  return findBySelector(db, credential.selector, given).catch((error: unknown) => {
    // Only newer originals have that table; to older ones it is a secret like any other.
    if (databaseFailure(error) === 'unknown-object') return findBySecret(db, given);
    throw error;
  });
};

/** Admin tokens may do everything; a token of a kind nobody knows is let in and may only read. */
export const findApiTokenHolder = async (db: Db, secret: string): Promise<TokenHolder> => {
  const token = await findToken(db, secret);
  if (!token || (token.expiresAt && token.expiresAt <= new Date())) {
    throw AuthenticationRequired.badToken();
  }

  const type = token.type.toLowerCase();
  if (SDK_TYPES.includes(type)) {
    throw new NoAccessError(
      `This is a ${type} token, which holds no permission here, not even ADMIN's. Use an admin token or a personal token.`,
      ['ADMIN'],
    );
  }

  const isAdmin = type === 'admin';
  return {
    kind: isAdmin ? 'ADMIN_TOKEN' : 'OTHER_TOKEN',
    userId: isAdmin ? ADMIN_TOKEN_USER_ID : SYSTEM_USER_ID,
    author: token.name,
    name: token.name,
    grants: isAdmin ? [{ permission: 'ADMIN', project: null, environment: null }] : [],
    seesAllEvents: true,
  };
};
