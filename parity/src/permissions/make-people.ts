import type { Chance } from './chance.js';
import {
  type CustomRole,
  type Group,
  type Permission,
  PROJECT_ROLES,
  ROOT_ROLES,
  type RoleAssignment,
  type RoleName,
  type User,
} from './world.js';

type Places = {
  /** IDs of projects that exist. */
  projects: readonly string[];
  /** An ID that no project has. */
  missingProject: string;
  environments: readonly string[];
  /** Whether roles of several types may share a name. */
  sharesNames: boolean;
};

/** Permissions that a clone requires, by environment, and unrelated permissions. */
const makePermissions = (chance: Chance, environments: readonly string[]): Permission[] => [
  ...(chance.percent(75) ? [['CREATE_FEATURE', null] as const] : []),
  ...chance
    .some(environments, 0, environments.length)
    .map((environment) => ['CREATE_FEATURE_STRATEGY', environment] as const),
  ...chance
    .some(environments, 0, environments.length)
    .map((environment) => ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS', environment] as const),
  // Without an environment, the permission applies to all environments.
  ...(chance.percent(15) ? [['CREATE_FEATURE_STRATEGY', null] as const] : []),
  ...(chance.percent(50) ? [['UPDATE_FEATURE', null] as const] : []),
  ...(chance.percent(30) ? [['UPDATE_PROJECT', null] as const] : []),
  ...(chance.percent(8) ? [['ADMIN', null] as const] : []),
];

const makeRoles = (chance: Chance, { environments, sharesNames }: Places): CustomRole[] => {
  const adminNames = ['admin', 'aDmIn', 'ADMIN', ...(sharesNames ? ['Admin'] : [])] as const;
  const viewerNames = ['viewer', ...(sharesNames ? ['Viewer'] : [])] as const;
  const make = (name: string, type: CustomRole['type'], permissions: Permission[]): CustomRole => ({
    name,
    type,
    permissions,
  });
  return [
    // Named like a root role, but of another type.
    make(chance.pick(['admin', ...adminNames]), chance.pick(['custom', 'root-custom']), []),
    make(chance.pick(['viewer', ...viewerNames]), 'custom', []),
    make('cloner', 'custom', [['CREATE_FEATURE', null]]),
    make('creator', 'root-custom', [['CREATE_FEATURE', null]]),
    make('superuser', 'root-custom', [['ADMIN', null]]),
    ...[1, 2, 3, 4].map((index) =>
      make(`project role ${index}`, 'custom', makePermissions(chance, environments)),
    ),
    ...[1, 2].map((index) =>
      make(`root role ${index}`, 'root-custom', makePermissions(chance, environments)),
    ),
  ];
};

const withoutRepeats = (roles: readonly RoleAssignment[]): RoleAssignment[] => [
  ...new Map(
    roles.map((one) => [`${one.role.type} ${one.role.name} ${one.project}`, one]),
  ).values(),
];

const makeProjectRoles = (
  chance: Chance,
  roles: readonly CustomRole[],
  projects: readonly string[],
  max: number,
): RoleAssignment[] => {
  const custom = roles.filter(({ type }) => type === 'custom');
  const choices: RoleName[] = [
    PROJECT_ROLES.owner,
    PROJECT_ROLES.member,
    PROJECT_ROLES.member,
    ...custom,
  ];
  const assignments = chance
    .some(projects, 0, max)
    .flatMap((project) => chance.some(choices, 1, 2).map((role) => ({ role, project })));
  return withoutRepeats(assignments);
};

const makeGroups = (chance: Chance, roles: readonly CustomRole[], places: Places): Group[] => {
  const rootCustom = roles.filter(({ type }) => type === 'root-custom');
  return [1, 2, 3, 4, 5].map((index) => ({
    name: `group ${index}`,
    rootRole: chance.weighted<RoleName | null>([
      [45, null],
      [10, ROOT_ROLES.admin],
      [15, ROOT_ROLES.editor],
      [10, ROOT_ROLES.viewer],
      [20, chance.pick<RoleName>([ROOT_ROLES.viewer, ...rootCustom])],
    ]),
    roles: makeProjectRoles(chance, roles, places.projects, 2),
  }));
};

/** Root roles of users. Their rows have project `default`, as Unleash writes them. */
const makeRootRoles = (
  chance: Chance,
  roles: readonly CustomRole[],
  places: Places,
): RoleAssignment[] => {
  const rootCustom = roles.filter(({ type }) => type === 'root-custom');
  const { admin, editor, viewer } = ROOT_ROLES;
  const anyCustom = chance.pick<RoleName>([viewer, ...rootCustom]);
  const chosen = chance.weighted<readonly RoleName[]>([
    [8, [admin]],
    [15, [editor]],
    [40, [viewer]],
    [15, []],
    [6, [viewer, editor]],
    [10, [anyCustom]],
    [6, [viewer, anyCustom]],
  ]);
  const project = chance.percent(92) ? 'default' : chance.pick(['*', ...places.projects]);
  return chosen.map((role) => ({ role, project }));
};

const makeUser = (
  chance: Chance,
  id: number,
  roles: readonly CustomRole[],
  groups: readonly Group[],
  places: Places,
): User => {
  const projects = [...places.projects, ...places.projects, '*', places.missingProject];
  return {
    id,
    isService: chance.percent(12),
    isDeleted: chance.percent(8),
    roles: withoutRepeats([
      ...makeRootRoles(chance, roles, places),
      ...makeProjectRoles(chance, roles, projects, 2),
    ]),
    groups: chance.some(groups, 0, 2),
  };
};

/** Random roles, groups and users with random assignments. */
export const makePeople = (
  chance: Chance,
  places: Places,
  { firstId, count }: { firstId: number; count: number },
) => {
  const roles = makeRoles(chance, places);
  const groups = makeGroups(chance, roles, places);
  const users = Array.from({ length: count }, (_, index) =>
    makeUser(chance, firstId + index, roles, groups, places),
  );
  const [namedAdmin] = roles;
  const project = chance.pick(['default', ...places.projects]);
  // Independent of the seed: a user with only a role named like Admin, and a Viewer without memberships.
  const fixed = [
    ...(namedAdmin ? [[{ role: namedAdmin, project }]] : []),
    [{ role: ROOT_ROLES.viewer, project: 'default' }],
  ].map(
    (assignments, index): User => ({
      id: firstId + count + index,
      isService: false,
      isDeleted: false,
      roles: assignments,
      groups: [],
    }),
  );
  return { roles, groups, users: [...users, ...fixed] };
};
