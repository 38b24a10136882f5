import { type AdminApi, textOf } from './admin-api.js';
import type { Segments } from './building-blocks.js';
import type { Row, Sql } from './sql.js';

const CONSTRAINTS = [
  { contextName: 'userId', operator: 'IN', values: ['a', 'b', 'c'] },
  { contextName: 'userId', operator: 'NOT_IN', values: ['z'] },
  {
    contextName: 'appName',
    operator: 'STR_CONTAINS',
    values: ['shop'],
    caseInsensitive: true,
    inverted: true,
  },
  { contextName: 'appName', operator: 'STR_STARTS_WITH', values: ['web', 'app'] },
  { contextName: 'appName', operator: 'STR_ENDS_WITH', values: ['-eu'] },
  {
    contextName: 'currentTime',
    operator: 'DATE_AFTER',
    value: '2024-01-01T00:00:00.000Z',
    values: [],
  },
  { contextName: 'currentTime', operator: 'DATE_BEFORE', value: '2034-01-01', values: [] },
  { contextName: 'sessionId', operator: 'NUM_GTE', value: '42', values: [] },
  { contextName: 'sessionId', operator: 'NUM_LT', value: '1e3' },
  { contextName: 'environment', operator: 'SEMVER_GT', value: '1.2.3', values: [] },
  { contextName: 'environment', operator: 'SEMVER_LT', value: '10.0.0-rc.1', values: [] },
  { contextName: 'tier', operator: 'IN', values: ['gold', 'silver'] },
  { contextName: 'level', operator: 'NUM_EQ', value: '42', values: [] },
];

const STRATEGY_VARIANTS = [
  {
    name: 'zulu',
    weight: 500,
    weightType: 'variable',
    stickiness: 'default',
    payload: { type: 'json', value: '{"a":1}' },
  },
  { name: 'alfa', weight: 500, weightType: 'variable', stickiness: 'default' },
  { name: 'Mike', weight: 100, weightType: 'fix', stickiness: 'default' },
];

const ENVIRONMENT_VARIANTS = [
  {
    name: 'red',
    weight: 1000,
    weightType: 'variable',
    stickiness: 'default',
    payload: { type: 'string', value: 'r' },
    overrides: [{ contextName: 'userId', values: ['1', '2'] }],
  },
  { name: 'Blue', weight: 0, weightType: 'fix', stickiness: 'default' },
  { name: 'ähnlich', weight: 0, weightType: 'variable', stickiness: 'userId' },
  { name: 'apple', weight: 0, weightType: 'variable', stickiness: 'userId' },
];

const rollout = (extra: object = {}) => ({
  name: 'flexibleRollout',
  parameters: { rollout: '100', stickiness: 'default', groupId: 'shared-group' },
  constraints: [],
  ...extra,
});

type Maker = ReturnType<typeof createMaker>;

