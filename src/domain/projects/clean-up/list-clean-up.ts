import type { Db, Feature } from '../../../data/db.js';
import { groupBy } from '../../../data/grouping.js';
import type { KeysetPage } from '../../../data/paging.js';
import {
  type CleanUpCriteria,
  type CleanUpOrder,
  type CleanUpPlace,
  readCandidates,
  USUAL_CLEAN_UP_ORDER,
} from '../../../data/projects/clean-up.sql.js';
import { OLDEST } from '../../../data/projects/weighted-features.sql.js';
import type { Actor } from '../../actor.js';
import { assertFeatureCriteria } from '../../features/list-features.js';
import { type Slice, sliceOf } from '../../paging.js';
import { assertText } from '../../text.js';
import { type CleanUpReason, reasonsOf } from './clean-up-reasons.js';
import { assertNotSeenForDays } from './not-seen-for-days.js';

export type { CleanUpCriteria, CleanUpOrder, CleanUpPlace };
export { USUAL_CLEAN_UP_ORDER };

export type CleanUpCandidate = {
  feature: Feature;
  weight: number;
  reasons: readonly CleanUpReason[];
};

export const placeOf = ({ feature, weight }: CleanUpCandidate): CleanUpPlace => [
  weight,
  feature.createdAt?.getTime() ?? OLDEST,
  feature.name,
];

type Query = {
  criteria: CleanUpCriteria;
  page: KeysetPage<CleanUpPlace>;
  order?: CleanUpOrder;
  /** Timestamp at which ages are computed. Default: now. */
  now?: Date;
};

const findCandidates = async (
  db: Db,
  actor: Actor,
  { now = new Date(), ...query }: Query & { projectIds?: readonly string[] },
): Promise<CleanUpCandidate[]> => {
  const { criteria, page } = query;
  assertFeatureCriteria(criteria);
  assertNotSeenForDays(criteria);
  assertText('The cursor', page.after?.[2] ?? '', page.before?.[2] ?? '');

  const rows = await readCandidates(db, actor, { ...query, now });
  return rows.map((row) => ({ feature: row, weight: row.weight, reasons: reasonsOf(row, now) }));
};

/** The page of features to clean up in all projects that are not archived. */
export const listCleanUp = async (
  db: Db,
  actor: Actor,
  query: Query,
): Promise<Slice<CleanUpCandidate>> => sliceOf(await findCandidates(db, actor, query), query.page);

/** One such page per project, archived or not, in one statement. */
export const listCleanUpOf = async (
  db: Db,
  actor: Actor,
  query: Query & { projectIds: readonly string[] },
): Promise<ReadonlyMap<string, Slice<CleanUpCandidate>>> => {
  const { projectIds, page } = query;
  const candidates = await findCandidates(db, actor, query);
  const candidatesOf = groupBy(candidates, ({ feature }) => feature.projectId ?? '');
  return new Map(projectIds.map((id) => [id, sliceOf(candidatesOf.get(id) ?? [], page)]));
};
