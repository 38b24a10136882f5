import {
  ARCHIVED_COUNT,
  DELIVERY_COUNT,
  EVENT_TYPES,
  FEATURE_COUNT,
  FIRST_TIMESTAMP,
  INTEGRATION_ID,
  LARGE_PROJECT,
  OTHER_PROJECTS,
  SEGMENT_COUNT,
  USER_COUNT,
} from './facts.js';

export const textArray = (values: readonly string[]): string =>
  `array[${values.map((value) => `'${value}'`).join(',')}]::text[]`;

const PROJECTS = [LARGE_PROJECT, ...OTHER_PROJECTS];

/** An integer below `below`, determined by the key and the purpose. */
export const pick = (key: string, purpose: number, below: number): string =>
  `((hashint8extended(${key}::bigint, ${purpose}) & 2147483647) % ${below})::int`;

/** Name of the feature with this number. */
export const featureName = (number: string): string =>
  `'feature-' || lpad((${number})::text, 5, '0')`;

/** Every fifth feature is in the large project; the others are distributed in turn. */
export const projectOfFeature = (number: string): string =>
  `(case when (${number}) % 5 = 0 then '${LARGE_PROJECT}'
    else (${textArray(OTHER_PROJECTS)})[1 + ${pick(number, 1, OTHER_PROJECTS.length)}] end)`;

const ENVIRONMENTS = ['development', 'production'];

const projects = [
  `insert into projects (id, name, description)
   select id, initcap(id), 'Features of ' || id from unnest(${textArray(PROJECTS)}) as id
   on conflict (id) do nothing`,
  `update projects set created_at = timestamp '2023-12-01', updated_at = timestamptz '2025-12-31T00:00:00Z', health = 80`,
  `delete from project_environments where project_id = 'default'`,
  `insert into project_environments (project_id, environment_name)
   select id, environment from unnest(${textArray(PROJECTS)}) as id, unnest(${textArray(ENVIRONMENTS)}) as environment`,
  `insert into project_settings (project, default_stickiness, project_mode)
   select id, 'default', 'open' from projects on conflict do nothing`,
  `insert into project_stats (project, avg_time_to_prod_current_window, project_changes_current_window)
   select id, 12, 34 from projects on conflict do nothing`,
];

const people = [
  `insert into users (id, name, username, email, created_at)
   select n, 'User ' || n, 'user' || n, 'user' || n || '@example.com', timestamp '2023-12-01'
   from generate_series(1, ${USER_COUNT}) as n`,
  `insert into role_user (role_id, user_id, created_at, project)
   select 1 + n % 3, n, timestamp '2023-12-01', 'default' from generate_series(1, ${USER_COUNT}) as n`,
  `select setval('users_id_seq', ${USER_COUNT})`,
];

const segments = [
  `insert into segments (id, name, description, created_by, created_at, constraints)
   select n, 'segment-' || n, 'Who belongs to segment ' || n, 'user1', timestamptz '${FIRST_TIMESTAMP}',
     jsonb_build_array(jsonb_build_object('contextName', 'userId', 'operator', 'IN', 'values',
       jsonb_build_array('u' || n, 'u' || n + 1), 'inverted', false, 'caseInsensitive', false))
   from generate_series(1, ${SEGMENT_COUNT}) as n`,
  `select setval('segments_id_seq', ${SEGMENT_COUNT})`,
];

const FEATURE_TYPES = ['release', 'experiment', 'operational', 'kill-switch', 'permission'];

const ALL_FEATURES = FEATURE_COUNT + ARCHIVED_COUNT;

