import { randomBytes } from 'node:crypto';
import { sign } from 'cookie-signature';
import type { Database } from '../../src/data/connect.js';

export const SESSION_SECRET = 'a-secret-of-this-test';

/** The Cookie header of a session, signed as Unleash signs it. */
export const sessionCookie = (sid: string, secret = SESSION_SECRET): string =>
  `unleash-session=${encodeURIComponent(`s:${sign(sid, secret)}`)}`;

/** Signs a user in as Unleash does; returns the session ID. */
export const addSession = async (
  client: Database['client'],
  userId: unknown,
  { expired = '2099-01-01', sess }: { expired?: string; sess?: unknown } = {},
): Promise<string> => {
  const sid = randomBytes(24).toString('base64url');
  const stored = sess ?? { cookie: { path: '/' }, user: { id: userId, name: 'Name at sign-in' } };
  await client.$executeRawUnsafe(
    'INSERT INTO unleash_session (sid, sess, expired) VALUES ($1, $2::json, $3::timestamptz)',
    sid,
    JSON.stringify(stored),
    expired,
  );
  return sid;
};
