import { clonePath, type ParityRequest } from '../request.js';
import type { Sides } from '../sides.js';
import { createAdminApi } from '../world/admin-api.js';
import { login } from '../world/people.js';
import type { World } from '../world/world.js';
import { onBoth, type Scenario } from './scenario.js';

const readsOf = (caller: string): ParityRequest[] => [
  { operation: 'search events', path: '/api/admin/search/events?limit=3', caller },
  { operation: 'health report', path: '/api/admin/projects/beta/health-report', caller },
  { operation: 'integration events', path: '/api/admin/addons/1/events?limit=2', caller },
];

const clone = (project: string, source: string, caller: string, index: number): ParityRequest => {
  const name = `x-by-caller-${index}`;
  return {
    operation: 'clone',
    method: 'POST',
    path: clonePath(project, source),
    json: { name },
    clone: { project, source, name },
    caller,
  };
};

// Its owner cannot even be loaded by the original, so nobody could be the author of the copy there.
const NO_CLONES = ['badEmail'];

const clonesOf = (caller: string, index: number): ParityRequest[] =>
  ['default', 'delta', 'private-one', 'bare'].map((project) =>
    clone(project, 'plain-release', caller, index),
  );

const refusals: ParityRequest[] = [
  'nobody',
  'unknownToken',
  'clientToken',
  'frontendToken',
  'noRole',
].flatMap((caller): ParityRequest[] => [
  { operation: 'search events', path: '/api/admin/search/events?feature=bad', caller },
  { operation: 'search events', path: '/api/admin/nowhere', caller },
  { operation: 'health report', path: '/api/admin/projects/ghost/health-report', caller },
  { operation: 'integration events', path: '/api/admin/addons/abc/events', caller },
  { operation: 'clone', method: 'POST', path: clonePath('default', 'ghost'), json: {}, caller },
  {
    operation: 'clone',
    method: 'POST',
    path: clonePath('ghost', 'ghost'),
    body: '{',
    headers: { 'content-type': 'application/json' },
    caller,
  },
  {
    operation: 'clone',
    method: 'PUT',
    path: clonePath('default', 'rich'),
    json: { name: 'x' },
    caller,
  },
]);

/** A caller whose token is only known while the scenario runs. */
const withCaller = (sides: Sides, name: string, token: string) => {
  sides.world.callers[name] = token;
};

const TEMPORARY = '*:*.parity-temporary-token';

const revoked: Scenario = {
  title: 'auth 3 a token taken away',
  setUp: async (sides) => {
    await onBoth(
      sides,
      `insert into api_tokens (secret, username, token_name, type) values ($1, 'temporary', 'temporary', 'admin')`,
      [TEMPORARY],
    );
    withCaller(sides, 'revokedToken', TEMPORARY);
    const headers = { authorization: TEMPORARY };
    // Used once, so that the original remembers it.
    await fetch(`${sides.original.url}/api/admin/search/events?limit=1`, { headers });
    await onBoth(sides, 'delete from api_tokens where secret = $1', [TEMPORARY]);
  },
  requests: [
    {
      operation: 'search events',
      path: '/api/admin/search/events?limit=1',
      caller: 'revokedToken',
    },
  ],
};

const madeLate: Scenario = {
  title: 'auth 2 and 3 tokens made by SQL work at once',
  setUp: async (sides) => {
    await onBoth(
      sides,
      `insert into api_tokens (secret, username, token_name, type) values ('*:*.parity-late-token', 'late', 'late', 'admin')`,
    );
    await onBoth(
      sides,
      `insert into personal_access_tokens (secret, description, user_id, expires_at) values ('user:late', 'late', $1, '2099-01-01')`,
      [sides.world.userIds['rootAdmin']],
    );
    withCaller(sides, 'lateToken', '*:*.parity-late-token');
    withCaller(sides, 'latePersonal', 'user:late');
    withCaller(sides, 'lateBearer', 'bearer\t user:late');
  },
  tearDown: (sides) =>
    onBoth(
      sides,
      `delete from personal_access_tokens where secret = 'user:late'; delete from api_tokens where token_name = 'late'`,
    ),
  requests: ['lateToken', 'latePersonal', 'lateBearer'].flatMap(readsOf),
};

const takenAway: Scenario = {
  title: 'auth 2 a personal token taken away',
  setUp: (sides) =>
    onBoth(
      sides,
      `update personal_access_tokens set expires_at = now() - interval '1 second' where secret = 'user:by-hand-wildcard'`,
    ),
  tearDown: (sides) =>
    onBoth(
      sides,
      `update personal_access_tokens set expires_at = '2099-01-01' where secret = 'user:by-hand-wildcard'`,
    ),
  requests: readsOf('wildcard'),
};

const sessions = (): Scenario => {
  const requests: ParityRequest[] = [];
  return {
    title: 'auth 1 sessions',
    setUp: async ({ original }) => {
      const cookie = await login(original.url, 'alice@example.com');
      const as = (caller: string): ParityRequest => ({
        operation: 'search events',
        path: '/api/admin/search/events?limit=1&type=IS:user-created',
        caller,
        headers: { cookie },
      });
      requests.push(as('nobody'), as('adminToken'), as('unknownToken'));
    },
    requests,
  };
};

const setMaintenance = async (
  { original, unrestricted, originalSql, gatewaySql }: Sides,
  enabled: boolean,
) => {
  for (const { url } of [original, unrestricted]) {
    await createAdminApi(url).post('/api/admin/maintenance', { enabled });
  }
  await originalSql.query(
    `delete from events where type like 'setting-%' and created_at between now() - interval '1 minute' and now()`,
  );
  await gatewaySql.query(
    `insert into settings (name, content) values ('maintenance.mode', $1)
     on conflict (name) do update set content = excluded.content`,
    [JSON.stringify({ enabled })],
  );
};

const maintenance: Scenario = {
  title: 'auth 9 maintenance mode',
  setUp: (sides) => setMaintenance(sides, true),
  tearDown: (sides) => setMaintenance(sides, false),
  requests: [
    ...readsOf('adminToken'),
    clone('default', 'plain-release', 'adminToken', 900),
    clone('default', 'plain-release', 'noRole', 901),
    clone('default', 'plain-release', 'nobody', 902),
    clone('default', 'plain-release', 'clientToken', 903),
    {
      operation: 'clone',
      method: 'POST',
      path: clonePath('default', 'x'),
      body: '{',
      headers: { 'content-type': 'application/json' },
    },
    ...['PUT', 'DELETE', 'PATCH', 'POST'].map(
      (method): ParityRequest => ({
        operation: 'search events',
        method,
        path: '/api/admin/search/events',
      }),
    ),
    { operation: 'clone', method: 'OPTIONS', path: clonePath('default', 'x') },
  ],
};

export const accessScenarios = ({ callers }: World): Scenario[] => {
  const names = Object.keys(callers);
  return [
    { title: 'auth 5 who may read', requests: names.flatMap(readsOf) },
    {
      title: 'auth 5 who may clone where',
      requests: names.filter((name) => !NO_CLONES.includes(name)).flatMap(clonesOf),
    },
    { title: '2.1 the order in which a request is judged', requests: refusals },
    madeLate,
    takenAway,
    sessions(),
    revoked,
    maintenance,
  ];
};
