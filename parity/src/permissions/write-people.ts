import type { Row, Sql } from '../world/sql.js';
import { isSameRole, type RoleName, type User, type World } from './world.js';

const LATER = '2099-01-01T00:00:00.000Z';
const EARLIER = '2020-01-01T00:00:00.000Z';

type RoleIds = (role: RoleName) => number;

const readRoleIds = async (sql: Sql): Promise<RoleIds> => {
  const rows = await sql.query<{ id: number; name: string; type: RoleName['type'] }>(
    'select id, name, type from roles',
  );
  return (role) => {
    const found = rows.find((row) => isSameRole(row, role));
    if (!found) throw new Error(`${role.type} role '${role.name}' does not exist`);
    return found.id;
  };
};

const writeRoles = async (sql: Sql, { roles }: World): Promise<RoleIds> => {
  await sql.query(
    `insert into roles (name, description, type)
     select name, name, type from unnest($1::text[], $2::text[]) as given (name, type)`,
    [roles.map(({ name }) => name), roles.map(({ type }) => type)],
  );
  const idOf = await readRoleIds(sql);
  await sql.query(
    `insert into role_permission (role_id, permission, environment)
     select * from unnest($1::int[], $2::text[], $3::text[])`,
    [
      roles.flatMap((role) => role.permissions.map(() => idOf(role))),
      roles.flatMap(({ permissions }) => permissions.map(([name]) => name)),
      roles.flatMap(({ permissions }) => permissions.map(([, environment]) => environment)),
    ],
  );
  return idOf;
};

const writeUsers = async (
  sql: Sql,
  { label, groups, users }: World,
  idOf: RoleIds,
): Promise<void> => {
  const groupIds = new Map<object, number>();
  for (const group of groups) {
    const { id } = await sql.one<{ id: number }>(
      `insert into groups (name, created_by, root_role_id) values ($1, 'permissions', $2) returning id`,
      [`${label} ${group.name}`, group.rootRole ? idOf(group.rootRole) : null],
    );
    groupIds.set(group, id);
  }
  const groupId = (group: object) => groupIds.get(group) ?? 0;
  await sql.insert(
    'group_role',
    groups.flatMap((group) =>
      group.roles.map(({ role, project }) => ({
        group_id: groupId(group),
        role_id: idOf(role),
        project,
        created_by: 'permissions',
      })),
    ),
  );
  await sql.insert(
    'users',
    users.map(({ id, isService, isDeleted }) => ({
      id,
      name: `User ${id}`,
      username: `user-${id}`,
      email: isService ? null : `user-${id}@example.com`,
      is_service: isService,
      is_system: false,
      created_at: EARLIER,
      updated_at: EARLIER,
      ...(isDeleted && { deleted_at: EARLIER }),
    })),
  );
  await sql.insert(
    'role_user',
    users.flatMap(({ id, roles }) =>
      roles.map(({ role, project }) => ({ user_id: id, role_id: idOf(role), project })),
    ),
  );
  await sql.insert(
    'group_user',
    users.flatMap(({ id, groups: joined }) =>
      joined.map((group) => ({
        user_id: id,
        group_id: groupId(group),
        created_by: 'permissions',
        created_at: EARLIER,
      })),
    ),
  );
};

const sessionOf = ({ id }: User, hasUser: boolean): Row => ({
  cookie: {
    originalMaxAge: 172_800_000,
    expires: LATER,
    secure: false,
    httpOnly: true,
    path: '/',
    sameSite: 'lax',
  },
  ...(hasUser && {
    user: {
      isAPI: false,
      accountType: 'User',
      id,
      name: `User ${id}`,
      username: `user-${id}`,
      email: `user-${id}@example.com`,
      loginAttempts: 0,
      createdAt: EARLIER,
    },
  }),
});

const writeCredentials = async (sql: Sql, { callers }: World): Promise<void> => {
  for (const { credential, user } of callers) {
    const expires = 'isExpired' in credential && credential.isExpired ? EARLIER : LATER;
    if (credential.kind === 'api') {
      const { secret, type } = credential;
      await sql.insert('api_tokens', [
        { secret, type, username: 'permissions', token_name: 'permissions', expires_at: expires },
      ]);
    }
    if (credential.kind === 'personal' && user) {
      const { secret } = credential;
      await sql.insert('personal_access_tokens', [
        { secret, user_id: user.id, expires_at: expires, description: secret, created_at: EARLIER },
      ]);
    }
    if (credential.kind === 'session' && user) {
      const sess = sessionOf(user, credential.hasUser);
      await sql.insert('unleash_session', [{ sid: credential.sid, sess, expired: expires }]);
    }
  }
};

/** Writes roles, groups, users and their credentials. */
export const writePeople = async (sql: Sql, world: World): Promise<void> => {
  const idOf = await writeRoles(sql, world);
  await writeUsers(sql, world, idOf);
  await writeCredentials(sql, world);
};
