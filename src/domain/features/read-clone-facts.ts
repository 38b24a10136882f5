import type { Db, Sql } from '../../data/db.js';
import { type CloneFactQuery, readCloneFactRows } from '../../data/features/clone-facts.sql.js';
import type { Actor } from '../actor.js';
import { isStorable } from '../text.js';
import { type CloneFacts, toFacts } from './clone-source.js';
import type { CloneFingerprint } from './idempotency.js';

type CloneQuery = Omit<CloneFactQuery, 'name' | 'seesTarget' | 'fingerprintPrefix'> & {
  name: string;
  /** Of the idempotency key; null without one. */
  fingerprint: CloneFingerprint | null;
};

/** Facts, and a condition that they still hold when a statement begins. */
type ReadFacts = { facts: CloneFacts; stillHold: Sql };

/** Reads everything in one statement. A source or target that the actor may not see is absent. */
export const readCloneFacts = async (
  db: Db,
  actor: Actor,
  { fingerprint, ...query }: CloneQuery,
): Promise<ReadFacts> => {
  const { rows, active, stillHold } = await readCloneFactRows(db, actor, {
    ...query,
    name: isStorable(query.name) ? query.name : null,
    seesTarget: actor.sees(query.targetProject),
    hasRights: query.hasRights && actor.kind !== 'ADMIN_TOKEN',
    fingerprintPrefix: fingerprint?.prefix ?? null,
  });
  return { facts: toFacts(rows, active), stillHold };
};
