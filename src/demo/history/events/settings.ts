import type { EventLine } from '../event-draft.js';
import { createUpdateDelete } from './create-update-delete.js';

const STORES = { name: 'storeLocation', description: 'On in the listed stores only' };
const JOKE = { name: 'moonPhase', description: 'A joke' };
const OPERATIONAL = { id: 'operational', name: 'Operational' };

/** Events of settings that were created and deleted again. */
export const SETTINGS_EVENTS: readonly EventLine[] = [
  ...createUpdateDelete(
    'environment',
    'rootAdmin',
    [-60, -58, -55],
    { name: 'preview', type: 'test' },
    { type: 'preproduction' },
    { environment: 'preview' },
  ),
  ...createUpdateDelete(
    'context-field',
    'editor',
    [-70, -69, -66],
    { name: 'shoeSize', description: 'European' },
    { description: 'European, whole numbers' },
  ),
  ...createUpdateDelete(
    'tag-type',
    'editor',
    [-65, -64, -63],
    { name: 'quarter', description: 'When it is due', icon: 'Q' },
    { description: 'When it was due' },
  ),
  ...createUpdateDelete(
    'segment',
    'customRoot',
    [-57, -56, -55],
    { id: 95, name: 'left-handed', constraints: [] },
    { name: 'left-handers' },
  ),
  ...createUpdateDelete(
    'setting',
    'rootAdmin',
    [-53, -53, -52],
    { id: 'unleash.frontend', frontendApiOrigins: ['*'] },
    { frontendApiOrigins: ['https://harbour-pine.example'] },
  ),
  ...createUpdateDelete(
    'banner',
    'rootAdmin',
    [-48, -47, -45],
    { id: 1, message: 'Inventory: no releases on Thursday' },
    { message: 'Inventory: no releases on Friday' },
  ),
  ...createUpdateDelete(
    'addon-config',
    'rootAdmin',
    [-40, -39, -38],
    { id: 96, provider: 'webhook', description: 'Trial' },
    { description: 'Trial, second try' },
  ),

  [-62, 723, 'tag-created', 'editor', { data: { type: 'simple', value: 'spring' } }],
  [-61, 723, 'tag-deleted', 'editor', { preData: { type: 'simple', value: 'spring' } }],
  [
    -78,
    724,
    'strategy-updated',
    'editor',
    { data: STORES, preData: { ...STORES, description: 'Stores' } },
  ],
  [-77, 724, 'strategy-deprecated', 'editor', { data: STORES }],
  [-76, 724, 'strategy-reactivated', 'editor', { data: STORES }],
  [-75, 725, 'strategy-created', 'editor', { data: JOKE }],
  [-75, 735, 'strategy-deleted', 'editor', { preData: JOKE }],
  [
    -54,
    728,
    'feature-type-updated',
    'rootAdmin',
    {
      data: { ...OPERATIONAL, lifetimeDays: 7 },
      preData: { ...OPERATIONAL, lifetimeDays: 14 },
    },
  ],
  [
    -39,
    727,
    'segment-updated',
    'owner',
    {
      project: 'payments',
      data: { id: 4, name: 'gold-payers' },
      preData: { id: 4, name: 'gold' },
    },
  ],
  [
    -30,
    732,
    'addon-config-updated',
    'rootAdmin',
    {
      data: { id: 5, provider: 'webhook', enabled: false },
      preData: { id: 5, provider: 'webhook', enabled: true },
    },
  ],
];
