import type { Db } from '../data/db.js';
import { Actor, type TokenHolder } from '../domain/actor.js';
import { AuthenticationRequired } from '../domain/errors.js';
import { createSharedReads } from '../domain/shared-reads.js';
import { findApiTokenHolder } from './api-token.js';
import { findPersonalTokenHolder } from './personal-token.js';

export type Authenticate = (authorization: string | undefined, ip: string | null) => Promise<Actor>;

type Options = {
  /** Secrets that are never let in, whatever the database says. */
  refuses?: (secret: string) => boolean;
};

/** Turns the value of an Authorization header into the actor it stands for, asking the database each time. */
export const createAuthenticate = (
  db: Db,
  { refuses = () => false }: Options = {},
): Authenticate => {
  const lookups = createSharedReads();
  const findHolder = (secret: string): Promise<TokenHolder> =>
    secret.startsWith('user:')
      ? findPersonalTokenHolder(db, secret)
      : findApiTokenHolder(db, secret);

  return async (authorization, ip) => {
    const secret = authorization?.trim().replace(/^bearer\s+/i, '');
    if (!secret) throw AuthenticationRequired.noToken();
    if (secret.includes('\0') || refuses(secret)) throw AuthenticationRequired.badToken();

    return new Actor({ ...(await lookups.share(secret, () => findHolder(secret))), ip });
  };
};
