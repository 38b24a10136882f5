import { createHmac } from 'node:crypto';

/** Well-known tokens of the demo world; `demo-access.ts` decides where they are accepted. */
export const DEMO_TOKENS = {
  admin: '*:*.demo-admin-token',
  client: 'web-shop:development.demo-client-token',
  frontend: '[]:production.demo-frontend-token',
  expiredAdmin: '*:*.demo-expired-admin-token',
  unknownType: '*:*.demo-unknown-type-token',

  rootAdmin: 'user:demo-root-admin',
  editor: 'user:demo-editor',
  viewer: 'user:demo-viewer',
  owner: 'user:demo-owner',
  member: 'user:demo-member',
  groupMember: 'user:demo-group-member',
  groupAdmin: 'user:demo-group-admin',
  customRoot: 'user:demo-custom-root',
  serviceAccount: 'user:demo-service-account',
  wildcard: 'user:demo-wildcard',
  noRole: 'user:demo-no-role',
  approver: 'user:demo-approver',
  deletedUser: 'user:demo-deleted-user',
  expired: 'user:demo-expired',
} as const;

export type DemoTokenKey = keyof typeof DEMO_TOKENS;

export type DemoTokens = Readonly<Record<DemoTokenKey, string>>;

/** Unguessable tokens for the same callers, derived from the secret. */
export const makeDemoTokens = (secret: string): DemoTokens => {
  const tokens = Object.entries(DEMO_TOKENS).map(([key, known]) => {
    const [prefix = ''] = /^.*[.:]/.exec(known) ?? [];
    return [key, `${prefix}${createHmac('sha256', secret).update(key).digest('base64url')}`];
  });
  return Object.fromEntries(tokens) as DemoTokens;
};

const secrets: ReadonlySet<string> = new Set(Object.values(DEMO_TOKENS));

export const isDemoToken = (secret: string): boolean => secrets.has(secret);

/** Expiry of the demo tokens that never expire. */
export const FAR_FUTURE = new Date('2099-12-31T00:00:00Z');

export type DemoApiToken = {
  key: DemoTokenKey;
  name: string;
  type: string;
  environment: string | null;
  /** Empty for all projects. */
  projects: readonly string[];
  created: number;
  /** Day on which it expired. */
  expired?: number;
};

export const API_TOKENS: readonly DemoApiToken[] = [
  {
    key: 'admin',
    name: 'demo-admin',
    type: 'admin',
    environment: null,
    projects: [],
    created: -92,
  },
  {
    key: 'client',
    name: 'shop-backend',
    type: 'client',
    environment: 'development',
    projects: ['web-shop'],
    created: -88,
  },
  {
    key: 'frontend',
    name: 'shop-and-app-frontend',
    type: 'frontend',
    environment: 'production',
    projects: ['web-shop', 'mobile'],
    created: -80,
  },
  {
    key: 'expiredAdmin',
    name: 'migration-script',
    type: 'admin',
    environment: null,
    projects: [],
    created: -91,
    expired: -61,
  },
  {
    key: 'unknownType',
    name: 'from-another-version',
    type: 'observer',
    environment: null,
    projects: [],
    created: -45,
  },
];
