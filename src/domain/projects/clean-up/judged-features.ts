import { Prisma } from '../../../data/db.js';
import { milliseconds } from '../../../data/read-rows.js';
import { STAGES } from '../../features/feature-parts.js';
import { DAY_MS, potentiallyStale } from '../health.js';
import { CLEAN_UP_WEIGHTS, type CleanUpKind, UNSEEN_DAYS } from './clean-up-kinds.js';
import { ROLLED_OUT } from './rolled-out.js';

/** A feature of unknown age counts as older than any other. */
export const OLDEST = -8_640_000_000_000_000;

const HOLDS: Readonly<Record<CleanUpKind, Prisma.Sql>> = {
  stale: Prisma.sql`scope.is_stale`,
  completed: Prisma.sql`stage.stage = 'completed'`,
  'fully-rolled-out': Prisma.sql`rolled_out.environments is not null`,
  'never-seen': Prisma.sql`scope.is_unseen and seen.feature_name is null`,
  'potentially-stale': Prisma.sql`scope.is_outlived`,
};

const WEIGHT = Prisma.join(
  Object.entries(HOLDS).map(
    ([kind, holds]) =>
      Prisma.sql`case when ${holds} then ${CLEAN_UP_WEIGHTS[kind as CleanUpKind]}::int else 0 end`,
  ),
  ' + ',
);

/** The stage entered last, by the rule of `currentStage`. */
const STAGE = Prisma.sql`
  select distinct on (held.feature) held.feature, held.stage, held.created_at, held.status
  from feature_lifecycles held where held.feature in (select scope.name from scope)
  order by held.feature, date_trunc('milliseconds', coalesce(held.created_at, to_timestamp(0))) desc,
    coalesce(array_position(${[...STAGES]}::text[], held.stage::text), 0) desc`;

/**
 * Common table expressions ending in `judged`: the unarchived features that meet a condition (on `t`), each with its
 * weight, which is 0 where there is nothing to clean up.
 */
export const judgedFeatures = (where: Prisma.Sql, now: Date): Prisma.Sql => {
  const created = milliseconds(Prisma.sql`t.created_at`);
  const age = Prisma.sql`${BigInt(now.getTime())}::bigint - ${created}`;
  return Prisma.sql`
  scope as (
    select t.name, t.project, kind.lifetime_days,
      coalesce(${created}::bigint, ${BigInt(OLDEST)}::bigint) as created,
      kind.id is not null and kind.lifetime_days is null as is_lasting,
      coalesce(t.stale, false) as is_stale,
      ${potentiallyStale(now)} as is_outlived,
      t.last_seen_at is null and coalesce(${age} >= ${UNSEEN_DAYS * DAY_MS}::bigint, true) as is_unseen
    from features t left join feature_types kind on kind.id = t.type
    where t.archived_at is null and ${where}
  ), seen as (
    select distinct metric.feature_name from last_seen_at_metrics metric
    where metric.feature_name in (select scope.name from scope)
  ), stage as (${STAGE}),
  ${ROLLED_OUT},
  judged as (
    select scope.name, scope.project, scope.created, scope.lifetime_days, rolled_out.environments,
      stage.created_at as entered_at, stage.status, ${WEIGHT} as weight
    from scope
    left join seen on seen.feature_name = scope.name
    left join stage on stage.feature = scope.name
    left join rolled_out on rolled_out.name = scope.name
  )`;
};
