import type { Prisma } from '../db.js';
import { TABLES } from '../generated/tables.js';

/** The gateway's operations, as far as database privileges are concerned. */
export const OPERATIONS = [
  'authentication',
  'searchEvents',
  'healthReport',
  'integrationEvents',
  'cloneFeature',
  'featureUsage',
  'plannedChanges',
] as const;

export type OperationName = (typeof OPERATIONS)[number];

export type TableColumns = { table: string; columns: readonly string[] };

/** A table outside the Prisma models, or columns that only some Unleash versions have. Used where present. */
export type OptionalRequirement = TableColumns & {
  rights: readonly ('SELECT' | 'INSERT' | 'UPDATE')[];
  /** A column (`table.column`) without which none of this is used. */
  onlyWith?: string;
};

/** Events written together share a group, since Unleash 7. */
const EVENT_GROUPS = { table: 'events', columns: ['group_type', 'group_id'] };

export type Requirements = {
  reads: readonly Prisma.ModelName[];
  /** The columns that are written. The others get their defaults. */
  inserts: readonly TableColumns[];
  ifPresent: readonly OptionalRequirement[];
};

/** Mapped columns that no operation reads. The demo data and `flaggraph token` use them. */
export const UNREAD_COLUMNS: ReadonlySet<string> = new Set([
  // Contains secrets of integrations.
  'addons.parameters',
  'api_tokens.created_at',
  'api_tokens.environment',
  'api_tokens.seen_at',
  'context_fields.description',
  'context_fields.stickiness',
  'groups.description',
  'groups.name',
  'permissions.display_name',
  'personal_access_tokens.created_at',
  'personal_access_tokens.description',
  'personal_access_tokens.seen_at',
  'role_permission.id',
  'role_user.created_at',
  'roles.description',
  'strategies.built_in',
  'strategies.deprecated',
  'strategies.description',
  'strategies.parameters',
  'users.created_at',
]);

/** Read at startup: the Unleash version, or the gateway's own migrations. */
export const HISTORY_REQUIREMENTS: readonly OptionalRequirement[] = [
  { table: 'migrations', columns: ['name'], rights: ['SELECT'] },
  {
    table: '_prisma_migrations',
    columns: ['migration_name', 'checksum', 'started_at', 'finished_at', 'rolled_back_at', 'logs'],
    rights: ['SELECT'],
  },
];

/** Needed only if Unleash's sign-in cookie is accepted. */
export const SESSION_REQUIREMENT: OptionalRequirement = {
  table: 'unleash_session',
  columns: ['sid', 'sess', 'expired'],
  rights: ['SELECT'],
};

/** Needed only for the parts of a clone requested with `include`. */
export const CLONE_INCLUDE_REQUIREMENTS = {
  TAGS: {
    table: 'feature_tag',
    columns: ['feature_name', 'tag_type', 'tag_value', 'created_by_user_id'],
    rights: ['INSERT'],
  },
  FAVORITE: { table: 'favorite_features', columns: ['feature', 'user_id'], rights: ['INSERT'] },
} as const satisfies Record<string, OptionalRequirement>;

/** Tables whose absence leaves only fields of the graph empty. */
export const OPTIONAL_TABLES = {
  featureUsage: ['HourlyUsage', 'HourlyVariantUsage', 'DailyUsage', 'DailyVariantUsage'],
  releasePlans: ['ReleasePlan', 'Milestone'],
  changeRequests: ['ChangeRequest', 'ChangeRequestEvent', 'ChangeRequestApproval'],
} as const satisfies Record<string, readonly Prisma.ModelName[]>;

/** Mapped for their keys only. */
const UNREAD_KEYS: ReadonlySet<string> = new Set([
  'change_request_approvals.id',
  'change_request_events.id',
]);

const readIfPresent = (...models: readonly Prisma.ModelName[]): OptionalRequirement[] =>
  models.map((model) => {
    const { name: table, columns } = TABLES[model];
    const isRead = (column: string) => !UNREAD_KEYS.has(`${table}.${column}`);
    return { table, columns: Object.values<string>(columns).filter(isRead), rights: ['SELECT'] };
  });

// What the responses of the health report and of a clone contain about a feature.
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

/** The models that each operation touches. Their columns come from the Prisma models. */
export const REQUIREMENTS: Readonly<Record<OperationName, Requirements>> = {
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
      // Which projects are private, and which remain visible to users from whom those are hidden.
      { table: 'project_settings', columns: ['project', 'project_mode'], rights: ['SELECT'] },
      { table: 'projects', columns: ['id'], rights: ['SELECT'] },
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
  searchEvents: {
    reads: ['Event'],
    inserts: [],
    ifPresent: [{ ...EVENT_GROUPS, rights: ['SELECT'] }],
  },
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
      {
        table: 'features',
        columns: [
          'name',
          'description',
          'type',
          'project',
          'stale',
          'impression_data',
          'created_by_user_id',
        ],
      },
      {
        table: 'feature_environments',
        columns: ['environment', 'feature_name', 'enabled', 'variants'],
      },
      {
        table: 'feature_strategies',
        columns: [
          'id',
          'feature_name',
          'project_name',
          'environment',
          'strategy_name',
          'title',
          'disabled',
          'parameters',
          'constraints',
          'variants',
          'sort_order',
        ],
      },
      { table: 'feature_strategy_segment', columns: ['feature_strategy_id', 'segment_id'] },
      { table: 'dependent_features', columns: ['parent', 'child', 'enabled', 'variants'] },
      {
        table: 'events',
        columns: [
          'type',
          'created_by',
          'created_by_user_id',
          'data',
          'tags',
          'project',
          'environment',
          'feature_name',
          'ip',
          'created_at',
        ],
      },
    ],
    ifPresent: [
      { ...EVENT_GROUPS, rights: ['INSERT'] },
      // Links that a project adds to each new feature.
      { table: 'project_settings', columns: ['link_templates'], rights: ['SELECT'] },
      {
        table: 'feature_link',
        columns: ['id', 'feature_name', 'url', 'title', 'domain'],
        rights: ['INSERT'],
        onlyWith: 'project_settings.link_templates',
      },
      // Counted by a trigger on events, with the privileges of the inserting role.
      {
        table: 'stat_environment_updates',
        columns: ['day', 'environment', 'updates'],
        rights: ['SELECT', 'INSERT'],
      },
      { table: 'stat_environment_updates', columns: ['updates'], rights: ['UPDATE'] },
    ],
  },
  featureUsage: {
    reads: ['Feature', 'FeatureEnvironment', 'Environment', 'LastSeen'],
    inserts: [],
    ifPresent: readIfPresent(...OPTIONAL_TABLES.featureUsage),
  },
  plannedChanges: {
    reads: [
      'Feature',
      'FeatureEnvironment',
      'Environment',
      'Strategy',
      'StrategySegment',
      'Project',
      'User',
    ],
    inserts: [],
    ifPresent: readIfPresent(...OPTIONAL_TABLES.releasePlans, ...OPTIONAL_TABLES.changeRequests),
  },
};
