import type { HeldPermission, UserRow } from '../data/user-rights.sql.js';
import type { Grant, Holder } from './actor.js';

const toGrant = ({ permission, type, project, environment }: HeldPermission): Grant => ({
  permission,
  project: type === 'root' ? null : project,
  environment: type === 'environment' ? environment : null,
});

/** Only the root role counts: a project role can have any name. */
const isRootAdmin = ({ rootRoles }: UserRow) =>
  rootRoles.some((name) => name.toLowerCase() === 'admin');

/**
 * Unleash hides private projects from users with the root role Viewer. Since Unleash 7, a group with the root role
 * Admin or Editor lifts that.
 */
const visibleProjectsOf = (
  { openProjects, groupRootRoles }: UserRow,
  unleashMajor: number,
): readonly string[] | null => {
  const isLifted = groupRootRoles.some((name) => name === 'Admin' || name === 'Editor');
  return isLifted && unleashMajor >= 7 ? null : openProjects;
};

/** Permissions and visibility of a user, by the union of all its grants. */
export const holderOf = (user: UserRow, unleashMajor: number): Holder => {
  const visibleProjects = visibleProjectsOf(user, unleashMajor);
  return {
    kind: user.isService ? 'SERVICE_ACCOUNT' : 'USER',
    userId: user.id,
    author: user.email || user.username || 'unleash_system_user',
    name: user.name || user.username || user.email,
    grants: user.heldPermissions.map(toGrant),
    seesAllEvents: isRootAdmin(user) && visibleProjects === null,
    visibleProjects,
  };
};
