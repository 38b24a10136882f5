import { z } from 'zod';

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((n) => n >= least && n <= most, `must be a whole number from ${least} to ${most}`);

const webAddress = z
  .string()
  .refine(
    (value) => /^https?:\/\//.test(value) && URL.canParse(value),
    'must be an address starting with http:// or https://',
  );

const databaseAddress = z
  .string()
  .refine(
    (value) => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value),
    'must be an address of the form postgresql://user:password@host:port/database',
  );

const path = z
  .string()
  .regex(/^(\/[\w.~-]+)+\/?$/, 'must be a path such as /flags, without query or blanks')
  .transform((value) => value.replace(/\/$/, ''));

const origins = z
  .string()
  .transform((value) => value.split(',').map((origin) => origin.trim()))
  .refine(
    (list) => list.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
    'must be a comma-separated list of origins such as https://app.example.com',
  );

/** JavaScript takes 30 February for a day in March. */
const readDay = (text: string): Date | undefined => {
  const date = new Date(`${text}T00:00:00Z`);
  const exists = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
  return exists ? date : undefined;
};

const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2027-06-30')
  .transform(readDay)
  .refine((date) => date !== undefined, 'must be a day that exists');

const Settings = z.object({
  DATABASE_URL: databaseAddress.optional(),
  DATABASE_POOL_SIZE: wholeNumber(1, 500).default(10),
  DATA_DIR: z.string().default('.flaggraph'),
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(4000),
  BASE_PATH: path.default(''),
  GRAPHIQL: z.enum(['on', 'off'], 'must be on or off').optional(),
  ADMIN_UI_URL: webAddress.default('http://localhost:4242'),
  CORS_ORIGINS: origins.default([]),
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
  STATEMENT_TIMEOUT_MS: wholeNumber(100, 600_000).default(15_000),
  REQUEST_TIMEOUT_MS: wholeNumber(100, 600_000).default(30_000),
  HEALTH_REPORT_SUNSET: day.optional(),
  UNLEASH_FEATURE_FLAGS_LIMIT: wholeNumber(0, 2_000_000_000).default(5000),
  UNLEASH_FEATURE_ENVIRONMENT_STRATEGIES_LIMIT: wholeNumber(0, 1_000_000).default(30),
  UNLEASH_CONSTRAINTS_LIMIT: wholeNumber(0, 1_000_000).default(30),
  UNLEASH_CONSTRAINT_VALUES_LIMIT: wholeNumber(0, 1_000_000).default(250),
  UNLEASH_STRATEGY_SEGMENTS_LIMIT: wholeNumber(0, 1_000_000).default(5),
});

export type Config = Readonly<{
  /** PostgreSQL that holds the admin database. Unset: the embedded database. */
  databaseUrl?: string;
  /** Connections held open to PostgreSQL. Default 10. */
  poolSize: number;
  /** Folder of the embedded database. Default `.flaggraph`. */
  dataDir: string;
  /** Default `127.0.0.1`. */
  host: string;
  /** Default 4000; 0 takes any free one. */
  port: number;
  /** Path in front of every route. Default empty. */
  basePath: string;
  /** Whether GraphiQL is served. Default on; off in production and where only trusted documents run. */
  graphiql: boolean;
  /** Start of the links in event summaries. Default `http://localhost:4242`. */
  adminUiUrl: string;
  /** Origins whose pages may call from a browser. Default none. */
  corsOrigins: readonly string[];
  /** Operations known by hash or name, and whether no others run. Default none. */
  trustedDocuments?: Readonly<{ folder: string; only: boolean }>;
  /** Default `info`. */
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Introspection needs a token and the demo tokens are refused. Default false. */
  production: boolean;
  /** Longest time one SQL statement may take. Default 15000. */
  statementTimeoutMs: number;
  /** Longest time one request may take. Default 30000. */
  requestTimeoutMs: number;
  /** When the health report leaves REST, announced by a Sunset header. Default unset. */
  healthReportSunset?: Date;
  /** Limits of the whole installation, as the original reads them from its environment. */
  limits: Readonly<{
    features: number;
    strategiesPerEnvironment: number;
    constraints: number;
    constraintValues: number;
    segmentsPerStrategy: number;
  }>;
}>;

/** Settings that are wrong, all of them at once; values are never repeated, they may be secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    super(
      `The settings cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
  }
}

/** Settings that are right in themselves and do not go together. */
const contradictionsOf = (given: NodeJS.ProcessEnv): string[] => {
  if (given['TRUSTED_DOCUMENTS_ONLY'] !== 'on') return [];
  return [
    ...(given['TRUSTED_DOCUMENTS'] === undefined
      ? ['TRUSTED_DOCUMENTS must be a folder when TRUSTED_DOCUMENTS_ONLY is on']
      : []),
    ...(given['GRAPHIQL'] === 'on'
      ? [
          'GRAPHIQL must be off, or unset, when TRUSTED_DOCUMENTS_ONLY is on: it sends its own texts',
        ]
      : []),
  ];
};

/** Reads the settings once; an empty variable counts as unset. */
export const loadConfig = (env: NodeJS.ProcessEnv): Config => {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = Settings.safeParse(given);
  const problems = [
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`),
    ...contradictionsOf(given),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);

  const settings = parsed.data;
  const production = settings.NODE_ENV === 'production';
  const only = settings.TRUSTED_DOCUMENTS_ONLY === 'on';
  return Object.freeze({
    ...(settings.DATABASE_URL !== undefined && { databaseUrl: settings.DATABASE_URL }),
    poolSize: settings.DATABASE_POOL_SIZE,
    dataDir: settings.DATA_DIR,
    host: settings.HOST,
    port: settings.PORT,
    basePath: settings.BASE_PATH,
    graphiql: settings.GRAPHIQL === undefined ? !production && !only : settings.GRAPHIQL === 'on',
    adminUiUrl: settings.ADMIN_UI_URL,
    corsOrigins: settings.CORS_ORIGINS,
    ...(settings.TRUSTED_DOCUMENTS !== undefined && {
      trustedDocuments: { folder: settings.TRUSTED_DOCUMENTS, only },
    }),
    logLevel: settings.LOG_LEVEL,
    production,
    statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
    requestTimeoutMs: settings.REQUEST_TIMEOUT_MS,
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
