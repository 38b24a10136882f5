import type { EventLine } from '../event-draft.js';

const PORTAL = { project: 'legacy-portal' };
const HACKATHON = { project: 'hackathon' };
const hackathon = { id: 'hackathon', name: 'Hackathon', mode: 'open' };
const role = (roleId: number) => ({ userId: 13, roleId });
const groupRole = (roleId: number) => ({ groupId: 93, groupName: 'Book club', roleId });
const rolesOf = (id: number, roles: readonly number[]) => ({ userId: id, roles });
const rolesOfGroup = (id: number, roles: readonly number[]) => ({ groupId: id, roles });

/** Access granted and revoked, and a project that was deleted. */
export const PROJECT_EVENTS: readonly EventLine[] = [
  [
    -80,
    700,
    'project-updated',
    'owner',
    {
      project: 'web-shop',
      data: { id: 'web-shop', name: 'Web shop' },
      preData: { id: 'web-shop', name: 'Webshop' },
    },
  ],
  [-79, 700, 'project-access-updated', 'rootAdmin', { project: 'web-shop', data: rolesOf(5, [5]) }],
  [
    -78,
    700,
    'project-access-user-roles-updated',
    'rootAdmin',
    {
      project: 'mobile',
      data: rolesOf(5, [5]),
      preData: rolesOf(5, [4]),
    },
  ],
  [
    -77,
    700,
    'project-access-group-roles-updated',
    'rootAdmin',
    {
      project: 'mobile',
      data: rolesOfGroup(1, [5]),
      preData: rolesOfGroup(1, [4]),
    },
  ],
  [
    -64,
    700,
    'project-access-user-roles-deleted',
    'rootAdmin',
    {
      project: 'payments',
      preData: rolesOf(90, [5]),
    },
  ],
  [
    -63,
    700,
    'project-access-group-roles-deleted',
    'rootAdmin',
    {
      project: 'payments',
      preData: rolesOfGroup(93, [5]),
    },
  ],

  [-90, 701, 'project-user-added', 'rootAdmin', { ...PORTAL, data: role(4) }],
  [
    -76,
    702,
    'project-user-role-changed',
    'rootAdmin',
    { ...PORTAL, data: role(5), preData: role(4) },
  ],
  [-38, 703, 'project-user-removed', 'rootAdmin', { ...PORTAL, preData: role(5) }],
  [-74, 704, 'project-group-added', 'rootAdmin', { ...PORTAL, data: groupRole(5) }],
  [
    -73,
    705,
    'project-group-role-changed',
    'rootAdmin',
    {
      ...PORTAL,
      data: groupRole(4),
      preData: groupRole(5),
    },
  ],
  [-72, 706, 'project-group-removed', 'rootAdmin', { ...PORTAL, preData: groupRole(4) }],

  [-54, 707, 'project-created', 'editor', { ...HACKATHON, data: hackathon }],
  [-53, 707, 'project-archived', 'editor', HACKATHON],
  [-53, 708, 'project-revived', 'editor', HACKATHON],
  [-51, 709, 'project-deleted', 'rootAdmin', { ...HACKATHON, preData: hackathon }],

  [-44, 710, 'project-environment-added', 'owner', { project: 'web-shop', environment: 'test' }],
  [-43, 710, 'project-environment-removed', 'owner', { project: 'web-shop', environment: 'test' }],
  [-42, 711, 'project-favorited', 'member', { project: 'mobile', data: { project: 'mobile' } }],
  [-37, 711, 'project-unfavorited', 'member', { project: 'mobile', data: { project: 'mobile' } }],
];
