import type { EventLine } from '../event-draft.js';
import { createUpdateDelete } from './create-update-delete.js';

const INTERNS = { name: 'Interns', role: 'Viewer' };
const BATCH_TOKEN = {
  tokenName: 'batch',
  username: 'batch',
  type: 'client',
  environment: 'production',
  projects: ['default', 'web-shop'],
};

/** Events of users, accounts and tokens that no longer exist, and changes to existing ones. */
export const PEOPLE_EVENTS: readonly EventLine[] = [
  ...createUpdateDelete(
    'user',
    'rootAdmin',
    [-83, -82, -61],
    { id: 90, name: 'Tilda Temp', email: 'tilda.temp@harbour-pine.example', rootRole: 3 },
    { rootRole: 2 },
  ),
  ...createUpdateDelete(
    'service-account',
    'rootAdmin',
    [-57, -56, -49],
    { id: 91, name: 'Load test robot', username: 'load-test' },
    { name: 'Load test robot 2' },
  ),
  ...createUpdateDelete(
    'role',
    'rootAdmin',
    [-71, -71, -70],
    { id: 92, name: 'Auditor', type: 'root-custom' },
    { name: 'Silent auditor' },
  ),
  ...createUpdateDelete(
    'group',
    'rootAdmin',
    [-75, -68, -66],
    { id: 93, name: 'Book club' },
    { name: 'Reading club' },
  ),
  ...createUpdateDelete(
    'api-token',
    'rootAdmin',
    [-46, -45, -41],
    BATCH_TOKEN,
    { expiresAt: '2099-01-01T00:00:00.000Z' },
    { project: 'default,web-shop', environment: 'production' },
  ),
  [-67, 640, 'group-user-added', 'rootAdmin', { data: { groupId: 93, userId: 5 } }],
  [-67, 700, 'group-user-removed', 'rootAdmin', { preData: { groupId: 93, userId: 5 } }],
  [-76, 620, 'pat-created', 'editor', { data: { description: 'laptop', userId: 2 } }],
  [-66, 620, 'pat-deleted', 'editor', { preData: { description: 'laptop', userId: 2 } }],
  [-52, 650, 'scim-users-deleted', 'system', { data: { count: 0 } }],
  [-52, 651, 'scim-groups-deleted', 'system', { data: { count: 0 } }],
  [
    -51,
    652,
    'user-preference-updated',
    'viewer',
    { data: { subscription: 'weekly-report', on: false } },
  ],
  [-50, 653, 'public-signup-token-created', 'rootAdmin', { data: INTERNS }],
  [-48, 654, 'public-signup-token-user-added', 'system', { data: { ...INTERNS, userId: 94 } }],
  [-47, 655, 'public-signup-token-updated', 'rootAdmin', { data: { ...INTERNS, enabled: false } }],
];
