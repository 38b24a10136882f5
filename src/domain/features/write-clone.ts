import { randomUUID } from 'node:crypto';
import type { Db, Feature, Sql } from '../../data/db.js';
import type { CloneRows } from '../../data/features/clone-rows.sql.js';
import { insertClones } from '../../data/features/write-clone.sql.js';
import type { Actor } from '../actor.js';
import { createUlid } from '../ulid.js';
import type { CloneDraft } from './clone-draft.js';
import { eventsOf } from './clone-events.js';

/** A checked clone. */
export type ReadyClone = {
  draft: CloneDraft;
  /** Identifies the clone for retries; null without an idempotency key. */
  fingerprintId: string | null;
};

const rowsOf = ({ draft, fingerprintId }: ReadyClone): CloneRows => {
  const { variantsOf, isGrouped: _, ...parts } = draft;
  const strategies = draft.strategies.map((strategy) => ({ ...strategy, id: randomUUID() }));
  return {
    ...parts,
    strategies,
    environments: [...variantsOf].map(([environment, variants]) => ({ environment, variants })),
    links: draft.links.map((link) => ({ id: createUlid(), ...link })),
    events: eventsOf(draft, strategies, fingerprintId),
  };
};

/** Writes the rows of checked clones and their events, or nothing if a condition no longer holds. */
export const writeClones = (
  db: Db,
  actor: Actor,
  clones: readonly ReadyClone[],
  /** Must hold when the statement begins. */
  conditions: readonly Sql[],
): Promise<Feature[] | null> => {
  const isGrouped = clones.some(({ draft }) => draft.isGrouped);
  const rows = { clones: clones.map(rowsOf), groupId: isGrouped ? createUlid() : null };
  return insertClones(db, actor, rows, conditions);
};
