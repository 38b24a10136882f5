import type { People } from './people.js';
import type { Row, Sql } from './sql.js';

const CHANGE_REQUEST_TYPES = [
  'change-request-created',
  'change-request-discarded',
  'change-added',
  'change-discarded',
  'change-edited',
  'change-request-rejected',
  'change-request-approved',
  'change-request-approval-added',
  'change-request-cancelled',
  'change-request-sent-to-review',
  'change-request-applied',
  'change-request-scheduled-application-success',
  'change-request-scheduled-application-failure',
];

const KINDS = [
  'group',
  'banner',
  'service-account',
  'role',
  'signal-endpoint',
  'signal-endpoint-token',
  'actions',
  'release-plan-template',
  'environment',
  'project',
  'strategy',
  'setting',
  'user',
  'context-field',
  'tag-type',
  'segment',
  'addon-config',
  'api-token',
  'pat',
  'public-signup-token',
];

const OTHER_TYPES = [
  'group-user-added',
  'group-user-removed',
  'project-access-added',
  'project-access-user-roles-updated',
  'project-access-group-roles-updated',
  'project-access-user-roles-deleted',
  'project-access-group-roles-deleted',
  'project-access-updated',
  'project-user-added',
  'project-user-removed',
  'project-user-role-changed',
  'project-group-role-changed',
  'project-group-added',
  'project-group-removed',
  'project-import',
  'project-archived',
  'project-revived',
  'project-favorited',
  'project-unfavorited',
  'project-environment-added',
  'project-environment-removed',
  'default-strategy-updated',
  'drop-projects',
  'drop-features',
  'drop-strategies',
  'drop-tags',
  'drop-tag-types',
  'drop-feature-tags',
  'drop-environments',
  'environment-import',
  'tag-created',
  'tag-deleted',
  'tag-import',
  'tag-type-import',
  'strategy-import',
  'strategy-deprecated',
  'strategy-reactivated',
  'strategy-order-changed',
  'feature-import',
  'feature-tag-import',
  'feature-type-updated',
  'segment-import',
  'db-pool-update',
  'client-metrics',
  'client-register',
  'application-created',
  'public-signup-token-user-added',
  'user-preference-updated',
  'features-imported',
  'features-exported',
  'feature-updated',
  'feature-variants-updated',
  'feature-completed',
  'feature-uncompleted',
  'feature-favorited',
  'feature-unfavorited',
  'feature-dependency-removed',
  'feature-dependencies-removed',
  'release-plan-template-archived',
  'scim-users-deleted',
  'scim-groups-deleted',
  'milestone-progression-created',
  'a-type-nobody-knows',
];

type Event = { type: string } & Row;

const payloadsOf = (kind: string): Event[] => {
  const project = kind === 'project' ? 'alpha' : null;
  const now = {
    name: `${kind} new`,
    message: `${kind} new text`,
    provider: 'webhook',
    username: 'u',
  };
  const before = {
    name: `${kind} old`,
    message: `${kind} old text`,
    provider: 'slack',
    username: 'w',
  };
  return [
    { type: `${kind}-created`, project, data: now },
    { type: `${kind}-updated`, project, data: now, pre_data: before },
    { type: `${kind}-deleted`, project, pre_data: before },
  ];
};

const inProduction = { project: 'default', environment: 'production', feature_name: 'rich' };

