import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { integerSetting } from './integer-setting.js';
import { TELEMETRY_SETTINGS, type Telemetry, toTelemetry } from './telemetry.js';
import { TRAFFIC_SETTINGS, type Traffic, toTraffic } from './traffic.js';
import { type TrustedProxies, trustedProxies } from './trusted-proxies.js';
import { webAddress } from './web-address.js';

const isDatabaseAddress = (value: string): boolean =>
  /^postgres(ql)?:\/\//.test(value) && URL.canParse(value);

const databaseAddress = z
  .string()
  .refine(
    isDatabaseAddress,
    'must be an address of the form postgresql://user:password@host:port/database',
  );

const MAX_REPLICAS = 16;

const replicaAddresses = z
  .string()
  .transform((value) => value.split(',').map((address) => address.trim()))
  .refine(
    (list) => list.length <= MAX_REPLICAS && list.every(isDatabaseAddress),
    `must be a comma-separated list of at most ${MAX_REPLICAS} addresses of the form postgresql://user:password@host:port/database`,
  );

const DEFAULT_POOL_SIZE = 10;

const workers = z
  .union([z.literal('auto'), integerSetting(1, 64)], 'must be a whole number from 1 to 64, or auto')
  .transform((value) => (value === 'auto' ? availableParallelism() : value));

const path = z
  .string()
  .regex(/^(\/[\w.~-]+)+\/?$/, 'must be a path such as /flags, without a query string or spaces')
  .transform((value) => value.replace(/\/$/, ''));

const origins = z
  .string()
  .transform((value) => value.split(',').map((origin) => origin.trim()))
  .refine(
    (list) => list.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
    'must be a comma-separated list of origins such as https://app.example.com',
  );

/** `Date` turns 30 February into a day in March. */
const readDay = (text: string): Date | undefined => {
  const date = new Date(`${text}T00:00:00Z`);
  const exists = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
  return exists ? date : undefined;
};

const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date such as 2027-06-30')
  .transform(readDay)
  .refine((date) => date !== undefined, 'must be a valid date');

const Settings = z.object({
  DATABASE_URL: databaseAddress.optional(),
  DATABASE_REPLICA_URLS: replicaAddresses.default([]),
  DATABASE_POOL_SIZE: integerSetting(1, 500).default(DEFAULT_POOL_SIZE),
  DATA_DIR: z.string().default('.flaggraph'),
  WORKERS: workers.default(1),
  HOST: z.string().default('127.0.0.1'),
  PORT: integerSetting(0, 65_535).default(4000),
  BASE_PATH: path.default(''),
  GRAPHIQL: z.enum(['on', 'off'], 'must be on or off').optional(),
  CONSOLE: z.enum(['on', 'off'], 'must be on or off').optional(),
  FEDERATION: z.enum(['on', 'off'], 'must be on or off').default('off'),
  ADMIN_UI_URL: webAddress.default('http://localhost:4242'),
  CORS_ORIGINS: origins.default([]),
  TRUSTED_PROXIES: trustedProxies.default(0),
  UNLEASH_SECRET: z.string().optional(),
  SESSIONS: z.enum(['on', 'off'], 'must be on or off').optional(),
  TRUSTED_DOCUMENTS: z.string().optional(),
  TRUSTED_DOCUMENTS_ONLY: z.enum(['on', 'off'], 'must be on or off').default('off'),
  LOG_LEVEL: z
    .enum(
      ['debug', 'info', 'warn', 'error', 'silent'],
      'must be debug, info, warn, error or silent',
    )
    .default('info'),
  NODE_ENV: z
    .enum(['production', 'development', 'test'], 'must be production, development or test')
    .optional(),
  STATEMENT_TIMEOUT_MS: integerSetting(100, 600_000).default(15_000),
  REQUEST_TIMEOUT_MS: integerSetting(100, 600_000).default(30_000),
  SLOW_OPERATION_MS: integerSetting(0, 600_000).default(1_000),
  ...TRAFFIC_SETTINGS,
  ...TELEMETRY_SETTINGS,
  HEALTH_REPORT_SUNSET: day.optional(),
  UNLEASH_FEATURE_FLAGS_LIMIT: integerSetting(0, 2_000_000_000).default(5000),
  UNLEASH_FEATURE_ENVIRONMENT_STRATEGIES_LIMIT: integerSetting(0, 1_000_000).default(30),
  UNLEASH_CONSTRAINTS_LIMIT: integerSetting(0, 1_000_000).default(30),
  UNLEASH_CONSTRAINT_VALUES_LIMIT: integerSetting(0, 1_000_000).default(250),
  UNLEASH_STRATEGY_SEGMENTS_LIMIT: integerSetting(0, 1_000_000).default(5),
});

