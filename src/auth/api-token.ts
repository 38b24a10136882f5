import type { Db } from '../data/db.js';
import { Actor, ADMIN_TOKEN_USER_ID, SYSTEM_USER_ID } from '../domain/actor.js';
import { AuthenticationRequired, NoAccessError } from '../domain/errors.js';

/** Admin tokens may do everything; a token of a kind nobody knows is let in and may only read. */
export const actorOfApiToken = async (
  db: Db,
  secret: string,
  ip: string | null,
): Promise<Actor> => {
  const tokens = await db.apiToken.findMany({ where: { OR: [{ secret }, { alias: secret }] } });
  const token = tokens.find((found) => found.secret === secret) ?? tokens[0];
  if (!token || (token.expiresAt && token.expiresAt <= new Date())) {
    throw AuthenticationRequired.badToken();
  }

  const type = token.type.toLowerCase();
  if (type === 'client' || type === 'frontend') {
    throw new NoAccessError(
      `This is a ${type} token. The admin API needs an admin token or a personal token.`,
    );
  }

  const isAdmin = type === 'admin';
  return new Actor({
    kind: isAdmin ? 'ADMIN_TOKEN' : 'OTHER_TOKEN',
    userId: isAdmin ? ADMIN_TOKEN_USER_ID : SYSTEM_USER_ID,
    author: token.tokenName || token.username,
    name: token.tokenName || token.username,
    grants: isAdmin ? [{ permission: 'ADMIN', project: null, environment: null }] : [],
    seesAllEvents: true,
    ip,
  });
};
