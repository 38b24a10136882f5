import { isSameRole, ROOT_ROLES, type User, type World } from './world.js';

/** Projects a user may see; `all` where the rules of private projects do not limit the user. */
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
 * The rules of private projects, worked out from the world alone: a Viewer sees projects that are not private, and
 * private ones that any role of the user or of a group names. Since 7.x a group whose root role is Admin or Editor lifts
 * the limit. Nobody is limited where no project is private.
 */
export const visibleTo = (user: User | null, { projects }: World, major: number): Visible => {
  const hasPrivate = projects.some(({ mode }) => mode === 'private');
  if (!user || !hasPrivate || !isViewer(user)) return 'all';
  if (major >= 7 && isLiftedByGroup(user)) return 'all';
  const visible = projects.filter(({ id, mode }) => mode !== 'private' || isMember(user, id));
  return new Set(visible.map(({ id }) => id));
};

/** Events and deliveries without a project are shown to users without limits only. */
export const shows = (visible: Visible, project: string | null): boolean =>
  visible === 'all' || (project !== null && visible.has(project));
