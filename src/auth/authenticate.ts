import type { Db } from '../data/db.js';
import type { Actor } from '../domain/actor.js';
import { AuthenticationRequired } from '../domain/errors.js';
import { actorOfApiToken } from './api-token.js';
import { actorOfPersonalToken } from './personal-token.js';

export type Authenticate = (authorization: string | undefined, ip: string | null) => Promise<Actor>;

type Options = {
  /** Secrets that are never let in, whatever the database says. */
  refuses?: (secret: string) => boolean;
};

/** Turns the value of an Authorization header into the actor it stands for, asking the database each time. */
export const createAuthenticate =
  (db: Db, { refuses = () => false }: Options = {}): Authenticate =>
  async (authorization, ip) => {
    const secret = authorization?.trim().replace(/^bearer\s+/i, '');
    if (!secret) throw AuthenticationRequired.noToken();
    if (secret.includes('\0') || refuses(secret)) throw AuthenticationRequired.badToken();

    return secret.startsWith('user:')
      ? actorOfPersonalToken(db, secret, ip)
      : actorOfApiToken(db, secret, ip);
  };
