import type { Author } from './people.js';
import type { StrategySpec } from './strategies.js';
import { rollout } from './strategies.js';

export const NEW_ENVIRONMENTS: readonly {
  name: string;
  type: string;
  sortOrder: number;
  created: number;
}[] = [
  { name: 'staging', type: 'preproduction', sortOrder: 2, created: -91 },
  { name: 'test', type: 'test', sortOrder: 2, created: -87 },
];

export type ProjectSpec = {
  id: string;
  name: string;
  description: string | null;
  by: Author;
  created: number;
  archived?: number;
  environments: readonly string[];
  /** By environment. */
  defaultStrategies?: Readonly<Record<string, StrategySpec>>;
  /** Number of required approvals by environment. */
  changeRequests?: Readonly<Record<string, number>>;
  /** If omitted, the project has no settings row. */
  settings?: {
    stickiness: string | null;
    mode: 'open' | 'protected' | 'private';
    limit?: number;
    naming?: { pattern: string; example: string; description: string };
  };
  hasStats: boolean;
};

export const PROJECTS: readonly ProjectSpec[] = [
  {
    id: 'default',
    name: 'Default',
    description: 'Features without a team',
    by: 'system',
    created: -92,
    environments: ['development', 'production'],
    hasStats: true,
  },
  {
    id: 'web-shop',
    name: 'Web shop',
    description: 'The shop at harbour-pine.example: tents, stoves and good boots',
    by: 'rootAdmin',
    created: -91,
    environments: ['development', 'staging', 'production'],
    defaultStrategies: {
      production: rollout(10, { title: 'Start small', stickiness: 'userId' }),
    },
    settings: { stickiness: 'userId', mode: 'open' },
    hasStats: true,
  },
  {
    id: 'mobile',
    name: 'Mobile apps',
    description: 'iOS and Android',
    by: 'rootAdmin',
    created: -88,
    environments: ['development', 'test', 'production'],
    settings: {
      stickiness: 'sessionId',
      mode: 'protected',
      naming: {
        pattern: '(ios|android|mobile)\\.[a-z0-9-]+',
        example: 'mobile.offline-cart',
        description:
          'The platform (ios, android, or mobile for both), a dot,\nthen words in lower case.',
      },
    },
    hasStats: true,
  },
  {
    id: 'payments',
    name: 'Payments – Zahlungen 支払い',
    description: 'Cards, invoices and refunds.\nChanges in production need two approvals.',
    by: 'rootAdmin',
    created: -85,
    environments: ['development', 'staging', 'production'],
    changeRequests: { production: 2 },
    settings: { stickiness: 'default', mode: 'private' },
    hasStats: true,
  },
  {
    id: 'warehouse',
    name: 'Warehouse',
    description: null,
    by: 'editor',
    created: -86,
    environments: ['development', 'production'],
    settings: { stickiness: null, mode: 'open', limit: 6 },
    hasStats: true,
  },
  {
    id: 'legacy-portal',
    name: 'Legacy portal',
    description: 'The dealers’ portal, switched off',
    by: 'deletedUser',
    created: -91,
    archived: -20,
    environments: ['development', 'production'],
    settings: { stickiness: 'default', mode: 'open' },
    hasStats: true,
  },
  {
    id: 'lab',
    name: 'Lab',
    description: '',
    by: 'groupAdmin',
    created: -13,
    environments: ['development'],
    hasStats: false,
  },
];

export const FAVORITE_PROJECTS = [
  { project: 'web-shop', person: 'viewer', day: -64 },
  { project: 'web-shop', person: 'owner', day: -80 },
  { project: 'payments', person: 'rootAdmin', day: -33 },
  { project: 'default', person: 'editor', day: -50 },
] as const;