const createMaker = (api: AdminApi) => {
  const path = (project: string, name: string) =>
    `/api/admin/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;
  return {
    path,
    feature: async (project: string, name: string, fields: object = {}) => {
      await api.post(`/api/admin/projects/${encodeURIComponent(project)}/features`, {
        name,
        type: 'release',
        ...fields,
      });
    },
    strategy: async (project: string, name: string, environment: string, body: object) =>
      textOf(
        await api.post(
          `${path(project, name)}/environments/${encodeURIComponent(environment)}/strategies`,
          body,
        ),
        'id',
      ),
    turn: async (project: string, name: string, environment: string, state: 'on' | 'off') => {
      const environmentPath = `${path(project, name)}/environments/${encodeURIComponent(environment)}`;
      await api.post(`${environmentPath}/${state}`);
    },
    tag: async (name: string, type: string, value: string) => {
      await api.post(`/api/admin/features/${encodeURIComponent(name)}/tags`, { type, value });
    },
  };
};

const fillRichFeature = async (api: AdminApi, sql: Sql, make: Maker, segments: Segments) => {
  const name = 'rich';
  const fields = {
    type: 'experiment',
    description: 'all: "quotes", 100%, under_score',
    impressionData: true,
  };
  await make.feature('default', name, fields);
  await make.strategy(
    'default',
    name,
    'development',
    rollout({
      title: 'with all sorts of constraints',
      sortOrder: 0,
      constraints: CONSTRAINTS,
      segments: [segments['everywhere'], segments['second']],
      variants: STRATEGY_VARIANTS,
    }),
  );
  const others = [
    ['development', { name: 'default', title: '', disabled: true, sortOrder: 1 }],
    ['development', { name: 'userWithId', parameters: { userIds: 'u1,u2' }, sortOrder: 2 }],
    ['production', { name: 'remoteAddress', parameters: { IPs: '10.0.0.1' } }],
    ['production', { name: 'applicationHostname', parameters: { hostNames: 'h1,h2' } }],
    ['production', { name: 'grouped', parameters: { groupId: 'keep-me', percent: '10' } }],
    ['production', { name: 'flexibleRollout' }],
    ['staging', rollout({ title: 'staged' })],
  ] as const;
  for (const [environment, strategy] of others) {
    await make.strategy('default', name, environment, { constraints: [], ...strategy });
  }
  // Environment variants can be edited only if there are some.
  await sql.query(
    `update feature_environments set variants = '[{"name":"first","weight":1000,"weightType":"variable","stickiness":"default"}]'
     where feature_name = $1`,
    [name],
  );
  const variantsOf = (environment: string) =>
    `${make.path('default', name)}/environments/${environment}/variants`;
  await api.put(
    variantsOf('development'),
    ENVIRONMENT_VARIANTS.filter((variant) => variant.name !== 'ähnlich'),
  );
  await api.put(variantsOf('production'), ENVIRONMENT_VARIANTS.slice(0, 1));
  for (const [type, value] of [
    ['simple', 'zeta'],
    ['simple', 'Alpha'],
    ['team', 'payments'],
    ['simple', 'with space'],
  ] as const) {
    await make.tag(name, type, value);
  }
  await api.delete(`/api/admin/features/${name}/tags/simple/with%20space`);
  await make.turn('default', name, 'development', 'on');
  await make.turn('default', name, 'production', 'on');
  await make.turn('default', name, 'production', 'off');
};

const fillEditedFeature = async (api: AdminApi, make: Maker, segments: Segments) => {
  await make.feature('default', 'edited', { type: 'operational' });
  const addStrategy = (body: object) => make.strategy('default', 'edited', 'development', body);
  const first = await addStrategy(
    rollout({ parameters: { rollout: '25', stickiness: 'default', groupId: 'edited' } }),
  );
  const second = await addStrategy({
    name: 'userWithId',
    parameters: { userIds: 'x' },
    constraints: [],
  });
  const third = await addStrategy({ name: 'default', constraints: [] });
  const fourth = await addStrategy({
    name: 'grouped',
    title: 'Mine',
    parameters: { groupId: 'g' },
    constraints: [],
  });
  const base = `${make.path('default', 'edited')}/environments/development/strategies`;
  await api.put(`${base}/${first}`, {
    name: 'flexibleRollout',
    title: 'half',
    parameters: { rollout: '50', stickiness: 'userId', groupId: 'other' },
    constraints: [{ contextName: 'userId', operator: 'NOT_IN', values: ['9'], inverted: true }],
    segments: [segments['everywhere']],
  });
  await api.put(`${base}/${second}`, {
    name: 'userWithId',
    parameters: { userIds: '' },
    constraints: [],
  });
  await api.patch(`${base}/${third}`, [{ op: 'replace', path: '/disabled', value: true }]);
  await api.post(`${base}/set-sort-order`, [
    { id: third, sortOrder: 0 },
    { id: first, sortOrder: 1 },
    { id: second, sortOrder: 2 },
    { id: fourth, sortOrder: 3 },
  ]);
  await api.delete(`${base}/${fourth}`);
  await make.turn('default', 'edited', 'development', 'on');
};

const PLAIN: readonly [project: string, name: string, facts: object][] = [
  ...['release', 'experiment', 'operational', 'kill-switch', 'permission']
    .map((type) => ['default', `plain-${type}`, { type, description: `plain ${type}` }] as const)
    .map(([project, name, fields]): [string, string, object] => [project, name, fields]),
  ['default', 'odd-type', { description: '' }],
  ['default', 'no-description', {}],
  ['default', '123', { description: 'a name like a number' }],
  ['default', '7', { description: 'a smaller one' }],
  ['default', 'A-upper', {}],
  ['default', 'under_score', { description: '100% _underscore_ \\ backslash' }],
  ['default', "all~of!them*that'fit(in).a-url_", {}],
  ['default', `n${'x'.repeat(99)}`, { description: 'the longest name' }],
  ['alpha', 'team.two', { type: 'operational' }],
  ['private-one', 'x-one', {}],
  ['guarded', 'guarded-feature', {}],
  ['full', 'full-feature', {}],
  ['unmatched', 'free', {}],
  ['either', 'aardvark', {}],
  ['CamelCase', 'camel', {}],
  ['odd id/ä', 'oddly-placed', {}],
];

const fillLifecycles = async (api: AdminApi, make: Maker) => {
  for (const name of [
    'stale',
    'fresh-again',
    'revived',
    'archived',
    'removed',
    'completed',
    'reopened',
    'archived-parent',
  ]) {
    await make.feature('default', name, { description: `is ${name}` });
  }
  const stale = (features: string[], value: boolean) =>
    api.post('/api/admin/projects/default/stale', { features, stale: value });
  await stale(['stale', 'fresh-again'], true);
  await stale(['fresh-again'], false);
  for (const name of ['revived', 'archived', 'removed'])
    await api.delete(make.path('default', name));
  await api.post('/api/admin/archive/revive/revived');
  await api.delete('/api/admin/archive/removed');
  const lifecycle = (name: string) => `${make.path('default', name)}/lifecycle`;
  await api.post(`${lifecycle('completed')}/complete`, { status: 'kept', statusValue: 'v' });
  await api.post(`${lifecycle('reopened')}/complete`, { status: 'discarded' });
  await api.post(`${lifecycle('reopened')}/uncomplete`);
};

const fillDependencies = async (api: AdminApi, make: Maker) => {
  const depend = (project: string, child: string, body: object) =>
    api.post(`${make.path(project, child)}/dependencies`, body);
  await make.feature('default', 'parent');
  await make.strategy(
    'default',
    'parent',
    'development',
    rollout({
      variants: [{ name: 'v1', weight: 1000, weightType: 'variable', stickiness: 'default' }],
    }),
  );
  for (const name of [
    'child-on',
    'child-off',
    'child-plain',
    'child-left',
    'child-of-archived',
    'middle',
    'grandchild',
  ]) {
    await make.feature('default', name);
  }
  await depend('default', 'child-on', { feature: 'parent', enabled: true, variants: ['v1'] });
  await depend('default', 'child-off', { feature: 'parent', enabled: false });
  await depend('default', 'child-plain', { feature: 'parent' });
  await depend('default', 'child-left', { feature: 'parent' });
  await api.delete(`${make.path('default', 'child-left')}/dependencies/parent`);
  await depend('default', 'child-of-archived', { feature: 'archived-parent' });
  await depend('default', 'middle', { feature: 'parent' });
  await make.feature('alpha', 'team.three');
  await depend('alpha', 'team.three', { feature: 'team.two' });
};

const fillOtherProjects = async (make: Maker, segments: Segments) => {
  await make.feature('alpha', 'team.one', { description: 'fits the pattern' });
  await make.strategy(
    'alpha',
    'team.one',
    'production',
    rollout({ segments: [segments['alpha only'], segments['everywhere']] }),
  );
  await make.tag('team.one', 'team', 'alpha-team');
  await make.turn('alpha', 'team.one', 'production', 'on');
  await make.feature('beta', 'beta-feature', { description: 'one environment only' });
  await make.strategy('beta', 'beta-feature', 'development', rollout());
  await make.feature('delta', 'many-environments', { type: 'kill-switch', impressionData: true });
  for (const environment of ['staging', 'QA', 'beta-env', 'live-eu', 'ámbito']) {
    await make.strategy(
      'delta',
      'many-environments',
      environment,
      rollout({ title: `in ${environment}` }),
    );
  }
  await make.strategy('delta', 'many-environments', 'QA', {
    name: 'default',
    disabled: true,
    constraints: [],
  });
  await make.turn('delta', 'many-environments', 'live-eu', 'on');
};

/** A feature inserted by SQL, with its dependent rows. */
export type FeatureByHand = {
  name: string;
  project?: string | null;
  facts?: Row;
  environments?: readonly (string | Row)[];
  strategies?: readonly Row[];
};

/** Inserts rows that no route would create, the same in every database. */
export const insertFeature = async (
  sql: Sql,
  {
    name,
    project = 'default',
    facts = {},
    environments = ['development'],
    strategies = [],
  }: FeatureByHand,
): Promise<void> => {
  await sql.insert('features', [{ name, project, type: 'release', ...facts }]);
  await sql.insert(
    'feature_environments',
    environments.map((environment) => ({
      feature_name: name,
      enabled: false,
      variants: [],
      ...(typeof environment === 'string' ? { environment } : environment),
    })),
  );
  await sql.insert(
    'feature_strategies',
    strategies.map(({ segments: _, ...strategy }, index) => ({
      id: `${name.slice(0, 60)}#${index}`,
      feature_name: name,
      project_name: project ?? '',
      environment: 'development',
      strategy_name: 'default',
      parameters: {},
      constraints: [],
      sort_order: index,
      variants: [],
      ...strategy,
    })),
  );
  await sql.insert(
    'feature_strategy_segment',
    strategies.flatMap(({ segments }, index) =>
      (Array.isArray(segments) ? segments : []).map((segment_id: unknown) => ({
        feature_strategy_id: `${name.slice(0, 60)}#${index}`,
        segment_id,
      })),
    ),
  );
};

