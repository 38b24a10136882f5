import { setTimeout as delay } from 'node:timers/promises';
import { ADMIN_TOKEN } from '../upstream.js';
import { type AdminApi, numberOf, textOf } from './admin-api.js';
import type { Row, Sql } from './sql.js';

/** Values of the Authorization header by caller; null for no header. */
export type Callers = Record<string, string | null>;

export type People = {
  callers: Callers;
  /** IDs of users by the name of their caller. */
  userIds: Record<string, number>;
};

export const PASSWORD = 'Parity-Passw0rd-For-Tests!';
const LATER = '2099-01-01T00:00:00.000Z';
const EARLIER = '2020-01-01T00:00:00.000Z';

/** Created through the API with a password; each creates a personal token. */
const WITH_PASSWORD = [
  { key: 'rootAdmin', name: 'Alice Admin', email: 'alice@example.com', role: 'Admin' },
  { key: 'editor', name: 'Eddie Editor', email: 'eddie@example.com', role: 'Editor' },
  { key: 'viewer', name: 'Vera Viewer', username: 'vera', role: 'Viewer' },
] as const;

type UserSpec = {
  key: string;
  user: Row;
  /** Directly assigned roles: name and project. */
  roles?: readonly (readonly [role: string, project: string])[];
  groups?: readonly string[];
  expires?: string;
};

/** Every kind of personal token that the open source edition has no route for. */
const BY_HAND: readonly UserSpec[] = [
  {
    key: 'service',
    user: { name: 'Sven', username: 'sven', is_service: true },
    roles: [['Admin', 'default']],
  },
  {
    key: 'member',
    user: { name: 'Mona', email: 'mona@example.com' },
    roles: [
      ['Viewer', 'default'],
      ['Member', 'default'],
      ['Member', 'alpha'],
    ],
  },
  {
    key: 'owner',
    user: { name: 'Olaf', username: 'olaf' },
    roles: [
      ['Viewer', 'default'],
      ['Owner', 'default'],
      ['Owner', 'delta'],
    ],
  },
  {
    key: 'ownerElsewhere',
    user: { name: 'Ella', username: 'ella', email: 'ella@example.com' },
    roles: [
      ['Viewer', 'default'],
      ['Owner', 'alpha'],
      ['Owner', 'bare'],
      ['Owner', 'odd id/ä'],
    ],
  },
  {
    key: 'inGroup',
    user: { name: 'Greta', username: 'greta' },
    roles: [['Viewer', 'default']],
    groups: ['members'],
  },
  {
    key: 'inRootGroup',
    user: { name: 'Gus', email: 'gus@example.com' },
    roles: [['Viewer', 'default']],
    groups: ['root admins'],
  },
  { key: 'inEditorGroup', user: { name: 'Gil', username: 'gil' }, groups: ['root editors'] },
  { key: 'customRoot', user: { name: 'Cora', username: 'cora' }, roles: [['Creator', 'default']] },
  {
    key: 'customRootElsewhere',
    user: { name: 'Cleo', username: 'cleo' },
    roles: [['Creator', 'delta']],
  },
  {
    key: 'customProject',
    user: { name: 'Caspar', username: 'caspar' },
    roles: [
      ['Cloner', 'default'],
      ['Cloner', 'delta'],
    ],
  },
  {
    key: 'inOneEnvironment',
    user: { name: 'Edna', username: 'edna' },
    roles: [
      ['Stager', 'default'],
      ['Stager', 'delta'],
    ],
  },
  { key: 'wildcard', user: { name: 'Wim', username: 'wim' }, roles: [['Member', '*']] },
  { key: 'admiN', user: { name: 'Adi', username: 'adi' }, roles: [['aDmIn', 'alpha']] },
  { key: 'noRole', user: { name: 'Nora', username: 'nora' } },
  {
    key: 'nameless',
    user: { name: null, username: null, email: null },
    roles: [['Editor', 'default']],
  },
  {
    key: 'tricky',
    user: { name: 'T', username: 'tricky {{event.type}} *x* <b>' },
    roles: [['Editor', 'default']],
  },
  {
    key: 'expired',
    user: { name: 'Xena', username: 'xena' },
    roles: [['Admin', 'default']],
    expires: EARLIER,
  },
  {
    key: 'deleted',
    user: { name: 'Dora', username: 'dora', deleted_at: EARLIER },
    roles: [['Admin', 'default']],
  },
  {
    key: 'system',
    user: { name: 'Sys', username: 'sys', is_system: true },
    roles: [['Admin', 'default']],
  },
  { key: 'badEmail', user: { name: 'Bea', email: 'no address' }, roles: [['Admin', 'default']] },
];

