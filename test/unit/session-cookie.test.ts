import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readCaller } from '../../src/auth/caller.js';
import { findSessionCookie, readSessionId } from '../../src/auth/session-cookie.js';

const SECRET = 'a secret of their own';
const SID = 'Zk3-_aB9'.repeat(4);

const signature = (sid: string, secret = SECRET) =>
  createHmac('sha256', secret).update(sid).digest('base64').replace(/=+$/, '');
const signed = (sid: string, secret?: string) => `s:${sid}.${signature(sid, secret)}`;
const header = (value: string) => `unleash-session=${encodeURIComponent(value)}`;

describe('the sign-in cookie', () => {
  test('is read percent-encoded and unencoded', () => {
    expect(findSessionCookie(`a=1; ${header(signed(SID))}; b=2`)).toBe(signed(SID));
    expect(findSessionCookie(`unleash-session=${signed(SID)}`)).toBe(signed(SID));
  });

  test('is the first of two with that name', () => {
    expect(findSessionCookie(`${header('bad')}; ${header(signed(SID))}`)).toBe('bad');
  });

  test('yields the session ID when its signature is valid', () => {
    expect(readSessionId(signed(SID), SECRET)).toBe(SID);
  });

  test.each([
    ['another secret', signed(SID, 'super-secret')],
    ['a changed signature', signed(SID).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))],
    ['a changed ID', signed(SID).replace('Zk3', 'Zk4')],
    ['a bare ID', SID],
    ['no signature', `s:${SID}`],
    ['an empty signature', `s:${SID}.`],
    ['a padded signature', `${signed(SID)}=`],
    ['no prefix', signed(SID).slice(2)],
    ['another prefix', signed(SID).replace('s:', 'j:')],
    ['nothing', ''],
    ['only a prefix', 's:'],
    ['a valid signature of an ID of another length', signed('short')],
    ['a valid signature of characters no ID has', signed('\0'.repeat(32))],
  ])('yields nothing for %s', (_title, value) => {
    expect(readSessionId(value, SECRET)).toBeNull();
  });
});

describe('the credentials of a request', () => {
  const options = { sessionSecret: SECRET, isSameOrigin: true, ip: null };
  const cookie = header(signed(SID));

  test('are the session of a valid cookie', () => {
    expect(readCaller({ cookie }, options)).toEqual({
      credentials: { kind: 'session', value: SID },
      hasCookie: true,
      ip: null,
    });
  });

  test.each(['user:abc', 'Bearer user:abc', 'garbage', 'Bearer'])(
    'are the token of an Authorization header (%s) and never the cookie beside it',
    (authorization) => {
      const { credentials, hasCookie } = readCaller({ authorization, cookie }, options);
      expect(credentials?.kind).toBe('token');
      expect(hasCookie).toBe(false);
    },
  );

  test.each(['', '   '])(
    'are the session beside an empty Authorization header',
    (authorization) => {
      const { credentials } = readCaller({ authorization, cookie }, options);
      expect(credentials?.kind).toBe('session');
    },
  );

  test.each([
    ['sessions are off', { ...options, sessionSecret: undefined }, false],
    ['another origin sends it', { ...options, isSameOrigin: false }, true],
    ['the secret is another', { ...options, sessionSecret: 'super-secret' }, true],
  ])('are absent when %s', (_when, changed, hasCookie) => {
    expect(readCaller({ cookie }, changed)).toEqual({ credentials: null, hasCookie, ip: null });
  });
});
