import { assertIdempotencyKey, MAX_KEY_LENGTH } from '../domain/features/idempotency.js';
import { invalidValue } from './errors.js';

/** An RFC 9651 string. Parameters are ignored. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"\s*(?:;.*)?$/;
/** A key without quotes, as many clients send it. */
const BARE = /^[A-Za-z0-9!#$%&'*+\-.^_`|~:/=@]+$/;

/** The value of the Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header). Null if it is missing. */
export const readIdempotencyKey = (header: string | string[] | undefined): string | null => {
  if (header === undefined) return null;
  const path = '/headers/idempotency-key';
  const sent = String(header).trim();
  const key = BARE.test(sent) ? sent : QUOTED.exec(sent)?.[1]?.replace(/\\(.)/g, '$1');
  if (key === undefined) {
    const rule = `must be one quoted string of 1 to ${MAX_KEY_LENGTH} printable ASCII characters, such as a UUID`;
    throw invalidValue(path, rule, sent);
  }
  assertIdempotencyKey(key, path);
  return key;
};
