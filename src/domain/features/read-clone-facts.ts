import type { Db, Sql } from '../../data/db.js';
import { type CloneFactQuery, readCloneFactRows } from '../../data/features/clone-facts.sql.js';
import type { Actor } from '../actor.js';
import { isStorable } from '../text.js';
import { type CloneFacts, toFacts } from './clone-source.js';
import type { CloneFingerprint } from './idempotency.js';

export type CloneQuery = Omit<CloneFactQuery, 'name' | 'seesTarget' | 'fingerprintPrefix'> & {
  name: string;
  /** Of the idempotency key; null without one. */
  fingerprint: CloneFingerprint | null;
};

/** Facts, and a condition that they still hold when a statement begins. */
export type ReadFacts = { facts: CloneFacts; stillHold: Sql };

/**
 * Reads the facts of all clones in one statement, in the same order. A source or target that the actor may not see is
 * absent.
 */
export const readCloneFacts = async (
  db: Db,
  actor: Actor,
  queries: readonly CloneQuery[],
): Promise<ReadFacts[]> => {
  const found = await readCloneFactRows(
    db,
    actor,
    queries.map(({ fingerprint, ...query }) => ({
      ...query,
      name: isStorable(query.name) ? query.name : null,
      seesTarget: actor.sees(query.targetProject),
      hasRights: query.hasRights && actor.kind !== 'ADMIN_TOKEN',
      fingerprintPrefix: fingerprint?.prefix ?? null,
    })),
  );
  return found.map(({ rows, active, stillHold }) => ({ facts: toFacts(rows, active), stillHold }));
};
