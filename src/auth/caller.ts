import type { IncomingHttpHeaders } from 'node:http';
import { findSessionCookie, readSessionId } from './session-cookie.js';

/** The credentials sent with a request. */
export type Credentials = Readonly<{ kind: 'token' | 'session'; value: string }>;

export type Caller = {
  /** Null without a usable credential. */
  credentials: Credentials | null;
  /** Whether a sign-in cookie was sent instead of a token, valid or not. */
  hasCookie: boolean;
  /** For the event log. */
  ip: string | null;
};

export type CallerOptions = {
  /** Verifies cookies. Undefined: sessions are off. */
  sessionSecret?: string | undefined;
  /** Whether a page of the same origin sent the request. */
  isSameOrigin: boolean;
  ip: string | null;
};

const readToken = (authorization: string | undefined): string =>
  (authorization ?? '').trim().replace(/^bearer\s+/i, '');

const readSession = (cookie: string, secret: string): Credentials | null => {
  const sid = readSessionId(cookie, secret);
  return sid === null ? null : { kind: 'session', value: sid };
};

/**
 * Reads the caller of a request. A cookie counts only without an Authorization header. A malformed cookie, one with a
 * wrong signature or one from another origin counts as no credential.
 */
export const readCaller = (
  { authorization, cookie }: IncomingHttpHeaders,
  { sessionSecret, isSameOrigin, ip }: CallerOptions,
): Caller => {
  const token = readToken(authorization);
  if (token !== '') return { credentials: { kind: 'token', value: token }, hasCookie: false, ip };

  const signed = sessionSecret === undefined ? undefined : findSessionCookie(cookie);
  if (sessionSecret === undefined || signed === undefined) {
    return { credentials: null, hasCookie: false, ip };
  }
  const credentials = isSameOrigin ? readSession(signed, sessionSecret) : null;
  return { credentials, hasCookie: true, ip };
};
