import { featuresOf, off, on, simple } from '../feature-spec.js';
import { defaultStrategy, rollout } from '../strategies.js';

export const LEGACY_PORTAL = featuresOf('legacy-portal', ['development', 'production'])([
  {
    name: 'portal-login',
    type: 'permission',
    description: 'Dealers sign in',
    by: 'deletedUser',
    created: -91,
    imported: true,
    archived: -21,
    tags: [simple('dealers')],
    environments: {
      development: on(defaultStrategy())({ seen: 530 }),
      production: on(rollout(100))({ after: 1, seen: 520 }),
    },
  },
  {
    name: 'portal-export-csv',
    type: 'release',
    description: 'Orders as a table',
    by: 'deletedUser',
    created: -87,
    archived: -21,
    tags: [simple('dealers')],
    environments: { development: on(defaultStrategy())({ seen: 600 }) },
  },
  {
    name: 'portal-status-page',
    type: 'operational',
    description: 'Forgotten when the project was archived',
    by: 'rootAdmin',
    created: -65,
    environments: {
      development: off(defaultStrategy())(),
      production: on(defaultStrategy())({ after: 1, seen: 510 }),
    },
  },
]);
