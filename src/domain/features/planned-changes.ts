import type { Db, Milestone, Prisma, ReleasePlan } from '../../data/db.js';
import {
  type ChangeRequestRow,
  MAX_CHANGE_REQUESTS,
  readOpenChangeRequests,
} from '../../data/features/change-requests.sql.js';
import { groupBy, indexBy } from '../../data/grouping.js';
import type { UnleashLayoutReader } from '../../data/layout/unleash-layout.sql.js';
import type { Actor } from '../actor.js';

export { type ChangeRequestRow, MAX_CHANGE_REQUESTS };

export type PlanWithMilestones = ReleasePlan & { milestones: readonly Milestone[] };
export type PlannedMilestone = { milestone: Milestone; plan: PlanWithMilestones };

const WITH_MILESTONES = {
  milestones: { orderBy: { sortOrder: 'asc' } },
} as const satisfies Prisma.ReleasePlanInclude;

/** Release plans of features, oldest first. Empty if the database has none. */
export const listReleasePlansOf = async (
  db: Db,
  layout: UnleashLayoutReader,
  _actor: Actor,
  featureNames: readonly string[],
): Promise<ReadonlyMap<string, readonly PlanWithMilestones[]>> => {
  if (!(await layout.current()).hasReleasePlans) return new Map();

  const plans = await db.releasePlan.findMany({
    where: { featureName: { in: [...featureNames] }, discriminator: 'plan' },
    include: WITH_MILESTONES,
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return groupBy(plans, ({ featureName }) => featureName ?? '');
};

/** Milestones that strategies refer to, each with its plan. */
export const findMilestones = async (
  db: Db,
  layout: UnleashLayoutReader,
  _actor: Actor,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PlannedMilestone>> => {
  if (!(await layout.current()).hasReleasePlans) return new Map();

  const rows = await db.milestone.findMany({
    where: { id: { in: [...ids] } },
    include: { releasePlan: { include: WITH_MILESTONES } },
  });
  const milestones = rows.map(({ releasePlan: plan, ...milestone }) => ({ milestone, plan }));
  return indexBy(milestones, ({ milestone }) => milestone.id);
};

/** Open change requests of features, newest first. Empty if the database has none. */
export const listChangeRequestsOf = async (
  db: Db,
  layout: UnleashLayoutReader,
  actor: Actor,
  featureNames: readonly string[],
): Promise<ReadonlyMap<string, readonly ChangeRequestRow[]>> => {
  if (!(await layout.current()).hasChangeRequests) return new Map();

  const rows = await readOpenChangeRequests(db, actor, featureNames);
  return groupBy(rows, ({ featureName }) => featureName);
};
