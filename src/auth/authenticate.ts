import { findSessionUser } from '../data/auth/session.sql.js';
import type { Database } from '../data/connect.js';
import { Actor, type Holder } from '../domain/actor.js';
import { AuthenticationRequired } from '../domain/errors.js';
import { createSharedReads } from '../domain/shared-reads.js';
import { createApiTokenLookup, toApiTokenHolder } from './api-token.js';
import type { Caller } from './caller.js';
import { createTokenOwnerLookup } from './personal-token.js';
import { isLoadable, toHolder } from './user-holder.js';

export type Authenticate = (caller: Caller) => Promise<Actor>;

type Options = {
  /** Tokens that are rejected even if they are in the database. */
  rejects?: (token: string) => boolean;
  /** Maps a sent token to the stored one. Default: the same. */
  storedToken?: (sent: string) => string;
};

/** Resolves credentials to their actor. Reads the database each time, so revocation takes effect at once. */
export const createAuthenticate = (
  { client, layout }: Pick<Database, 'client' | 'layout'>,
  { rejects = () => false, storedToken = (sent) => sent }: Options = {},
): Authenticate => {
  const lookups = createSharedReads();
  const findApiToken = createApiTokenLookup(client);
  const findTokenOwner = createTokenOwnerLookup(client);

  const findTokenHolder = async (sent: string): Promise<Holder> => {
    if (sent.includes('\0') || rejects(sent)) throw AuthenticationRequired.badToken();
    const token = storedToken(sent);
    if (!token.startsWith('user:')) return toApiTokenHolder(await findApiToken(token));
    const owner = await findTokenOwner(token);
    if (!owner || !(await isLoadable(owner, layout))) throw AuthenticationRequired.badToken();
    return { ...(await toHolder(layout, owner)), tokenName: owner.tokenName };
  };

  const findSessionHolder = async (sid: string): Promise<Holder> => {
    const user = await findSessionUser(client, sid);
    // The same response as without a cookie, so that clients can't probe for valid ones.
    if (!user || !(await isLoadable(user, layout))) throw AuthenticationRequired.noToken();
    return toHolder(layout, user);
  };

  return async ({ credentials, ip }) => {
    if (credentials === null) throw AuthenticationRequired.noToken();
    const { kind, value } = credentials;
    const find = kind === 'token' ? findTokenHolder : findSessionHolder;
    return new Actor({ ...(await lookups.share(`${kind} ${value}`, () => find(value))), ip });
  };
};
