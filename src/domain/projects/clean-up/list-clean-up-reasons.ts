import type { Db } from '../../../data/db.js';
import { readCandidates } from '../../../data/projects/clean-up.sql.js';
import type { Actor } from '../../actor.js';
import { type CleanUpReason, reasonsOf } from './clean-up-reasons.js';
import { assertNotSeenForDays } from './not-seen-for-days.js';

type Query = { names: readonly string[]; now?: Date; notSeenForDays?: number | undefined };

/** Reasons to clean up each of these features, in one statement; features without a reason are missing. */
export const listCleanUpReasonsOf = async (
  db: Db,
  actor: Actor,
  { names, now = new Date(), notSeenForDays }: Query,
): Promise<ReadonlyMap<string, readonly CleanUpReason[]>> => {
  const page = { limit: names.length };
  const criteria = { ...(notSeenForDays !== undefined && { notSeenForDays }) };
  assertNotSeenForDays(criteria);
  const rows = await readCandidates(db, actor, { criteria, names, page, now });
  return new Map(rows.map((row) => [row.name, reasonsOf(row, now)]));
};