const features = [
  // Features older than their lifetime are already marked, because Unleash would mark them and record an event.
  `insert into features (name, description, type, project, stale, potentially_stale, created_at, archived_at, archived,
     created_by_user_id)
   select ${featureName('n')}, 'What feature ' || n || ' is for', t.id, ${projectOfFeature('n')}, n % 40 = 7,
     n % 40 <> 7 and n <= ${FEATURE_COUNT} and t.lifetime_days is not null,
     timestamptz '${FIRST_TIMESTAMP}' + n * interval '1 hour',
     case when n > ${FEATURE_COUNT} then timestamptz '2025-12-01T00:00:00Z' end, n > ${FEATURE_COUNT},
     1 + ${pick('n', 3, USER_COUNT)}
   from generate_series(1, ${ALL_FEATURES}) as n
   join feature_types t on t.id = (${textArray(FEATURE_TYPES)})[1 + ${pick('n', 2, FEATURE_TYPES.length)}]
   order by n`,
  `insert into feature_lifecycles (feature, stage, created_at)
   select ${featureName('n')}, case when n > ${FEATURE_COUNT} then 'archived' else 'initial' end,
     timestamptz '${FIRST_TIMESTAMP}' + n * interval '1 hour'
   from generate_series(1, ${ALL_FEATURES}) as n`,
  `insert into feature_environments (environment, feature_name, enabled, variants, last_seen_at)
   select environment, ${featureName('n')}, (n + place) % 3 = 0,
     case when n % 10 = 0 then '[{"name":"blue","weight":1000,"weightType":"variable","stickiness":"default"}]'::jsonb
     else '[]'::jsonb end,
     timestamptz '2025-12-01T00:00:00Z' + n * interval '1 second'
   from generate_series(1, ${ALL_FEATURES}) as n,
     unnest(${textArray(ENVIRONMENTS)}) with ordinality as e(environment, place)`,
  `insert into feature_strategies (id, feature_name, project_name, environment, strategy_name, parameters, constraints,
     sort_order, created_at, title, disabled, variants, created_by_user_id)
   select md5(n || '/' || environment || '/' || place)::uuid::text, ${featureName('n')}, ${projectOfFeature('n')}, environment,
     'flexibleRollout',
     jsonb_build_object('rollout', (place * 25)::text, 'stickiness', 'default', 'groupId', ${featureName('n')}),
     jsonb_build_array(jsonb_build_object('contextName', 'userId', 'operator', 'IN', 'values',
       jsonb_build_array('u' || n, 'u' || n + 1), 'inverted', false, 'caseInsensitive', false)),
     place, timestamptz '${FIRST_TIMESTAMP}' + n * interval '1 hour', 'Step ' || place, false, '[]'::jsonb, 1
   from generate_series(1, ${ALL_FEATURES}) as n, unnest(${textArray(ENVIRONMENTS)}) as environment,
     generate_series(1, 1 + n % 2) as place`,
  `insert into feature_strategy_segment (feature_strategy_id, segment_id, created_at)
   select md5(n || '/production/1')::uuid::text, 1 + n % ${SEGMENT_COUNT}, timestamptz '${FIRST_TIMESTAMP}'
   from generate_series(1, ${ALL_FEATURES}, 4) as n`,
  `insert into tags (type, value, created_at)
   select 'simple', 'team-' || n, timestamptz '${FIRST_TIMESTAMP}' from generate_series(0, 29) as n`,
  `insert into feature_tag (feature_name, tag_type, tag_value, created_at)
   select ${featureName('n')}, 'simple', 'team-' || (n + place * 7) % 30, timestamptz '${FIRST_TIMESTAMP}'
   from generate_series(1, ${ALL_FEATURES}) as n, generate_series(1, n % 3) as place`,
];

const integrations = [
  // Subscribes to a type that no case records, so that nothing is sent.
  `insert into addons (id, provider, description, enabled, parameters, events, created_at)
   select n, 'webhook', 'Integration ' || n, true, '{"url":"http://127.0.0.1:9/"}'::json, '["group-deleted"]'::json,
     timestamptz '${FIRST_TIMESTAMP}'
   from generate_series(${INTEGRATION_ID}, ${INTEGRATION_ID} + 1) as n`,
  `select setval('addons_id_seq', ${INTEGRATION_ID} + 1)`,
  `insert into integration_events (id, integration_id, created_at, state, state_details, event, details)
   select n, ${INTEGRATION_ID} + (n % 10 = 0)::int, timestamptz '2025-12-01T00:00:00Z' + n * interval '1 minute',
     (array['success','success','success','failed','successWithErrors'])[1 + ${pick('n', 4, 5)}],
     'Webhook request was answered with status ' || 200 + ${pick('n', 4, 5)} || '.',
     jsonb_build_object('id', n, 'type', (${textArray(EVENT_TYPES)})[1 + ${pick('n', 5, EVENT_TYPES.length)}],
       'createdBy', 'user' || 1 + ${pick('n', 6, USER_COUNT)} || '@example.com', 'createdAt', '2025-12-01T00:00:00.000Z',
       'featureName', ${featureName(`1 + ${pick('n', 7, FEATURE_COUNT)}`)}, 'project', '${LARGE_PROJECT}',
       'data', jsonb_build_object('name', 'flexibleRollout', 'id', md5(n::text))),
     jsonb_build_object('url', 'http://127.0.0.1:9/', 'body', repeat('delivered ', 12))
   from generate_series(1, ${DELIVERY_COUNT}) as n`,
  `select setval('integration_events_id_seq', ${DELIVERY_COUNT})`,
];

const token = (secret: string) => [
  `insert into api_tokens (secret, username, token_name, type, created_at, created_by_user_id)
   values ('${secret}', 'bench', 'bench', 'admin', timestamptz '${FIRST_TIMESTAMP}', -1337)`,
];

/** Statements that fill all tables except the event log, in this order. */
export const buildingBlocks = (adminToken: string): string[] => [
  ...projects,
  ...people,
  ...segments,
  ...features,
  ...integrations,
  ...token(adminToken),
];