const CUSTOM_ROLES: readonly [
  name: string,
  type: string,
  permissions: readonly [string, string | null][],
][] = [
  ['Creator', 'root-custom', [['CREATE_FEATURE', null]]],
  [
    'Cloner',
    'custom',
    [
      ['CREATE_FEATURE', null],
      ['UPDATE_FEATURE', null],
    ],
  ],
  [
    'Stager',
    'custom',
    [
      ['CREATE_FEATURE_STRATEGY', 'development'],
      ['UPDATE_FEATURE_STRATEGY', 'staging'],
    ],
  ],
  ['aDmIn', 'custom', []],
];

const GROUPS: readonly [
  name: string,
  rootRole: string | null,
  roles: readonly (readonly [string, string])[],
][] = [
  [
    'members',
    null,
    [
      ['Member', 'default'],
      ['Member', 'delta'],
      ['Owner', 'private-one'],
    ],
  ],
  ['root admins', 'Admin', []],
  ['root editors', 'Editor', []],
  [
    'nobody',
    null,
    [
      ['Member', 'alpha'],
      ['Owner', 'beta'],
    ],
  ],
  ['nobody either', null, [['Member', 'alpha']]],
];

const HEX = '0123456789abcdef'.repeat(4);

const API_TOKENS: readonly ({ key: string } & Row)[] = [
  {
    key: 'otherAdminToken',
    secret: `default:development.${HEX}`,
    type: 'admin',
    environment: 'development',
    token_name: 'second "admin" <x>',
  },
  {
    key: 'upperAdminToken',
    secret: `*:*.upper${HEX}`,
    type: 'ADMIN',
    environment: null,
    token_name: '',
  },
  {
    key: 'legacyAdminToken',
    secret: 'legacy-without-a-colon',
    type: 'admin',
    environment: null,
    token_name: null,
  },
  {
    key: 'aliasedToken',
    secret: `*:*.aliased${HEX}`,
    type: 'admin',
    environment: null,
    token_name: 'aliased',
    alias: 'the-alias',
  },
  {
    key: 'expiredToken',
    secret: `*:*.expired${HEX}`,
    type: 'admin',
    environment: null,
    token_name: 'expired',
    expires_at: EARLIER,
  },
  {
    key: 'lastingToken',
    secret: `*:*.lasting${HEX}`,
    type: 'admin',
    environment: null,
    token_name: 'lasting',
    expires_at: LATER,
  },
  {
    key: 'strangeToken',
    secret: `*:*.strange${HEX}`,
    type: 'strange',
    environment: null,
    token_name: 'strange',
  },
  {
    key: 'clientToken',
    secret: `default:development.client${HEX}`,
    type: 'client',
    environment: 'development',
    token_name: 'client',
  },
  {
    key: 'frontendToken',
    secret: `[]:development.frontend${HEX}`,
    type: 'frontend',
    environment: 'development',
    token_name: 'frontend',
  },
];

const REJECTED_CALLERS: Callers = {
  nobody: null,
  empty: '',
  unknownToken: '*:*.nobody-knows-this',
  unknownPersonal: `user:${HEX.slice(0, 56)}`,
  bareUser: 'user:',
  basic: 'Basic YTpi',
};

const roleIds = async (sql: Sql): Promise<Map<string, number>> => {
  const rows = await sql.query<{ id: number; name: string }>('select id, name from roles');
  return new Map(rows.map(({ id, name }) => [name, id]));
};

const idIn = (ids: ReadonlyMap<string, number>, name: string): number => {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`'${name}' does not exist`);
  return id;
};

const addRolesAndGroups = async (sql: Sql): Promise<void> => {
  await sql.insert(
    'roles',
    CUSTOM_ROLES.map(([name, type]) => ({ name, description: name, type })),
  );
  const roles = await roleIds(sql);
  await sql.insert(
    'role_permission',
    CUSTOM_ROLES.flatMap(([name, , permissions]) =>
      permissions.map(([permission, environment]) => ({
        role_id: idIn(roles, name),
        permission,
        environment,
      })),
    ),
  );
  for (const [name, rootRole, groupRoles] of GROUPS) {
    const { id } = await sql.one<{ id: number }>(
      `insert into groups (name, description, created_by, root_role_id) values ($1, $1, 'parity', $2) returning id`,
      [name, rootRole === null ? null : idIn(roles, rootRole)],
    );
    await sql.insert(
      'group_role',
      groupRoles.map(([role, project]) => ({
        group_id: id,
        role_id: idIn(roles, role),
        project,
        created_by: 'parity',
      })),
    );
  }
};