const strategyUpdates = (): Event[] => {
  const flexible = (parameters: Row, more: Row = {}) => ({
    name: 'flexibleRollout',
    parameters,
    constraints: [],
    segments: [],
    ...more,
  });
  const constraint = { contextName: 'a', operator: 'IN', values: ['1', '2'] };
  const changes: [before: unknown, after: unknown][] = [
    [
      flexible({ rollout: '10', stickiness: 'default', groupId: 'a' }),
      flexible({ rollout: '20', stickiness: 'userId', groupId: 'b' }),
    ],
    [flexible({}), flexible({ rollout: '20', stickiness: 'userId', groupId: 'b' })],
    [flexible({ rollout: '10' }), flexible({ rollout: '10' })],
    [null, flexible({ rollout: '5' })],
    [flexible({ rollout: '5' }, { title: 'old title' }), null],
    [flexible({}, { segments: [1, 2] }), flexible({})],
    [
      flexible({}, { constraints: [constraint] }),
      flexible(
        {},
        {
          constraints: [
            { contextName: 'a', operator: 'NUM_GT', value: '3', values: [], inverted: true },
            { contextName: 'b', operator: 'MADE_UP', values: [] },
          ],
        },
      ),
    ],
    [
      { name: 'default', parameters: {} },
      {
        name: 'default',
        parameters: {},
        constraints: [{ contextName: 'a', operator: 'DATE_BEFORE', value: '2024-01-01' }],
      },
    ],
    [
      { name: 'userWithId', parameters: { userIds: '' } },
      { name: 'userWithId', parameters: { userIds: 'a,b' } },
    ],
    [
      { name: 'remoteAddress', parameters: { IPs: '1.1.1.1' } },
      { name: 'remoteAddress', parameters: { IPs: '2.2.2.2' }, segments: [4] },
    ],
    [
      { name: 'applicationHostname', parameters: { hostNames: 'a' } },
      { name: 'applicationHostname', parameters: { hostNames: '' } },
    ],
    [
      { name: 'something-else', title: 'Own' },
      { name: 'something-else', title: 'Own 2' },
    ],
    [{}, {}],
  ];
  return changes.map(([pre_data, data]) => ({
    type: 'feature-strategy-update',
    ...inProduction,
    pre_data,
    data,
  }));
};

const oddEvents = (): Event[] => [
  {
    type: 'change-request-scheduled',
    ...inProduction,
    data: { changeRequestId: 17, scheduledDate: '2024-03-03T03:03:03Z' },
  },
  {
    type: 'change-request-schedule-suspended',
    ...inProduction,
    data: { changeRequestId: 17, reason: 'archived' },
  },
  {
    type: 'change-request-configuration-updated',
    project: 'default',
    data: { requiredApprovals: 2 },
  },
  { type: 'change-request-applied', environment: 'production', data: { changeRequestId: 17 } },
  {
    type: 'change-request-applied',
    project: 'default',
    pre_data: { changeRequestId: 'seventeen' },
  },
  {
    type: 'feature-project-change',
    project: 'alpha',
    feature_name: 'team.one',
    data: { oldProject: 'default', newProject: 'alpha' },
  },
  { type: 'feature-project-change', project: 'alpha', feature_name: 'team.one' },
  { type: 'release-plan-added', ...inProduction, data: { name: 'plan A' } },
  { type: 'release-plan-removed', ...inProduction, pre_data: { name: 'plan A' } },
  {
    type: 'release-plan-milestone-started',
    ...inProduction,
    data: { name: 'plan A', milestoneName: 'M1' },
  },
  { type: 'feature-potentially-stale-on', project: 'default', feature_name: 'aged-release' },
  { type: 'feature-archived', feature_name: 'ghost' },
  { type: 'feature-created', feature_name: 'ghost', data: { name: 'ghost' } },
  { type: 'feature-created', project: 'default' },
  { type: 'feature-created', project: '', feature_name: '', environment: '', data: {} },
  {
    type: 'feature-tagged',
    ...inProduction,
    data: { type: 'simple', value: '<b>&"\'' },
    tags: [{ type: 'simple', value: 'zeta' }],
  },
  { type: 'feature-untagged', ...inProduction, pre_data: { type: 'simple', value: '{{user}}' } },
  {
    type: 'feature-strategy-add',
    ...inProduction,
    data: { name: 'flexibleRollout', title: 'T & co' },
  },
  { type: 'feature-strategy-add', ...inProduction, data: { name: 'flexibleRollout', title: '' } },
  { type: 'feature-strategy-add', ...inProduction, data: {} },
  {
    type: 'feature-strategy-remove',
    ...inProduction,
    pre_data: { name: 'default', title: 'gone' },
  },
  {
    type: 'a-type-nobody-knows',
    project: 'default',
    data: { deep: { nested: [{ a: 'needle%with_wild\\cards, and a comma' }] } },
  },
  {
    type: 'a-type-nobody-knows',
    project: 'default',
    data: { text: 'NEEDLE in capitals, Größe ÄÖ' },
    tags: [{ value: 'needle in a tag', type: 'simple' }],
  },
  {
    type: 'a-type-nobody-knows',
    project: 'default',
    pre_data: { z: 1, a: 'needle before', 10: 'ten', 9: 'nine' },
  },
  {
    type: 'api-token-created',
    project: 'default,alpha',
    environment: '*',
    data: { username: 'multi' },
  },
  { type: 'api-token-created', project: '*', environment: '*', data: { username: 'all' } },
  ...[null, 42, 1.5, { first: 'o' }, ['l', 'm'], '', false].map((name) => ({
    type: 'user-created',
    data: { name },
  })),
  ...[['an', 'array'], 'a bare string', 0, false, [], {}].map((data) => ({
    type: 'user-created',
    data,
  })),
  ...[
    { tags: null },
    { tags: 0 },
    { tags: false },
    { tags: 'tag' },
    { tags: { a: 1 } },
    { tags: [1, null] },
  ].map((odd) => ({ type: 'tag-odd', project: 'beta', data: {}, ...odd })),
  { type: 'has space,and comma', project: 'with,comma', feature_name: 'with,comma', data: {} },
  { type: 'long', project: 'default', data: { long: 'x'.repeat(3_000) } },
];

