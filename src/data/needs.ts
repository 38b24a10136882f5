import type { Prisma } from './db.js';

/** What the gateway does, as far as rights in the database go. */
export const OPERATIONS = [
  'authentication',
  'searchEvents',
  'healthReport',
  'integrationEvents',
  'cloneFeature',
] as const;

export type OperationName = (typeof OPERATIONS)[number];

/** A table outside the map of models, or columns that only some versions have: used where they are found. */
export type OptionalNeed = {
  table: string;
  columns: readonly string[];
  rights: readonly ('SELECT' | 'INSERT' | 'UPDATE')[];
};

export type Needs = {
  reads: readonly Prisma.ModelName[];
  inserts: readonly Prisma.ModelName[];
  ifPresent: readonly OptionalNeed[];
};

// What the answers of both the health report and a clone tell of a feature.
const FEATURE_RECORD = [
  'Feature',
  'FeatureEnvironment',
  'Environment',
  'Strategy',
  'StrategySegment',
  'LastSeen',
  'FeatureTag',
  'FavoriteFeature',
  'Dependency',
  'LifecycleStage',
  'User',
  'Event',
] as const satisfies Prisma.ModelName[];

/** The models whose tables each operation touches; which columns those are, the map of models tells. */
export const NEEDS: Readonly<Record<OperationName, Needs>> = {
  authentication: {
    reads: [
      'ApiToken',
      'PersonalAccessToken',
      'User',
      'Role',
      'RoleUser',
      'RolePermission',
      'Permission',
      'Group',
      'GroupUser',
      'GroupRole',
    ],
    inserts: [],
    ifPresent: [
      {
        table: 'api_tokens_v2',
        columns: ['selector', 'verifier', 'token_name', 'type', 'expires_at'],
        rights: ['SELECT'],
      },
      {
        table: 'personal_access_tokens',
        columns: ['selector', 'verifier'],
        rights: ['SELECT'],
      },
    ],
  },
  searchEvents: { reads: ['Event'], inserts: [], ifPresent: [] },
  healthReport: {
    reads: [
      ...FEATURE_RECORD,
      'FeatureType',
      'Project',
      'ProjectSettings',
      'ProjectStats',
      'ProjectEnvironment',
      'ChangeRequestSetting',
      'FavoriteProject',
      'Role',
      'RoleUser',
      'GroupRole',
      'GroupUser',
    ],
    inserts: [],
    ifPresent: [],
  },
  integrationEvents: { reads: ['Integration', 'IntegrationEvent'], inserts: [], ifPresent: [] },
  cloneFeature: {
    reads: [
      ...FEATURE_RECORD,
      'Project',
      'ProjectSettings',
      'ProjectEnvironment',
      'ChangeRequestSetting',
      'Segment',
      'StrategyType',
      'ContextField',
      'Setting',
    ],
    inserts: [
      'Feature',
      'FeatureEnvironment',
      'Strategy',
      'StrategySegment',
      'Dependency',
      'Event',
    ],
    ifPresent: [
      // Counted by a trigger on the events, with the rights of whoever writes them.
      {
        table: 'stat_environment_updates',
        columns: ['day', 'environment', 'updates'],
        rights: ['SELECT', 'INSERT', 'UPDATE'],
      },
    ],
  },
};
