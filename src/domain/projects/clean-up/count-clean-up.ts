import type { Db } from '../../../data/db.js';
import {
  type CleanUpCriteria,
  countCandidates,
  type TallyRow,
} from '../../../data/projects/clean-up.sql.js';
import { CLEAN_UP_KINDS, type CleanUpKind } from '../../../data/projects/clean-up-kinds.js';
import type { Actor } from '../../actor.js';
import { assertFeatureCriteria } from '../../features/list-features.js';

/** Number of features to clean up, in total and per reason; a feature can have several reasons. */
export type CleanUpTally = {
  total: number;
  counts: readonly { kind: CleanUpKind; count: number }[];
};

type Query = { criteria: CleanUpCriteria; now?: Date };

const toTally = (row?: TallyRow): CleanUpTally => ({
  total: Number(row?.total ?? 0),
  counts: CLEAN_UP_KINDS.map((kind) => ({ kind, count: Number(row?.[kind] ?? 0) })),
});

export const EMPTY_TALLY = toTally();

/** Over all projects that are not archived. */
export const countCleanUp = async (db: Db, actor: Actor, query: Query): Promise<CleanUpTally> => {
  assertFeatureCriteria(query.criteria);

  const [row] = await countCandidates(db, actor, { ...query, now: query.now ?? new Date() });
  return toTally(row);
};

/** Per project, archived or not, in one statement. */
export const countCleanUpOf = async (
  db: Db,
  actor: Actor,
  query: Query & { projectIds: readonly string[] },
): Promise<ReadonlyMap<string, CleanUpTally>> => {
  assertFeatureCriteria(query.criteria);

  const rows = await countCandidates(db, actor, { ...query, now: query.now ?? new Date() });
  return new Map(rows.map((row) => [row.project ?? '', toTally(row)]));
};
