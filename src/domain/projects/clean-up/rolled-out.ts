import { Prisma } from '../../../data/db.js';

/** Strategies that pass a share of everybody, and the parameter that holds the share. */
const SHARES: Readonly<Record<string, string>> = {
  flexibleRollout: 'rollout',
  gradualRolloutRandom: 'percentage',
  gradualRolloutSessionId: 'percentage',
  gradualRolloutUserId: 'percentage',
};

/** A list that is there but is none (JSON of any shape may be stored) counts as one that holds something. */
const isEmpty = (list: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`coalesce(${list}, 'null') in ('[]'::jsonb, 'null'::jsonb)`;

const passesAll = Prisma.join(
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
 * Common table expressions ending in `rolled_out`: of the features in `scope` those that are on for everybody in all
 * environments of their project, with the number of these. Environments that are switched off for everybody do not
 * count. A feature that has variants, or that depends on another one, still decides something.
 */
export const ROLLED_OUT = Prisma.sql`
  opened as (
    select strategy.feature_name, strategy.environment,
      bool_or((${passesAll}) and ${isEmpty(Prisma.sql`strategy.constraints`)} and not exists (
        select from feature_strategy_segment held where held.feature_strategy_id = strategy.id
      )) as is_for_all,
      bool_and(${isEmpty(Prisma.sql`strategy.variants`)}) as is_plain
    from feature_strategies strategy
    where strategy.feature_name in (select scope.name from scope where not scope.is_lasting)
      and strategy.disabled is not true
    group by 1, 2
  ), rolled_out as (
    select scope.name, count(*)::int as environments
    from scope
    join project_environments used on used.project_id = scope.project
    join environments known on known.name = used.environment_name and known.enabled is not false
    left join feature_environments here
      on here.feature_name = scope.name and here.environment = known.name
    left join opened on opened.feature_name = scope.name and opened.environment = known.name
    where not scope.is_lasting
      and not exists (select from dependent_features parent where parent.child = scope.name)
    group by scope.name
    having bool_and(coalesce(
      here.enabled and ${isEmpty(Prisma.sql`here.variants`)} and opened.is_for_all and opened.is_plain, false
    ))
  )`;
