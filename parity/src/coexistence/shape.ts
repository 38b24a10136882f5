import type { Sql } from '../world/sql.js';
import { normalize } from './normalize.js';

const SHAPE = `select jsonb_build_object(
  'features', (select to_jsonb(f) - 'created_by_user_id' from features f where name = $1),
  'environments', array(select to_jsonb(e) from feature_environments e where feature_name = $1),
  'strategies', array(select to_jsonb(s) || jsonb_build_object('segments', array(select segment_id
      from feature_strategy_segment l where l.feature_strategy_id = s.id order by 1))
    from feature_strategies s where feature_name = $1),
  'dependencies', array(select to_jsonb(d) from dependent_features d where child = $1),
  'tags', array(select to_jsonb(t) from feature_tag t where feature_name = $1),
  'events', array(select jsonb_build_object('type', type, 'environment', environment, 'project', project,
      'featureName', feature_name, 'data', data, 'preData', pre_data, 'tags', tags)
    from events where feature_name = $1)
) as shape`;

/** All rows of a feature, without values that differ in every copy. */
export const shapeOf = async (
  sql: Sql,
  name: string,
  options: { since: string; version: string },
): Promise<unknown> => {
  const { shape } = await sql.one<{ shape: unknown }>(SHAPE, [name]);
  return normalize(shape, { ...options, name });
};
