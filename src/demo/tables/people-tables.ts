import { createHash } from 'node:crypto';
import type { Clock } from '../clock.js';
import { authorOf, CUSTOM_ROLES, GROUPS, PEOPLE, PROJECT_GRANTS, personOf } from '../people.js';
import { API_TOKENS, type DemoTokens, FAR_FUTURE } from '../tokens.js';
import type { Table } from './table.js';

const ROOT = authorOf('rootAdmin').createdBy;

const users = (clock: Clock): Table => ({
  name: 'users',
  rows: PEOPLE.map(({ key, id, name, username, email, picture, joined, isService, left }) => {
    const isDeleted = left !== undefined;
    return {
      id,
      name: isDeleted ? `${name} (Deleted)` : name,
      username: isDeleted ? null : username,
      email: isDeleted ? null : email,
      email_hash: email === null ? null : createHash('md5').update(email).digest('hex'),
      image_url: picture ? `https://pictures.harbour-pine.example/${key}.png` : null,
      created_at: clock.at(joined, 480 + id),
      deleted_at: isDeleted ? clock.at(left, 1_000) : null,
      is_service: isService,
      is_system: false,
      permissions: [],
    };
  }),
});

const roles = (clock: Clock): Table[] => [
  {
    name: 'roles',
    rows: CUSTOM_ROLES.map(({ id, name, description, type, created }) => ({
      id,
      name,
      description,
      type,
      created_at: clock.at(created, 470),
    })),
  },
  {
    name: 'role_permission',
    rows: CUSTOM_ROLES.flatMap(({ id, grants, created }) =>
      grants.map((grant) => ({
        role_id: id,
        permission: grant.permission,
        environment: grant.environment,
        created_at: clock.at(created, 470),
      })),
    ),
  },
  {
    name: 'role_user',
    rows: [
      // Unleash stores root roles in project `default`.
      ...PEOPLE.filter(({ left }) => left === undefined).flatMap(({ id, joined, rootRole }) =>
        rootRole === null
          ? []
          : [
              {
                role_id: rootRole,
                user_id: id,
                project: 'default',
                created_at: clock.at(joined, 480 + id),
              },
            ],
      ),
      ...PROJECT_GRANTS.map(({ person, role, project, day }) => ({
        role_id: role,
        user_id: personOf(person).id,
        project,
        created_at: clock.at(day, 840),
      })),
    ],
  },
];

const groups = (clock: Clock): Table[] => [
  {
    name: 'groups',
    rows: GROUPS.map(({ id, name, description, rootRole, created }) => ({
      id,
      name,
      description,
      root_role_id: rootRole,
      created_by: ROOT,
      created_at: clock.at(created, 780),
    })),
  },
  {
    name: 'group_user',
    rows: GROUPS.flatMap(({ id, members, created }) =>
      members.map((member) => ({
        group_id: id,
        user_id: personOf(member).id,
        created_by: ROOT,
        created_at: clock.at(Math.max(created, personOf(member).joined), 790),
      })),
    ),
  },
  {
    name: 'group_role',
    rows: GROUPS.flatMap(({ id, roles: groupRoles, created }) =>
      groupRoles.map(({ role, project }) => ({
        group_id: id,
        role_id: role,
        project,
        created_by: ROOT,
        created_at: clock.at(created, 810),
      })),
    ),
  },
];

const tokens = (clock: Clock, secrets: DemoTokens): Table[] => [
  {
    name: 'api_tokens',
    rows: API_TOKENS.map(({ key, name, type, environment, created, expired }) => ({
      secret: secrets[key],
      username: name,
      token_name: name,
      type,
      environment,
      created_at: clock.at(created, 900),
      expires_at: expired === undefined ? null : clock.at(expired),
    })),
  },
  {
    name: 'api_token_project',
    rows: API_TOKENS.flatMap(({ key, projects }) =>
      projects.map((project) => ({ secret: secrets[key], project })),
    ),
  },
  {
    // Every person has one: the deleted user's still exists, Esra's has expired.
    name: 'personal_access_tokens',
    rows: PEOPLE.map(({ key, id, joined }) => ({
      id,
      secret: secrets[key],
      description: `demo ${key}`,
      user_id: id,
      created_at: clock.at(joined, 520 + id),
      expires_at: key === 'expired' ? clock.at(-30) : FAR_FUTURE,
    })),
  },
];

export const peopleTables = (clock: Clock, secrets: DemoTokens): Table[] => [
  users(clock),
  ...roles(clock),
  ...groups(clock),
  ...tokens(clock, secrets),
];
