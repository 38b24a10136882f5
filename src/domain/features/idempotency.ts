import { createHash } from 'node:crypto';
import type { Actor } from '../actor.js';
import { InvalidKeyError } from '../errors.js';
import type { CloneFeatureInput } from './clone-feature-input.js';

export const MAX_KEY_LENGTH = 255;

/** Printable ASCII, as the header can carry it. */
const PRINTABLE = /^[ -~]+$/;

export const assertIdempotencyKey = (key: string, path?: string): void => {
  if (PRINTABLE.test(key) && key.length <= MAX_KEY_LENGTH) return;
  const message = `An idempotency key must have 1 to ${MAX_KEY_LENGTH} printable ASCII characters, such as a UUID.`;
  throw new InvalidKeyError(message, [path === undefined ? { message } : { message, path }]);
};

/**
 * Identifies a clone for retries: its `feature-created` event contains this UUID under FINGERPRINT_KEY. The first half
 * depends on the caller and the key, so no other caller's key has it. The second half also depends on the request, so
 * another request with the same key has a different one.
 */
export type CloneFingerprint = { id: string; prefix: string };

const hexOf = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** All admin tokens share one user ID; their names distinguish them. */
const callerOf = ({ kind, userId, author }: Actor) =>
  kind === 'ADMIN_TOKEN' ? [kind, author] : [userId];

const requestOf = (input: CloneFeatureInput) => {
  const { source, name, targetProject = null, replaceGroupId = true, include = [] } = input;
  return [source, name, targetProject, replaceGroupId, [...include].sort()];
};

/** Null without a key. */
export const fingerprintOf = (actor: Actor, input: CloneFeatureInput): CloneFingerprint | null => {
  const { idempotencyKey } = input;
  if (idempotencyKey === undefined) return null;
  assertIdempotencyKey(idempotencyKey);
  const key = hexOf('flaggraph clone', callerOf(actor), idempotencyKey);
  const request = hexOf(key, requestOf(input));
  // UUID version 8 is meant for custom values.
  const prefix = `${key.slice(0, 8)}-${key.slice(8, 12)}-8${key.slice(12, 15)}`;
  return { prefix, id: `${prefix}-8${request.slice(0, 3)}-${request.slice(3, 15)}` };
};