/** Names of all environment variables that are settings. */
export const SETTING_NAMES: readonly string[] = Object.keys(Settings.shape);

export type Config = Readonly<{
  /** PostgreSQL URL of the admin database. Unset: the embedded database. */
  databaseUrl?: string;
  /** Read replicas of the admin database. Default none. */
  replicaUrls: readonly string[];
  /** Maximum connections to each server. Default 10. */
  poolSize: number;
  /** Folder of the embedded database. Default `.flaggraph`. */
  dataDir: string;
  /** Processes that share the port. 1 with the embedded database. Default 1. */
  workers: number;
  /** Default `127.0.0.1`. */
  host: string;
  /** Default 4000; 0 picks any free port. */
  port: number;
  /** Path prefix of every route. Default empty. */
  basePath: string;
  /** Whether GraphiQL is served. Default on; off in production and with trusted documents only. */
  graphiql: boolean;
  /** Whether the web console is served. Default: outside of production, and where sign-in cookies are accepted. */
  console?: 'on' | 'off';
  /** Whether the graph has the fields that routers of a federated graph use. Default off. */
  federation: boolean;
  /** Base URL of links in event summaries. Default `http://localhost:4242`. */
  adminUiUrl: string;
  /** Origins whose pages may send requests from a browser. Default none. */
  corsOrigins: readonly string[];
  /** Proxies whose X-Forwarded-* headers are used. Default none. */
  trustedProxies: TrustedProxies;
  /** Secret that Unleash signs sign-in cookies with. Default unset. */
  unleashSecret?: string;
  /** Whether sign-in cookies are accepted. Default: on Unleash's database, if a secret is set. */
  sessions?: 'on' | 'off';
  /** Operations known by hash or name, and whether all others are rejected. Default none. */
  trustedDocuments?: Readonly<{ folder: string; only: boolean }>;
  /** Default `info`. */
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Introspection requires a token, and the demo tokens are rejected. Default false. */
  production: boolean;
  /** Statement timeout. Default 15000. */
  statementTimeoutMs: number;
  /** Request timeout. Default 30000. */
  requestTimeoutMs: number;
  /** Requests that take this long are logged as slow. 0: none. Default 1000. */
  slowOperationMs: number;
  /** Export of traces and metrics over OTLP. Default unset: none. */
  telemetry?: Telemetry;
  /** Limits on connections, responses and clients. */
  traffic: Traffic;
  /** When the health report is removed from REST, announced by a Sunset header. Default unset. */
  healthReportSunset?: Date;
  /** Instance-wide limits, from the same environment variables as in Unleash. */
  limits: Readonly<{
    features: number;
    strategiesPerEnvironment: number;
    constraints: number;
    constraintValues: number;
    segmentsPerStrategy: number;
  }>;
}>;

