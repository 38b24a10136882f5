import { findWithFallback, type MissingObjects } from '../data/auth/find-with-fallback.sql.js';
import {
  ownerBySecret,
  ownerBySelector,
  type TokenOwner,
} from '../data/auth/personal-token.sql.js';
import { databaseFailure } from '../data/database-failure.js';
import type { Db } from '../data/db.js';
import { isVerified, readPersonalCredential } from './credential.js';

/** Finds the owners of personal tokens. Older Unleash versions have no selectors; newer ones may have no secrets. */
export const createTokenOwnerLookup = (db: Db) => {
  const missing: MissingObjects = new Set();
  let hasName = true;

  const find = async (secret: string): Promise<TokenOwner | undefined> => {
    const credential = readPersonalCredential(secret);
    const selector = credential.kind === 'selector' ? credential.selector : '';
    const lookups = {
      selector: ownerBySelector(selector, hasName),
      secret: ownerBySecret(secret, hasName),
    };
    const { lookup, row } = await findWithFallback<TokenOwner & { verifier: string }>(
      db,
      lookups,
      credential.kind,
      missing,
    );
    return row && (lookup === 'secret' || isVerified(secret, row.verifier)) ? row : undefined;
  };

  return async (secret: string): Promise<TokenOwner | undefined> => {
    if (!hasName) return find(secret);
    try {
      return await find(secret);
    } catch (error) {
      if (databaseFailure(error) !== 'privilege') throw error;
      // The name is only for the log, so go on without it if the role may not read it.
      hasName = false;
      return find(secret);
    }
  };
};
