import { Prisma } from '../db.js';
import { STAGES } from '../features/stages.js';
import { milliseconds } from '../sql/read-rows.sql.js';
import {
  CLEAN_UP_KINDS,
  CLEAN_UP_WEIGHTS,
  type CleanUpKind,
  DEFAULT_NOT_SEEN_DAYS,
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

/** When any application last reported using the feature `t`. The column of the feature is a legacy one. */
const SEEN = Prisma.sql`
  select greatest(t.last_seen_at, max(metric.last_seen_at)) as at
  from last_seen_at_metrics metric where metric.feature_name = t.name`;

type Limits = { now: Date; notSeenForDays?: number | undefined };

const timeSince = (now: Date, timestamp: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`${BigInt(now.getTime())}::bigint - ${milliseconds(timestamp)}`;

/** Features of unknown age count as old enough. */
const notSeenCondition = ({ now, notSeenForDays = DEFAULT_NOT_SEEN_DAYS }: Limits): Prisma.Sql => {
  const limit = Prisma.sql`${notSeenForDays * DAY_MS}::bigint`;
  return Prisma.sql`coalesce(${timeSince(now, Prisma.sql`t.created_at`)} >= ${limit}, true)
    and coalesce(${timeSince(now, Prisma.sql`seen.at`)} >= ${limit}, true)`;
};

const ruleOf = (kind: CleanUpKind, limits: Limits): Prisma.Sql => {
  switch (kind) {
    case 'stale':
      return Prisma.sql`t.stale`;
    case 'completed':
      return COMPLETED;
    case 'fully-rolled-out':
      return Prisma.sql`rolled_out.environments is not null`;
    case 'not-seen':
      return notSeenCondition(limits);
    case 'potentially-stale':
      return potentiallyStaleCondition(limits.now);
  }
};

/**
 * Unarchived features that match a condition (alias `t`), each with its weight; 0 if there is nothing to clean up.
 * Related rows are looked up per feature: in a single join, a server without table statistics, which the embedded one
 * never has, needs quadratic time.
 */
export const weightedFeatures = (where: Prisma.Sql, limits: Limits): Prisma.Sql => {
  const created = milliseconds(Prisma.sql`t.created_at`);
  const weights = CLEAN_UP_KINDS.map(
    (kind) =>
      Prisma.sql`case when ${ruleOf(kind, limits)} then ${CLEAN_UP_WEIGHTS[kind]}::int else 0 end`,
  );
  return Prisma.sql`
    select t.name, t.project, kind.lifetime_days, rolled_out.environments,
      coalesce(${created}::bigint, ${BigInt(OLDEST)}::bigint) as created,
      done.created_at as completed_at, done.status, seen.at as seen_at, ${Prisma.join(weights, ' + ')} as weight
    from features t
    left join feature_types kind on kind.id = t.type
    left join feature_lifecycles done on done.feature = t.name and done.stage = 'completed'
    left join lateral (${ROLLED_OUT}) rolled_out on true
    left join lateral (${SEEN}) seen on true
    where t.archived_at is null and ${where}`;
};
