import { randomUUID } from 'node:crypto';
import type { Db, Feature, Sql } from '../../data/db.js';
import { insertClone } from '../../data/features/write-clone.sql.js';
import type { Actor } from '../actor.js';
import { createUlid } from '../ulid.js';
import type { CloneDraft } from './clone-draft.js';
import { eventsOf } from './clone-events.js';

export type WriteOptions = {
  /** Must hold when the statement begins. */
  conditions: readonly Sql[];
  /** Identifies the clone for retries; null without an idempotency key. */
  fingerprintId: string | null;
};

/** Writes the rows of a checked clone and its events, or nothing if a condition no longer holds. */
export const writeClone = async (
  db: Db,
  actor: Actor,
  draft: CloneDraft,
  { conditions, fingerprintId }: WriteOptions,
): Promise<Feature | null> => {
  const { variantsOf, isGrouped, ...parts } = draft;
  const strategies = draft.strategies.map((strategy) => ({ ...strategy, id: randomUUID() }));
  const rows = {
    ...parts,
    strategies,
    environments: [...variantsOf].map(([environment, variants]) => ({ environment, variants })),
    links: draft.links.map((link) => ({ id: createUlid(), ...link })),
    events: eventsOf(draft, strategies, fingerprintId),
    groupId: isGrouped ? createUlid() : null,
  };
  return insertClone(db, actor, rows, conditions);
};
