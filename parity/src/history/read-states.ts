import type { Sql } from '../world/sql.js';

export type StrategyState = {
  id: string;
  name: string;
  title: string | null;
  disabled: boolean;
  parameters: unknown;
  constraints: unknown;
  segmentIds: number[];
};

export type EnvironmentState = {
  /** Whether the feature is in the environment. */
  isPresent: boolean;
  inProject: boolean;
  enabled: boolean;
  variants: unknown;
  strategies: StrategyState[];
};

/** A feature as the tables of upstream have it. */
export type FeatureState = {
  name: string;
  projectId: string;
  type: string;
  description: string | null;
  stale: boolean;
  impressionData: boolean;
  archived: boolean;
  tags: { type: string; value: string }[];
  dependencies: { featureName: string; enabled: boolean; variantNames: string[] }[];
  environments: Record<string, EnvironmentState>;
};

const SELECT = `
  select json_build_object(
    'name', f.name, 'projectId', f.project, 'type', f.type, 'description', f.description,
    'stale', coalesce(f.stale, false), 'impressionData', coalesce(f.impression_data, false),
    'archived', f.archived_at is not null,
    'tags', coalesce((select json_agg(json_build_object('type', t.tag_type, 'value', t.tag_value)
      order by t.tag_type collate "C", t.tag_value collate "C") from feature_tag t where t.feature_name = f.name), '[]'),
    'dependencies', coalesce((select json_agg(json_build_object('featureName', d.parent, 'enabled', d.enabled,
      'variantNames', coalesce(d.variants, '[]')) order by d.parent) from dependent_features d where d.child = f.name), '[]'),
    'environments', (select json_object_agg(e.name, json_build_object(
      'isPresent', fe.feature_name is not null,
      'inProject', exists (select from project_environments p
        where p.project_id = f.project and p.environment_name = e.name),
      'enabled', coalesce(fe.enabled, false),
      'variants', coalesce(fe.variants, '[]'),
      'strategies', coalesce((select json_agg(json_build_object('id', s.id, 'name', s.strategy_name, 'title', s.title,
        'disabled', coalesce(s.disabled, false), 'parameters', s.parameters, 'constraints', s.constraints,
        'segmentIds', array(select held.segment_id from feature_strategy_segment held
          where held.feature_strategy_id = s.id order by held.segment_id))
        order by s.sort_order, s.created_at, s.id)
        from feature_strategies s where s.feature_name = f.name and s.environment = e.name), '[]')))
      from environments e left join feature_environments fe
        on fe.environment = e.name and fe.feature_name = f.name)
  ) as state from features f order by f.name`;

/** All features by name. */
export const readStates = async (sql: Sql): Promise<Map<string, FeatureState>> => {
  const rows = await sql.query<{ state: FeatureState }>(SELECT);
  return new Map(rows.map(({ state }) => [state.name, state]));
};
