import { Prisma } from '../db.js';
import { milliseconds } from '../sql/read-rows.sql.js';
import { STAGES } from './stages.js';

const DAY_MS = 86_400_000;

/** When the feature `t` was last seen in one of its environments, or by an old SDK; the rule of `lastSeenAnywhere`. */
export const LAST_SEEN = Prisma.sql`greatest(t.last_seen_at, (
  select max(seen.last_seen_at) from last_seen_at_metrics seen
  join feature_environments own
    on own.feature_name = seen.feature_name and own.environment = seen.environment
  where seen.feature_name = t.name))`;

/** The current lifecycle stage of the feature `t`; the rule of `currentStage`. Null without any. */
export const CURRENT_STAGE = Prisma.sql`(
  select entered.stage::text from feature_lifecycles entered where entered.feature = t.name
  order by date_trunc('milliseconds', coalesce(entered.created_at, to_timestamp(0))) desc,
    coalesce(array_position(${[...STAGES]}::text[], entered.stage::text), 0) desc limit 1)`;

/** The rule of `isPotentiallyStale` for the feature `t`, now. */
export const POTENTIALLY_STALE = Prisma.sql`coalesce((
  select not coalesce(t.stale, false) and extract(epoch from now()) * 1000
    - ${milliseconds(Prisma.sql`t.created_at`)} >= kind.lifetime_days * ${BigInt(DAY_MS)}::bigint
  from feature_types kind where kind.id = t.type), false)`;

export const isEnabledIn = (environmentName: string): Prisma.Sql => Prisma.sql`exists (
  select from feature_environments held
  where held.feature_name = t.name and held.environment = ${environmentName} and held.enabled)`;

export const usesSegment = (segmentId: number): Prisma.Sql => Prisma.sql`exists (
  select from feature_strategies strategy
  join feature_strategy_segment held on held.feature_strategy_id = strategy.id
  where strategy.feature_name = t.name and held.segment_id = ${segmentId})`;

export const hasTag = ({ type, value }: { type: string; value: string }): Prisma.Sql =>
  Prisma.sql`exists (select from feature_tag held
    where held.feature_name = t.name and held.tag_type = ${type} and held.tag_value = ${value})`;

export const isFavoriteOf = (userId: number): Prisma.Sql => Prisma.sql`exists (
  select from favorite_features held where held.feature = t.name and held.user_id = ${userId})`;
