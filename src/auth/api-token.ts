import { type ApiToken, tokenBySecret, tokenBySelector } from '../data/auth/api-token.sql.js';
import {
  findRow,
  findWithFallback,
  type MissingObjects,
} from '../data/auth/find-with-fallback.sql.js';
import type { Db } from '../data/db.js';
import { ADMIN_TOKEN_USER_ID, type Holder } from '../domain/actor.js';
import { AuthenticationRequired, NoAccessError } from '../domain/errors.js';
import { isVerified, readApiCredential } from './credential.js';

/** Finds API tokens. Older Unleash versions lack the table of selectors; there every token is matched by its secret. */
export const createApiTokenLookup = (db: Db) => {
  const missing: MissingObjects = new Set();
  return async (secret: string): Promise<ApiToken | undefined> => {
    const credential = readApiCredential(secret);
    if (credential.kind === 'secret') return findRow<ApiToken>(db, tokenBySecret(secret));
    const lookups = {
      selector: tokenBySelector(credential.selector),
      secret: tokenBySecret(secret),
    };
    const { lookup, row } = await findWithFallback<ApiToken & { verifier: string }>(
      db,
      lookups,
      'selector',
      missing,
    );
    return row && (lookup === 'secret' || isVerified(secret, row.verifier)) ? row : undefined;
  };
};

/** Accepts admin tokens only. Tokens of any other type, known or not, have no permissions here. */
export const toApiTokenHolder = (token: ApiToken | undefined): Holder => {
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
