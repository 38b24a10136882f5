import type { EventLine } from './event-draft.js';

/** Events before the first user: those of Unleash's migrations, and an import from another service. */
export const INITIAL_EVENTS: readonly EventLine[] = [
  [
    -92,
    400,
    'strategy-created',
    'migration',
    { data: { name: 'default', description: 'On for all users or for none' } },
  ],
  [
    -92,
    400,
    'strategy-created',
    'migration',
    { data: { name: 'flexibleRollout', description: 'On for a share of the users' } },
  ],
  [-92, 401, 'setting-created', 'migration', { data: { id: 'unleash.secret' } }],
  [-92, 402, 'db-pool-update', 'system', { data: { min: 0, max: 4, used: 1, free: 3 } }],

  [-91, 430, 'drop-features', 'rootAdmin', { data: { name: 'all-features' } }],
  [-91, 430, 'drop-feature-tags', 'rootAdmin', { data: { name: 'all-feature-tags' } }],
  [-91, 430, 'drop-strategies', 'rootAdmin', { data: { name: 'all-strategies' } }],
  [-91, 430, 'drop-projects', 'rootAdmin', { data: { name: 'all-projects' } }],
  [-91, 430, 'drop-tags', 'rootAdmin', { data: { name: 'all-tags' } }],
  [-91, 430, 'drop-tag-types', 'rootAdmin', { data: { name: 'all-tag-types' } }],
  [-91, 430, 'drop-environments', 'rootAdmin', { data: { name: 'all-environments' } }],
  [
    -91,
    440,
    'project-import',
    'rootAdmin',
    { project: 'legacy-portal', data: { id: 'legacy-portal', name: 'Portal' } },
  ],
  [
    -91,
    441,
    'environment-import',
    'rootAdmin',
    { environment: 'development', data: { name: 'development', type: 'development' } },
  ],
  [
    -91,
    442,
    'strategy-import',
    'rootAdmin',
    { data: { name: 'userWithId', parameters: [{ name: 'userIds', type: 'list' }] } },
  ],
  [-91, 443, 'tag-type-import', 'rootAdmin', { data: { name: 'simple', icon: '#' } }],
  [-91, 444, 'tag-import', 'rootAdmin', { data: { type: 'simple', value: 'dealers' } }],
  [-91, 445, 'segment-import', 'rootAdmin', { data: { name: 'dealers', constraints: [] } }],
  [
    -91,
    600,
    'feature-tag-import',
    'rootAdmin',
    {
      project: 'legacy-portal',
      featureName: 'portal-login',
      data: { featureName: 'portal-login', tag: { type: 'simple', value: 'dealers' } },
      tags: [{ type: 'simple', value: 'dealers' }],
    },
  ],
  [
    -91,
    601,
    'feature-updated',
    'deletedUser',
    {
      project: 'legacy-portal',
      featureName: 'portal-login',
      data: { name: 'portal-login', description: 'Dealers sign in', enabled: true },
    },
  ],
  [
    -91,
    602,
    'feature-variants-updated',
    'deletedUser',
    {
      project: 'legacy-portal',
      featureName: 'portal-login',
      data: { variants: [] },
      preData: { variants: [] },
    },
  ],

  [
    -90,
    800,
    'application-created',
    'system',
    {
      data: {
        appName: 'shop-backend',
        sdkVersion: 'unleash-client-node:6.1.0',
        strategies: ['default', 'flexibleRollout'],
      },
    },
  ],
  [
    -90,
    801,
    'client-register',
    'system',
    { data: { appName: 'shop-backend', instanceId: 'shop-1', interval: 15_000 } },
  ],
  [
    -90,
    802,
    'client-metrics',
    'system',
    {
      environment: 'development',
      data: {
        appName: 'shop-backend',
        bucket: { toggles: { 'welcome-tour': { yes: 12, no: 3 } } },
      },
    },
  ],
  [
    -86,
    803,
    'application-created',
    'system',
    { data: { appName: 'ios-app', sdkVersion: 'unleash-client-ios:2.3.0' } },
  ],
];
