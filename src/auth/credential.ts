import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Newer Unleash versions store a token in two parts: a selector to find it by, and a verifier derived from the whole
 * secret. Older versions, and tokens inserted by hand, store the secret itself.
 */
export type Credential = { kind: 'secret' } | { kind: 'selector'; selector: string };

const PARTS = '([A-Za-z0-9_-]{22})_[A-Za-z0-9_-]{43}$';
const PERSONAL = new RegExp(`^user:v2_${PARTS}`);
const API = new RegExp(`\\.v2_${PARTS}`);

const read = (form: RegExp, secret: string): Credential => {
  const selector = form.exec(secret)?.[1];
  return selector === undefined ? { kind: 'secret' } : { kind: 'selector', selector };
};

export const readPersonalCredential = (secret: string): Credential => read(PERSONAL, secret);
export const readApiCredential = (secret: string): Credential => read(API, secret);

const digestOf = (text: string) => createHash('sha256').update(text);

/** Whether a verifier was derived from this secret. Compares in constant time. */
export const isVerified = (secret: string, verifier: string): boolean => {
  const expected = digestOf(secret).digest('base64url');
  return timingSafeEqual(digestOf(expected).digest(), digestOf(verifier).digest());
};