const addUser = async (sql: Sql, { user, roles = [], groups = [] }: UserSpec): Promise<number> => {
  const names = Object.keys(user);
  const { id } = await sql.one<{ id: number }>(
    `insert into users (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})
     returning id`,
    Object.values(user),
  );
  const ids = await roleIds(sql);
  await sql.insert(
    'role_user',
    roles.map(([role, project]) => ({ role_id: idIn(ids, role), user_id: id, project })),
  );
  for (const group of groups) {
    await sql.query(
      `insert into group_user (group_id, user_id, created_by) select id, $1, 'parity' from groups where name = $2`,
      [id, group],
    );
  }
  return id;
};

/** Signs in a user with a password (`alice@example.com`, `eddie@example.com`, `vera`); returns the session cookie. */
export const login = async (url: string, username: string): Promise<string> => {
  const response = await fetch(`${url}/auth/simple/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: PASSWORD }),
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${username} could not sign in: ${response.status}`);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');
};

/** Upstream writes the session row shortly after its response to the login. */
const makeToken = async (api: AdminApi, cookie: string, description: string): Promise<string> => {
  const deadline = Date.now() + 5_000;
  for (;;) {
    const created = await api.post(
      '/api/admin/user/tokens',
      { description, expiresAt: LATER },
      { cookie, tolerates: [401] },
    );
    if (created.status !== 401) return textOf(created, 'secret');
    if (Date.now() > deadline) throw new Error('the session never became valid');
    await delay(50);
  }
};

const addUsersWithPassword = async (api: AdminApi, sql: Sql, url: string) => {
  const roles = await roleIds(sql);
  return Promise.all(
    WITH_PASSWORD.map(async ({ key, role, ...user }) => {
      const body = { ...user, rootRole: idIn(roles, role), password: PASSWORD, sendEmail: false };
      const id = numberOf(await api.post('/api/admin/user-admin', body), 'id');
      const cookie = await login(url, 'email' in user ? user.email : user.username);
      return { key, id, secret: await makeToken(api, cookie, `token of ${key}`) };
    }),
  );
};

const addApiTokens = async (sql: Sql): Promise<Callers> => {
  await sql.insert(
    'api_tokens',
    API_TOKENS.map(({ key, ...token }) => ({ ...token, username: `username of ${key}` })),
  );
  await sql.insert('api_token_project', [
    { secret: `[]:development.frontend${HEX}`, project: 'default' },
    { secret: `[]:development.frontend${HEX}`, project: 'alpha' },
  ]);
  return Object.fromEntries(API_TOKENS.map(({ key, secret }) => [key, String(secret)]));
};

/** Tokens as this version creates and stores them. */
const makeApiTokens = async (api: AdminApi): Promise<Callers> => {
  const make = async (tokenName: string, body: object, tolerates: readonly number[] = []) => {
    const created = await api.post('/api/admin/api-tokens', { tokenName, ...body }, { tolerates });
    return created.status < 300 ? { [tokenName]: textOf(created, 'secret') } : {};
  };
  return {
    ...(await make('madeClient', {
      type: 'client',
      environment: 'development',
      projects: ['default'],
    })),
    ...(await make('madeFrontend', {
      type: 'frontend',
      environment: 'development',
      projects: ['default', 'alpha'],
    })),
    ...(await make(
      'madeBackend',
      { type: 'backend', environment: 'production', projects: ['*'] },
      [400],
    )),
    ...(await make('madeAdmin', { type: 'admin', environment: '*', projects: ['*'] }, [400, 403])),
  };
};

/** Creates callers of every kind, with tokens in this version's format. */
export const fillPeople = async (api: AdminApi, sql: Sql, url: string): Promise<People> => {
  const signedUp = await addUsersWithPassword(api, sql, url);
  await addRolesAndGroups(sql);

  const personal: Callers = {};
  const userIds: Record<string, number> = {};
  for (const { key, id, secret } of signedUp) {
    personal[key] = secret;
    userIds[key] = id;
  }
  for (const spec of BY_HAND) {
    const id = await addUser(sql, spec);
    const secret = `user:by-hand-${spec.key}`;
    await sql.insert('personal_access_tokens', [
      { secret, description: spec.key, user_id: id, expires_at: spec.expires ?? LATER },
    ]);
    personal[spec.key] = secret;
    userIds[spec.key] = id;
  }

  const callers: Callers = {
    adminToken: ADMIN_TOKEN,
    ...(await addApiTokens(sql)),
    ...(await makeApiTokens(api)),
    ...personal,
    ...REJECTED_CALLERS,
  };
  callers['bearer'] = `Bearer ${ADMIN_TOKEN}`;
  callers['bearerInCapitals'] = `BEARER   ${personal['editor']}`;
  callers['bearerWithoutBlank'] = `Bearer${ADMIN_TOKEN}`;
  callers['otherLetterCase'] = ADMIN_TOKEN.toUpperCase();
  callers['alias'] = 'the-alias';
  return { callers, userIds };
};