const exactPayloads = [
  // Text that changes when it is parsed and serialized as JSON.
  '{"b":1.0, "a" : 12345678901234567890, "a":"last wins","10":1,"9":2}',
  '{"huge":1e999,"tiny":1e-400,"u":"\\u00e4\\ud83d\\ude00","slash":"\\/"}',
  'null',
];

/** Inserts events of every type with rich and unusual payloads, past timestamps and ties. */
export const fillHistory = async (sql: Sql, { userIds }: People): Promise<void> => {
  let minute = 0;
  const events: Event[] = [
    ...CHANGE_REQUEST_TYPES.map((type) => ({
      type,
      ...inProduction,
      feature_name: type.startsWith('change-d') || type === 'change-added' ? 'rich' : null,
      data: { changeRequestId: 17 },
    })),
    ...KINDS.flatMap(payloadsOf),
    ...OTHER_TYPES.map((type) => ({
      type,
      project: /^(project|feature)/.test(type) ? 'alpha' : null,
      feature_name: type.startsWith('feature-') ? 'team.one' : null,
      data: { name: 'x', some: ['list', 1, null] },
    })),
    ...strategyUpdates(),
    ...oddEvents(),
  ];
  const authors = [userIds['editor'], userIds['viewer'], -42, -1337, null];
  await sql.insert(
    'events',
    events.map((event, index) => ({
      created_by: index % 9 === 0 ? 'tricky {{event.type}} *x* <b>' : 'history',
      created_by_user_id: authors[index % authors.length],
      // Two events per minute, so that there are ties everywhere.
      created_at: new Date(Date.UTC(2024, 1, 1, 0, Math.floor(minute++ / 2))).toISOString(),
      data: null,
      pre_data: null,
      tags: [],
      project: null,
      environment: null,
      feature_name: null,
      announced: true,
      ip: '10.1.2.3',
      ...event,
    })),
  );
  for (const data of exactPayloads) {
    await sql
      .query(
        `insert into events (type, created_by, created_at, data, pre_data, project, announced)
       values ('exact', 'history', '2024-02-05T00:00:00.123456Z', $1::json, $1::jsonb, 'beta', true)`,
        [data],
      )
      .catch((error: unknown) => {
        throw new Error(`could not store the payload ${data}`, { cause: error });
      });
  }
  await sql.query(`
    insert into events (type, created_by, created_by_user_id, created_at, data, tags, project, announced)
    select 'feature-created', 'history', ${userIds['editor']}, '2024-02-02T12:00:00Z', json_build_object('n', g), null, 'beta', true
    from generate_series(1, 5) g;
    insert into events (type, created_by, created_at, data, project, announced) values
      ('project-updated', '{{event.id}} & {{nothing}}', '2024-02-03T12:00:00Z', '{}', 'beta', true),
      ('project-updated', '', '2024-02-03T12:01:00Z', '{}', 'beta', true),
      ('project-updated', 'at midnight', '2024-02-29T00:00:00Z', '{}', 'beta', true),
      ('project-updated', 'before midnight', '2024-02-29T23:59:59.999999Z', '{}', 'beta', true),
      ('project-updated', 'next day', '2024-03-01T00:00:00Z', '{}', 'beta', true),
      ('project-updated', 'long ago', '0001-01-01T00:00:00Z', '{}', 'beta', true),
      ('project-updated', 'far ahead', '9999-12-31T23:00:00Z', '{}', 'beta', true),
      ('project-updated', 'never', null, '{}', 'beta', true),
      ('project-updated', 'never either', null, '{}', 'beta', true)`);
};
