import { isSameRole, ROOT_ROLES, type User, type World } from './world.js';

/** Projects visible to a user; `all` if the private project rules do not limit the user. */
export type Visible = 'all' | ReadonlySet<string>;

const isViewer = ({ roles }: User) => roles.some(({ role }) => isSameRole(role, ROOT_ROLES.viewer));

const isLiftedByGroup = ({ groups }: User) =>
  groups.some(
    ({ rootRole }) =>
      rootRole &&
      (isSameRole(rootRole, ROOT_ROLES.admin) || isSameRole(rootRole, ROOT_ROLES.editor)),
  );

const isMember = ({ roles, groups }: User, projectId: string) =>
  roles.some(({ project }) => project === projectId) ||
  groups.some((group) => group.roles.some(({ project }) => project === projectId));

/**
 * The private project rules, computed from the world alone: a Viewer sees all projects that are not private, and
 * private ones in which the user or a group of the user has a role. Since 7.x a group with root role Admin or Editor
 * lifts the limit. Without private projects no user is limited.
 */
export const visibleTo = (user: User | null, { projects }: World, major: number): Visible => {
  const hasPrivate = projects.some(({ mode }) => mode === 'private');
  if (!user || !hasPrivate || !isViewer(user)) return 'all';
  if (major >= 7 && isLiftedByGroup(user)) return 'all';
  const visible = projects.filter(({ id, mode }) => mode !== 'private' || isMember(user, id));
  return new Set(visible.map(({ id }) => id));
};

/** Events and deliveries without a project are visible only to users without limits. */
export const shows = (visible: Visible, project: string | null): boolean =>
  visible === 'all' || (project !== null && visible.has(project));
