import type { Db, Feature } from '../../data/db.js';
import type { EarlierClone } from '../../data/features/clone-facts.sql.js';
import type { Actor } from '../actor.js';
import { IdempotencyKeyError } from '../errors.js';
import type { CloneFingerprint } from './idempotency.js';
import { findFeature } from './list-features.js';

/**
 * Returns the clone that the caller created with the same idempotency key, in its current state: it may have been
 * changed, moved or archived since. Null if the key has not been used.
 */
export const findEarlierCopy = async (
  db: Db,
  actor: Actor,
  earlier: EarlierClone | null,
  fingerprint: CloneFingerprint | null,
): Promise<Feature | null> => {
  if (!earlier || !fingerprint) return null;
  if (earlier.mark !== fingerprint.id) {
    throw new IdempotencyKeyError(
      'This idempotency key was used for another clone in the last 24 hours. Use a new key for each clone.',
    );
  }
  const copy = earlier.isThere ? await findFeature(db, actor, earlier.name) : null;
  if (copy) return copy;
  throw new IdempotencyKeyError(
    `The copy '${earlier.name}', created with this idempotency key, was deleted or is not visible to you. To clone again, use a new key.`,
  );
};
