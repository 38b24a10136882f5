import { Prisma } from '../db.js';

/** Strategies that match a percentage of all users, and the parameter with the percentage. */
const SHARES: Readonly<Record<string, string>> = {
  flexibleRollout: 'rollout',
  gradualRolloutRandom: 'percentage',
  gradualRolloutSessionId: 'percentage',
  gradualRolloutUserId: 'percentage',
};

/** A stored value that is neither a list nor null (JSON can have any shape) counts as not empty. */
const isEmpty = (list: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`coalesce(${list}, 'null') in ('[]'::jsonb, 'null'::jsonb)`;

const PASSES_ALL = Prisma.join(
  [
    Prisma.sql`strategy.strategy_name = 'default'`,
    ...Object.entries(SHARES).map(
      ([name, parameter]) => Prisma.sql`strategy.strategy_name = ${name}
        and strategy.parameters ->> ${parameter}::text ~ '^100(\\.0+)?$'`,
    ),
  ],
  ' or ',
);

/**
 * What the enabled strategies of the feature `t` do in each environment. Not limited to one environment: a server
 * without statistics might search by it first, and find strategies of nearly all features.
 */
const OPENED = Prisma.sql`
  select strategy.environment,
    bool_or((${PASSES_ALL}) and ${isEmpty(Prisma.sql`strategy.constraints`)} and not exists (
      select from feature_strategy_segment held where held.feature_strategy_id = strategy.id
    )) as is_for_all,
    bool_and(${isEmpty(Prisma.sql`strategy.variants`)}) as is_plain
  from feature_strategies strategy
  where strategy.feature_name = t.name and strategy.disabled is not true
  group by 1`;

/**
 * The number of environments of its project if the feature `t` (of type `kind`) is enabled for all users in all of
 * them, otherwise no row. Globally disabled environments do not count. Features with variants or a parent still
 * decide something, and features of a permanent type are enabled while they are not needed.
 */
export const ROLLED_OUT = Prisma.sql`
  select count(*)::int as environments
  from project_environments used
  join environments known on known.name = used.environment_name and known.enabled is not false
  left join feature_environments here
    on here.feature_name = t.name and here.environment = used.environment_name
  left join (${OPENED}) opened on opened.environment = used.environment_name
  where used.project_id = t.project and (kind.id is null or kind.lifetime_days is not null)
    and t.name not in (select parent.child from dependent_features parent)
  having count(*) > 0 and bool_and(coalesce(
    here.enabled and ${isEmpty(Prisma.sql`here.variants`)} and opened.is_for_all and opened.is_plain, false
  ))`;
