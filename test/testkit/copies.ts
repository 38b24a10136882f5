import type { Db } from '../../src/data/db.js';

/** Rows of each table that belong to one copy. */
export type Copy = { name: string } & Record<string, unknown>;

/** The names of all copies, with their number of rows in each table that a clone writes. */
export const readCopies = (db: Db): Promise<Copy[]> => db.$queryRaw<Copy[]>`
  with names as (
    select name from features where name like 'copy-%'
    union select feature_name from events where feature_name like 'copy-%'
    union select feature_name from feature_environments where feature_name like 'copy-%'
    union select feature_name from feature_strategies where feature_name like 'copy-%'
    union select child from dependent_features where child like 'copy-%'
  )
  select name,
    (select count(*)::int from features f where f.name = n.name) as features,
    (select count(*)::int from events e where e.feature_name = n.name) as events,
    (select count(*)::int from feature_environments e where e.feature_name = n.name) as feature_environments,
    (select count(*)::int from feature_strategies s where s.feature_name = n.name) as feature_strategies,
    (select count(*)::int from feature_strategies s join feature_strategy_segment g on g.feature_strategy_id = s.id
      where s.feature_name = n.name) as feature_strategy_segment,
    (select count(*)::int from dependent_features d where d.child = n.name) as dependent_features
  from names n order by name`;