const AGED: readonly [name: string, type: string | null, days: number | null][] = [
  ['aged-release', 'release', 41],
  ['young-release', 'release', 39],
  ['aged-operational', 'operational', 8],
  ['aged-kill', 'kill-switch', 4000],
  ['aged-experiment', 'experiment', 400],
  ['aged-unknown', 'no-such-type', 4000],
  ['aged-stale', 'release', 500],
  ['ageless', 'release', null],
  ['typeless', null, 500],
];

const fillByHand = async (sql: Sql) => {
  for (const [name, type, days] of AGED) {
    const created_at =
      days === null ? null : new Date(Date.now() - days * 86_400_000).toISOString();
    const fields = { type, created_at, stale: name === 'aged-stale', potentially_stale: true };
    await insertFeature(sql, { name, facts: fields, environments: ['development', 'production'] });
  }
  await insertFeature(sql, {
    name: 'nulls',
    project: 'bare',
    facts: { type: null, stale: null, impression_data: null, created_at: null, description: null },
    environments: [],
  });
  await insertFeature(sql, { name: 'environmentless', environments: [] });
  await insertFeature(sql, { name: 'no-stale', facts: { stale: null } });
  await insertFeature(sql, { name: 'no-type', facts: { type: null } });
  await insertFeature(sql, { name: 'no-impression', facts: { impression_data: null } });
  await insertFeature(sql, {
    name: 'in-old',
    project: 'old',
    facts: { created_at: '2022-07-01T00:00:00Z' },
  });
  await insertFeature(sql, { name: 'in-no-project', project: null });
  await insertFeature(sql, { name: 'in-ghost-project', project: 'ghost-project' });
  await insertFeature(sql, {
    name: 'put-away',
    project: 'emptied',
    facts: { archived_at: '2024-01-01T00:00:00Z' },
  });
  await insertFeature(sql, {
    name: 'seen-everywhere',
    project: 'delta',
    facts: { last_seen_at: '2025-01-05T00:00:00Z' },
    environments: ['development', 'QA', 'production', 'staging', 'beta-env', 'ámbito'],
  });
  await sql.insert('dependent_features', [
    { parent: 'middle', child: 'grandchild', enabled: true, variants: [] },
  ]);
  await sql.query(
    `update features set archived_at = '2025-01-01T00:00:00Z' where name = 'archived-parent'`,
  );
  await sql.query(`update features set type = 'no-such-type' where name = 'odd-type'`);
  await sql.insert(
    'last_seen_at_metrics',
    [
      ['rich', 'development', '2025-01-10T10:00:00.5Z'],
      ['rich', 'production', '2025-01-09T09:00:00Z'],
      ['edited', 'development', '2025-01-01T00:00:00Z'],
      ['seen-everywhere', 'QA', '2025-03-03T03:03:03.003999Z'],
      ['seen-everywhere', 'live-eu', '2025-04-03T03:03:03Z'],
      ['gone-long-ago', 'development', '2025-01-01T00:00:00Z'],
    ].map(([feature_name, environment, last_seen_at]) => ({
      feature_name,
      environment,
      last_seen_at,
    })),
  );
  await sql.query(
    `update features set last_seen_at = '2025-01-05T00:00:00Z' where name in ('edited', 'plain-release')`,
  );
  await sql.query(
    `update feature_environments set last_seen_at = '2025-01-06T00:00:00Z' where feature_name = 'plain-release'`,
  );
};

/** Creates features of every kind, through upstream's API where possible. */
export const fillFeatures = async (api: AdminApi, sql: Sql, segments: Segments): Promise<void> => {
  const make = createMaker(api);
  for (const [project, name, fields] of PLAIN) await make.feature(project, name, fields);
  await fillRichFeature(api, sql, make, segments);
  await fillEditedFeature(api, make, segments);
  await fillLifecycles(api, make);
  await fillDependencies(api, make);
  await fillOtherProjects(make, segments);
  await fillByHand(sql);
};
