import { setTimeout as delay } from 'node:timers/promises';
import { clonePath, type ParityRequest } from '../request.js';
import type { Sides } from '../sides.js';
import { createAdminApi, fieldOf } from '../world/admin-api.js';
import { login } from '../world/people.js';
import type { Row } from '../world/sql.js';
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

/** Adds a caller whose token is known only while the scenario runs. */
const withCaller = (sides: Sides, name: string, token: string) => {
  sides.world.callers[name] = token;
};

const TEMPORARY = '*:*.parity-temporary-token';

const revoked: Scenario = {
  title: 'auth 3 a revoked API token',
  setUp: async (sides) => {
    await onBoth(
      sides,
      `insert into api_tokens (secret, username, token_name, type) values ($1, 'temporary', 'temporary', 'admin')`,
      [TEMPORARY],
    );
    withCaller(sides, 'revokedToken', TEMPORARY);
    const headers = { authorization: TEMPORARY };
    // Sent once, so that upstream caches the token.
    await fetch(`${sides.upstream.url}/api/admin/search/events?limit=1`, { headers });
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

const newTokens: Scenario = {
  title: 'auth 2 and 3 tokens inserted by SQL work immediately',
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

const deletedToken: Scenario = {
  title: 'auth 2 a revoked personal token',
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

/** Waits for the session row, which upstream writes shortly after its response to the login. */
const readSession = async ({ upstreamSql }: Sides, cookie: string): Promise<Row> => {
  const sid = /s%3A([\w-]{32})/.exec(cookie)?.[1];
  const deadline = Date.now() + 5_000;
  for (;;) {
    const [row] = await upstreamSql.query('select * from unleash_session where sid = $1', [sid]);
    if (row) return row;
    if (Date.now() > deadline) throw new Error('the session row was never written');
    await delay(50);
  }
};

const sessions = (): Scenario => {
  const requests: ParityRequest[] = [];
  const prepare = async (sides: Sides, username: string): Promise<string> => {
    const cookie = await login(sides.upstream.url, username);
    await sides.gatewaySql.insert('unleash_session', [await readSession(sides, cookie)]);
    return cookie;
  };
  return {
    title: 'auth 1 sessions',
    setUp: async (sides) => {
      const admin = await prepare(sides, 'alice@example.com');
      const editor = await prepare(sides, 'eddie@example.com');
      const viewer = await prepare(sides, 'vera');
      const search = '/api/admin/search/events?limit=1&type=IS:user-created';
      const by = (
        cookie: string,
        caller = 'nobody',
        more: Record<string, string> = {},
      ): ParityRequest => ({
        operation: 'search events',
        path: search,
        caller,
        headers: { cookie, ...more },
      });
      const signedIn = { rootAdmin: admin, editor, viewer };
      const callers = ['adminToken', 'unknownToken', 'rootAdmin', 'editor', 'clientToken'];
      requests.push(
        ...Object.entries(signedIn).flatMap(([person, cookie]) =>
          [by(cookie), ...readsOf('nobody'), clone('default', 'plain-release', 'nobody', 800)].map(
            (request) => ({ ...request, headers: { cookie }, signedIn: person }),
          ),
        ),
        ...callers.map((caller) => by(viewer, caller)),
        by(admin, 'nobody', { 'sec-fetch-site': 'cross-site' }),
        by(admin, 'nobody', { 'sec-fetch-site': 'same-origin' }),
        by(`${admin}x`),
        by(admin.replace('s%3A', '')),
        by(`unleash-session=broken; ${admin}`),
      );
    },
    tearDown: async ({ upstreamSql, gatewaySql }) => {
      await upstreamSql.query('delete from unleash_session');
      await gatewaySql.query('delete from unleash_session');
    },
    requests,
  };
};

const SWITCH_ATTEMPTS = 40;
const SWITCH_AGAIN_MS = 250;

/** Retries, because an upstream job may have cached the old setting for a minute just before. */
const switchMaintenance = async (url: string, enabled: boolean): Promise<void> => {
  const api = createAdminApi(url);
  for (let attempt = 0; attempt < SWITCH_ATTEMPTS; attempt++) {
    await api.post('/api/admin/maintenance', { enabled });
    const isSet = fieldOf(await api.get('/api/admin/maintenance'), 'enabled') === enabled;
    // The stored setting is not the one that requests are rejected by.
    const { status } = await api.post('/api/admin/nothing', {}, { tolerates: [404, 503] });
    if (isSet && (status === 503) === enabled) return;
    await delay(SWITCH_AGAIN_MS);
  }
  throw new Error(`could not switch maintenance mode ${enabled ? 'on' : 'off'}`);
};

const setMaintenance = async (
  { upstream, unrestricted, upstreamSql, gatewaySql }: Sides,
  enabled: boolean,
) => {
  for (const { url } of [upstream, unrestricted]) await switchMaintenance(url, enabled);
  await upstreamSql.query(
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
      requests: names.flatMap(clonesOf),
    },
    { title: '2.1 the order of checks', requests: refusals },
    newTokens,
    deletedToken,
    sessions(),
    revoked,
    maintenance,
  ];
};
