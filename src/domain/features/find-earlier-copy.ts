import type { Db, Feature } from '../../data/db.js';
import type { EarlierClone } from '../../data/features/clone-facts.sql.js';
import type { Actor } from '../actor.js';
import { IdempotencyKeyError } from '../errors.js';
import type { CloneFingerprint } from './idempotency.js';
import { findFeatures } from './list-features.js';

/** Copies by name. */
export type EarlierCopies = ReadonlyMap<string, Feature>;

/**
 * Reads the clones that the caller created with the same idempotency keys, in their current state: they may have been
 * changed, moved or archived since.
 */
export const readEarlierCopies = async (
  db: Db,
  actor: Actor,
  clones: readonly { earlier: EarlierClone | null }[],
): Promise<EarlierCopies> => {
  const names = clones.flatMap(({ earlier }) => (earlier?.isThere ? [earlier.name] : []));
  const copies = names.length === 0 ? [] : await findFeatures(db, actor, names);
  return new Map(copies.map((copy) => [copy.name, copy]));
};

/** Null if the key has not been used. */
export const findEarlierCopy = (
  copies: EarlierCopies,
  earlier: EarlierClone | null,
  fingerprint: CloneFingerprint | null,
): Feature | null => {
  if (!earlier || !fingerprint) return null;
  if (earlier.mark !== fingerprint.id) {
    throw new IdempotencyKeyError(
      'This idempotency key was used for another clone in the last 24 hours. Use a new key for each clone.',
    );
  }
  const copy = earlier.isThere ? copies.get(earlier.name) : undefined;
  if (copy) return copy;
  throw new IdempotencyKeyError(
    `The copy '${earlier.name}', created with this idempotency key, was deleted or is not visible to you. To clone again, use a new key.`,
  );
};
