import { parseCookie } from 'cookie';
import { unsign } from 'cookie-signature';

export const SESSION_COOKIE = 'unleash-session';

/** The secret Unleash signs cookies with if UNLEASH_SECRET is unset. */
export const DEFAULT_SECRET = 'super-secret';

const PREFIX = 's:';
const SESSION_ID = /^[\w-]{32}$/;

/** The value of the sign-in cookie, verified or not. If sent twice, the first one counts, as in Unleash. */
export const findSessionCookie = (header: string | undefined): string | undefined => {
  // Decoding thousands of malformed cookies takes a while, and only one is needed.
  const encoded = header && parseCookie(header, { decode: (value) => value })[SESSION_COOKIE];
  return encoded && parseCookie(`${SESSION_COOKIE}=${encoded}`)[SESSION_COOKIE];
};

/** The session ID of a cookie with a valid signature, else null. Compares in constant time. */
export const readSessionId = (cookie: string, secret: string): string | null => {
  if (!cookie.startsWith(PREFIX)) return null;
  const sid = unsign(cookie.slice(PREFIX.length), secret);
  return sid !== false && SESSION_ID.test(sid) ? sid : null;
};
