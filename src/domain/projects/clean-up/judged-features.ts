import { Prisma } from '../../../data/db.js';
import { milliseconds } from '../../../data/read-rows.js';
import { STAGES } from '../../features/feature-parts.js';
import { DAY_MS, potentiallyStaleCondition } from '../health.js';
import {
  CLEAN_UP_KINDS,
  CLEAN_UP_WEIGHTS,
  type CleanUpKind,
  UNSEEN_DAYS,
} from './clean-up-kinds.js';
import { ROLLED_OUT } from './rolled-out.js';

/** A feature of unknown age counts as older than any other. */
export const OLDEST = -8_640_000_000_000_000;

/** What `currentStage` sorts the stages of a feature by. */
const rankOf = (stage: Prisma.Sql): Prisma.Sql => Prisma.sql`(
  date_trunc('milliseconds', coalesce(${stage}.created_at, to_timestamp(0))),
  coalesce(array_position(${[...STAGES]}::text[], ${stage}.stage::text), 0))`;

const COMPLETED = Prisma.sql`done.stage is not null and not exists (
  select from feature_lifecycles other where other.feature = done.feature
    and ${rankOf(Prisma.sql`other`)} > ${rankOf(Prisma.sql`done`)})`;

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
 * The unarchived features that meet a condition (on `t`), each with its weight, which is 0 where there is nothing to
 * clean up. What belongs to a feature is looked up by its name, one after the other: joined all at once, a server that
 * knows nothing yet about its tables, as the embedded one never does, takes the square of the time.
 */
export const judgedFeatures = (where: Prisma.Sql, now: Date): Prisma.Sql => {
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
