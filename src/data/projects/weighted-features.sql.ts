import { Prisma } from '../db.js';
import { STAGES } from '../features/stages.js';
import { milliseconds } from '../sql/read-rows.sql.js';
import {
  CLEAN_UP_KINDS,
  CLEAN_UP_WEIGHTS,
  type CleanUpKind,
  UNSEEN_DAYS,
} from './clean-up-kinds.js';
import { ROLLED_OUT } from './rolled-out.sql.js';

const DAY_MS = 86_400_000;

/** Features of unknown age count as older than all others. */
export const OLDEST = -8_640_000_000_000_000;

/** Sort key of stages, as in `currentStage`. */
const rankOf = (stage: Prisma.Sql): Prisma.Sql => Prisma.sql`(
  date_trunc('milliseconds', coalesce(${stage}.created_at, to_timestamp(0))),
  coalesce(array_position(${[...STAGES]}::text[], ${stage}.stage::text), 0))`;

const COMPLETED = Prisma.sql`done.stage is not null and not exists (
  select from feature_lifecycles other where other.feature = done.feature
    and ${rankOf(Prisma.sql`other`)} > ${rankOf(Prisma.sql`done`)})`;

/** The rule of `isPotentiallyStale`, for a feature (alias `t`) and its type (alias `kind`), if known. */
const potentiallyStaleCondition = (now: Date): Prisma.Sql => Prisma.sql`coalesce(
  not coalesce(t.stale, false) and ${BigInt(now.getTime())}::bigint
    - ${milliseconds(Prisma.sql`t.created_at`)} >= kind.lifetime_days * ${BigInt(DAY_MS)}::bigint, false)`;

const ruleOf = (kind: CleanUpKind, age: Prisma.Sql, now: Date): Prisma.Sql => {
  switch (kind) {
    case 'stale':
      return Prisma.sql`t.stale`;
    case 'completed':
      return COMPLETED;
    case 'fully-rolled-out':
      return Prisma.sql`rolled_out.environments is not null`;
    case 'never-seen':
      return Prisma.sql`t.last_seen_at is null
        and coalesce(${age} >= ${UNSEEN_DAYS * DAY_MS}::bigint, true) and not exists (
          select from last_seen_at_metrics metric where metric.feature_name = t.name)`;
    case 'potentially-stale':
      return potentiallyStaleCondition(now);
  }
};

/**
 * Unarchived features that match a condition (alias `t`), each with its weight; 0 if there is nothing to clean up.
 * Related rows are looked up per feature: in a single join, a server without table statistics, which the embedded one
 * never has, needs quadratic time.
 */
export const weightedFeatures = (where: Prisma.Sql, now: Date): Prisma.Sql => {
  const created = milliseconds(Prisma.sql`t.created_at`);
  const age = Prisma.sql`${BigInt(now.getTime())}::bigint - ${created}`;
  const weights = CLEAN_UP_KINDS.map(
    (kind) =>
      Prisma.sql`case when ${ruleOf(kind, age, now)} then ${CLEAN_UP_WEIGHTS[kind]}::int else 0 end`,
  );
  return Prisma.sql`
    select t.name, t.project, kind.lifetime_days, rolled_out.environments,
      coalesce(${created}::bigint, ${BigInt(OLDEST)}::bigint) as created,
      done.created_at as completed_at, done.status, ${Prisma.join(weights, ' + ')} as weight
    from features t
    left join feature_types kind on kind.id = t.type
    left join feature_lifecycles done on done.feature = t.name and done.stage = 'completed'
    left join lateral (${ROLLED_OUT}) rolled_out on true
    where t.archived_at is null and ${where}`;
};