/** All invalid settings at once. Values are never repeated, because they may be secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    super(`Invalid settings:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}

/** Settings that are valid individually but contradict each other. */
const contradictionsOf = (env: NodeJS.ProcessEnv): string[] => {
  const isEmbedded = env['DATABASE_URL'] === undefined;
  const count = /^\d+$/.test(env['WORKERS'] ?? '') ? Number(env['WORKERS']) : 1;
  const poolSize = Number(env['DATABASE_POOL_SIZE'] ?? DEFAULT_POOL_SIZE);
  const ofWorkers = [
    ...(isEmbedded && count > 1
      ? ['WORKERS must be 1, auto or unset without a DATABASE_URL: the embedded database has one']
      : []),
    ...(!isEmbedded && count > poolSize
      ? ['WORKERS must be at most DATABASE_POOL_SIZE: the workers share its connections']
      : []),
  ];
  const ofDatabase = [
    ...ofWorkers,
    ...(isEmbedded && env['DATABASE_REPLICA_URLS'] !== undefined
      ? [
          'DATABASE_REPLICA_URLS must be unset without a DATABASE_URL: the embedded database has no replicas',
        ]
      : []),
  ];
  const usesSessions = env['UNLEASH_SECRET'] !== undefined || env['SESSIONS'] === 'on';
  if (isEmbedded && usesSessions && env['NODE_ENV'] === 'production') {
    ofDatabase.push(
      'DATABASE_URL must be set in production with UNLEASH_SECRET or SESSIONS: the embedded database has no sign-in sessions of Unleash',
    );
  }
  if (env['TRUSTED_DOCUMENTS_ONLY'] !== 'on') return ofDatabase;
  return [
    ...ofDatabase,
    ...(env['TRUSTED_DOCUMENTS'] === undefined
      ? ['TRUSTED_DOCUMENTS must be a folder when TRUSTED_DOCUMENTS_ONLY is on']
      : []),
    ...(env['GRAPHIQL'] === 'on'
      ? [
          'GRAPHIQL must be off, or unset, when TRUSTED_DOCUMENTS_ONLY is on, because it sends its own documents',
        ]
      : []),
  ];
};

/** Reads the settings once. Empty variables count as unset. */
export const loadConfig = (env: NodeJS.ProcessEnv): Config => {
  const variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = Settings.safeParse(variables);
  const problems = [
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`),
    ...contradictionsOf(variables),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);

  const settings = parsed.data;
  const production = settings.NODE_ENV === 'production';
  const only = settings.TRUSTED_DOCUMENTS_ONLY === 'on';
  const telemetry = toTelemetry(settings);
  return Object.freeze({
    ...(settings.DATABASE_URL !== undefined && { databaseUrl: settings.DATABASE_URL }),
    replicaUrls: settings.DATABASE_REPLICA_URLS,
    poolSize: settings.DATABASE_POOL_SIZE,
    dataDir: settings.DATA_DIR,
    workers:
      settings.DATABASE_URL === undefined
        ? 1
        : Math.min(settings.WORKERS, settings.DATABASE_POOL_SIZE),
    host: settings.HOST,
    port: settings.PORT,
    basePath: settings.BASE_PATH,
    federation: settings.FEDERATION === 'on',
    graphiql: settings.GRAPHIQL === undefined ? !production && !only : settings.GRAPHIQL === 'on',
    ...(settings.CONSOLE !== undefined && { console: settings.CONSOLE }),
    adminUiUrl: settings.ADMIN_UI_URL,
    corsOrigins: settings.CORS_ORIGINS,
    trustedProxies: settings.TRUSTED_PROXIES,
    ...(settings.UNLEASH_SECRET !== undefined && { unleashSecret: settings.UNLEASH_SECRET }),
    ...(settings.SESSIONS !== undefined && { sessions: settings.SESSIONS }),
    ...(settings.TRUSTED_DOCUMENTS !== undefined && {
      trustedDocuments: { folder: settings.TRUSTED_DOCUMENTS, only },
    }),
    logLevel: settings.LOG_LEVEL,
    production,
    statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
    requestTimeoutMs: settings.REQUEST_TIMEOUT_MS,
    slowOperationMs: settings.SLOW_OPERATION_MS,
    ...(telemetry && { telemetry }),
    traffic: toTraffic(settings),
    ...(settings.HEALTH_REPORT_SUNSET && { healthReportSunset: settings.HEALTH_REPORT_SUNSET }),
    limits: {
      features: settings.UNLEASH_FEATURE_FLAGS_LIMIT,
      strategiesPerEnvironment: settings.UNLEASH_FEATURE_ENVIRONMENT_STRATEGIES_LIMIT,
      constraints: settings.UNLEASH_CONSTRAINTS_LIMIT,
      constraintValues: settings.UNLEASH_CONSTRAINT_VALUES_LIMIT,
      segmentsPerStrategy: settings.UNLEASH_STRATEGY_SEGMENTS_LIMIT,
    },
  });
};
