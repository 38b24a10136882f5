import { Prisma } from './db.js';

export type HeldPermission = {
  permission: string;
  type: string | null;
  project: string;
  environment: string | null;
};

/** A user or service account with its roles and permissions, as read for a personal token or a sign-in session. */
export type UserRow = {
  id: number;
  name: string | null;
  username: string | null;
  email: string | null;
  isService: boolean | null;
  /** Names of root roles held directly; `groupRootRoles` are held through a group. */
  rootRoles: readonly string[];
  groupRootRoles: readonly string[];
  heldPermissions: readonly HeldPermission[];
  /** Projects that are not private or in which the user holds a role. Null if no project is hidden. */
  openProjects: readonly string[] | null;
};

// Fixed order, so that a caller's identity is the same from request to request.
const HELD_PERMISSIONS = Prisma.sql`
  select distinct p.permission, p.type, held.project, granted.environment
  from (
    select role_id, project from role_user where user_id = u.id
    union all
    select held.role_id, held.project from group_user member
    join group_role held on held.group_id = member.group_id where member.user_id = u.id
    union all
    select g.root_role_id, 'default' from group_user member
    join groups g on g.id = member.group_id
    where member.user_id = u.id and g.root_role_id is not null
  ) held
  join role_permission granted on granted.role_id = held.role_id
  join permissions p on p.permission = granted.permission
  order by 1, 3, 4, 2`;

/** Projects that are not private, and private ones in which the user or one of its groups holds a role. */
const OPEN_PROJECTS = Prisma.sql`
  select project.id from projects project
  left join project_settings settings on settings.project = project.id
  where settings.project is null or settings.project_mode <> 'private'
    or exists (select from role_user held where held.user_id = u.id and held.project = project.id)
    or exists (
      select from group_user member join group_role held on held.group_id = member.group_id
      where member.user_id = u.id and held.project = project.id
    )
  order by 1`;

/** Columns of the user `u`. Reads everything a request needs to know about it in one statement. */
export const USER_COLUMNS: Prisma.Sql = Prisma.sql`
  u.id, u.name, u.username, u.email, u.is_service as "isService",
  to_json(array(
    select role.name from role_user held join roles role on role.id = held.role_id
    where held.user_id = u.id and role.type = 'root'
  )) as "rootRoles",
  to_json(array(
    select role.name from group_user member join groups g on g.id = member.group_id
    join roles role on role.id = g.root_role_id
    where member.user_id = u.id and role.type = 'root'
  )) as "groupRootRoles",
  coalesce((select json_agg(held) from (${HELD_PERMISSIONS}) held), '[]') as "heldPermissions",
  case when exists (select from project_settings where project_mode = 'private') and exists (
    select from role_user held join roles role on role.id = held.role_id
    where held.user_id = u.id and role.type = 'root' and role.name = 'Viewer'
  ) then to_json(array(${OPEN_PROJECTS})) end as "openProjects"`;

/** Users who may sign in. Deleted and system users may not. */
export const ACTIVE_USER: Prisma.Sql = Prisma.sql`u.deleted_at is null and not u.is_system`;

export const selectUser = (userId: number): Prisma.Sql =>
  Prisma.sql`select ${USER_COLUMNS} from users u where u.id = ${userId} and ${ACTIVE_USER}`;
