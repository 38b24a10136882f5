import { describe, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../../src/config/config.js';
import { decideConsole } from '../../src/pages/console-setting.js';

const problemsOf = (env: NodeJS.ProcessEnv): readonly string[] => {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

const TRAFFIC_DEFAULTS = {
  keepAliveTimeoutMs: 65_000,
  shutdownDelayMs: 0,
  maxConnections: null,
  maxAnswerBytes: 33_554_432,
  maxBytesInFlight: 67_108_864,
  rateLimitPoints: 2_000_000,
  rateLimitWindowMs: 20_000,
  maxConcurrentOperations: 8,
  authFailuresPerMinute: 120,
};

describe('settings', () => {
  test('have defaults for everything', () => {
    expect(loadConfig({})).toEqual({
      replicaUrls: [],
      poolSize: 10,
      workers: 1,
      dataDir: '.flaggraph',
      host: '127.0.0.1',
      port: 4000,
      basePath: '',
      federation: false,
      graphiql: true,
      adminUiUrl: 'http://localhost:4242',
      corsOrigins: [],
      trustedProxies: 0,
      logLevel: 'info',
      production: false,
      statementTimeoutMs: 15_000,
      requestTimeoutMs: 30_000,
      slowOperationMs: 1_000,
      traffic: TRAFFIC_DEFAULTS,
      limits: {
        features: 5000,
        strategiesPerEnvironment: 30,
        constraints: 30,
        constraintValues: 250,
        segmentsPerStrategy: 5,
      },
    });
  });

  test('are read from the environment', () => {
    const config = loadConfig({
      DATABASE_URL: 'postgresql://ann:hush@db.example:5433/flags',
      DATABASE_REPLICA_URLS:
        'postgresql://ann:hush@one.example/flags, postgresql://two.example:5433/flags',
      DATABASE_POOL_SIZE: '30',
      WORKERS: '4',
      DATA_DIR: '/var/lib/flags',
      HOST: '0.0.0.0',
      PORT: '0',
      BASE_PATH: '/flags/api/',
      FEDERATION: 'on',
      GRAPHIQL: 'on',
      CONSOLE: 'off',
      ADMIN_UI_URL: 'https://flags.example/ui',
      CORS_ORIGINS: 'https://a.example, http://localhost:5173',
      TRUSTED_PROXIES: '2',
      TRUSTED_DOCUMENTS: '/srv/documents',
      LOG_LEVEL: 'debug',
      NODE_ENV: 'production',
      STATEMENT_TIMEOUT_MS: '100',
      REQUEST_TIMEOUT_MS: '600000',
      SLOW_OPERATION_MS: '250',
      KEEP_ALIVE_TIMEOUT_MS: '1000',
      SHUTDOWN_DELAY_MS: '2000',
      MAX_CONNECTIONS: '300',
      MAX_ANSWER_BYTES: '4000000',
      MAX_BYTES_IN_FLIGHT: '5000000',
      RATE_LIMIT_POINTS: '0',
      RATE_LIMIT_WINDOW_MS: '6000',
      MAX_CONCURRENT_OPERATIONS: '7',
      AUTH_FAILURES_PER_MINUTE: '9',
      HEALTH_REPORT_SUNSET: '2030-06-30',
      UNLEASH_FEATURE_FLAGS_LIMIT: '1',
      UNLEASH_FEATURE_ENVIRONMENT_STRATEGIES_LIMIT: '2',
      UNLEASH_CONSTRAINTS_LIMIT: '3',
      UNLEASH_CONSTRAINT_VALUES_LIMIT: '4',
      UNLEASH_STRATEGY_SEGMENTS_LIMIT: '5',
    });
    expect(config).toEqual({
      databaseUrl: 'postgresql://ann:hush@db.example:5433/flags',
      replicaUrls: [
        'postgresql://ann:hush@one.example/flags',
        'postgresql://two.example:5433/flags',
      ],
      poolSize: 30,
      workers: 4,
      dataDir: '/var/lib/flags',
      host: '0.0.0.0',
      port: 0,
      basePath: '/flags/api',
      federation: true,
      graphiql: true,
      console: 'off',
      adminUiUrl: 'https://flags.example/ui',
      corsOrigins: ['https://a.example', 'http://localhost:5173'],
      trustedProxies: 2,
      trustedDocuments: { folder: '/srv/documents', only: false },
      logLevel: 'debug',
      production: true,
      statementTimeoutMs: 100,
      requestTimeoutMs: 600_000,
      slowOperationMs: 250,
      traffic: {
        keepAliveTimeoutMs: 1_000,
        shutdownDelayMs: 2_000,
        maxConnections: 300,
        maxAnswerBytes: 4_000_000,
        maxBytesInFlight: 5_000_000,
        rateLimitPoints: 0,
        rateLimitWindowMs: 6_000,
        maxConcurrentOperations: 7,
        authFailuresPerMinute: 9,
      },
      healthReportSunset: new Date('2030-06-30T00:00:00Z'),
      limits: {
        features: 1,
        strategiesPerEnvironment: 2,
        constraints: 3,
        constraintValues: 4,
        segmentsPerStrategy: 5,
      },
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('that are empty count as unset, and unknown ones are ignored', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: '', CORS_ORIGINS: '', HOME: '/x' })).toEqual(
      loadConfig({}),
    );
  });

  test('disable GraphiQL in production by default', () => {
    expect(loadConfig({ NODE_ENV: 'production' }).graphiql).toBe(false);
    expect(loadConfig({ NODE_ENV: 'development' }).graphiql).toBe(true);
    expect(loadConfig({ GRAPHIQL: 'off' }).graphiql).toBe(false);
    expect(loadConfig({ NODE_ENV: 'production', GRAPHIQL: 'on' }).graphiql).toBe(true);
  });

  test('serve the console in production only with sessions, or on request', () => {
    const isServed = (env: Record<string, string>, hasSessions: boolean) =>
      decideConsole(loadConfig(env), { hasSessions, isBuilt: true }).isOn;
    const production = { NODE_ENV: 'production' };
    expect(isServed({}, false)).toBe(true);
    expect(isServed({ CONSOLE: 'off' }, true)).toBe(false);
    expect(isServed(production, false)).toBe(false);
    expect(isServed(production, true)).toBe(true);
    expect(isServed({ ...production, CONSOLE: 'on' }, false)).toBe(true);
    expect(isServed({ ...production, CONSOLE: 'off' }, true)).toBe(false);
  });

  test('report why the console is off', () => {
    const decide = (env: Record<string, string>, isBuilt: boolean) =>
      decideConsole(loadConfig(env), { hasSessions: false, isBuilt });
    expect(decide({ CONSOLE: 'off' }, false)).toEqual({ isOn: false, reason: 'CONSOLE is off' });
    expect(decide({ NODE_ENV: 'production' }, true)).toMatchObject({
      reason: expect.stringContaining('sign-in sessions'),
    });
    expect(decide({ NODE_ENV: 'production', CONSOLE: 'on' }, false)).toMatchObject({
      reason: expect.stringContaining('not built'),
    });
  });

  test('that require trusted documents need a folder of documents, and GraphiQL disabled', () => {
    const only = { TRUSTED_DOCUMENTS: 'documents', TRUSTED_DOCUMENTS_ONLY: 'on' };
    expect(loadConfig(only)).toMatchObject({
      trustedDocuments: { folder: 'documents', only: true },
      graphiql: false,
    });
    expect(problemsOf({ TRUSTED_DOCUMENTS_ONLY: 'on', GRAPHIQL: 'on', PORT: 'x' })).toEqual([
      expect.stringMatching(/^PORT must be /),
      expect.stringMatching(/^TRUSTED_DOCUMENTS must be a folder/),
      expect.stringMatching(/^GRAPHIQL must be off/),
    ]);
    expect(problemsOf({ ...only, TRUSTED_DOCUMENTS_ONLY: 'yes' })).toEqual([
      'TRUSTED_DOCUMENTS_ONLY must be on or off',
    ]);
  });

  test('export telemetry only with an endpoint, unless OpenTelemetry is disabled', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };
    expect(loadConfig(endpoint).telemetry).toEqual({
      protocol: 'http/protobuf',
      tracesUrl: 'http://collector:4318/v1/traces',
      metricsUrl: 'http://collector:4318/v1/metrics',
      metricsIntervalMs: 60_000,
    });
    expect(loadConfig({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }).telemetry).toMatchObject({
      tracesUrl: null,
      metricsUrl: 'http://collector:4318/v1/metrics',
    });
    const neither = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' };
    expect(loadConfig({ ...endpoint, ...neither }).telemetry).toBeUndefined();
    expect(loadConfig({ ...endpoint, OTEL_SDK_DISABLED: 'True' }).telemetry).toBeUndefined();
    expect(loadConfig({ OTEL_SERVICE_NAME: 'flags' }).telemetry).toBeUndefined();
  });

  test('that are invalid are all named, without their values', () => {
    const WRONG = {
      DATABASE_URL: 'mysql://ann:hush-1@db/x',
      DATABASE_REPLICA_URLS: 'postgresql://ann:hush-12@one.example/x,hush-13',
      DATABASE_POOL_SIZE: 'hush-2',
      WORKERS: 'hush-3',
      PORT: '65536',
      BASE_PATH: 'hush-3 with blanks',
      GRAPHIQL: 'hush-4',
      ADMIN_UI_URL: 'javascript:hush-5',
      CORS_ORIGINS: 'https://a.example/hush-6',
      LOG_LEVEL: 'hush-7',
      TRUSTED_PROXIES: 'hush-11',
      NODE_ENV: 'hush-10',
      STATEMENT_TIMEOUT_MS: '-1',
      REQUEST_TIMEOUT_MS: '1.5',
      HEALTH_REPORT_SUNSET: 'hush-8',
      UNLEASH_FEATURE_FLAGS_LIMIT: 'hush-9',
      UNLEASH_FEATURE_ENVIRONMENT_STRATEGIES_LIMIT: '1e3',
      UNLEASH_CONSTRAINTS_LIMIT: '0x10',
      UNLEASH_CONSTRAINT_VALUES_LIMIT: ' 5',
      UNLEASH_STRATEGY_SEGMENTS_LIMIT: '99999999999',
    };
    const problems = problemsOf(WRONG);
    const named = new Set(problems.map((problem) => problem.split(' ')[0]));
    expect([...named].toSorted()).toEqual(Object.keys(WRONG).toSorted());
    for (const problem of problems) expect(problem).toMatch(/^[A-Z_]+ must be .+/);
    const message = new ConfigError(problems).message;
    for (const problem of problems) expect(message).toContain(problem);
    expect(message).not.toMatch(/hush|ann:|65536|mysql|javascript/);
  });

  test('let workers share the connections to the database', () => {
    const env = { DATABASE_URL: 'postgresql://db.example/flags', DATABASE_POOL_SIZE: '2' };
    expect(loadConfig({ ...env, WORKERS: '2' }).workers).toBe(2);
    expect(loadConfig({ ...env, WORKERS: 'auto' }).workers).toBeLessThanOrEqual(2);
    expect(problemsOf({ ...env, WORKERS: '3' })).toEqual([
      'WORKERS must be at most DATABASE_POOL_SIZE: the workers share its connections',
    ]);
  });

  test('refuse replicas of the embedded database', () => {
    expect(problemsOf({ DATABASE_REPLICA_URLS: 'postgresql://one.example/flags' })).toEqual([
      'DATABASE_REPLICA_URLS must be unset without a DATABASE_URL: the embedded database has no replicas',
    ]);
  });

  test.each([
    ['DATABASE_URL', 'localhost:5432/flags'],
    ['DATABASE_POOL_SIZE', '0'],
    ['WORKERS', '0'],
    ['WORKERS', '2'],
    ['WORKERS', 'all'],
    ['PORT', '-1'],
    ['BASE_PATH', 'flags'],
    ['BASE_PATH', '/flags?x'],
    ['BASE_PATH', '//'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'https://a.example,'],
    ['CORS_ORIGINS', 'a.example'],
    ['GRAPHIQL', 'true'],
    ['CONSOLE', 'true'],
    ['TRUSTED_PROXIES', '21'],
    ['TRUSTED_PROXIES', '-1'],
    ['TRUSTED_PROXIES', 'loopback'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '10.0.0/8'],
    ['TRUSTED_PROXIES', 'fd00::/129'],
    ['TRUSTED_PROXIES', 'fe80::1%eth0'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,'],
    ['NODE_ENV', 'Production'],
    ['ADMIN_UI_URL', 'flags.example'],
    ['STATEMENT_TIMEOUT_MS', '99'],
    ['REQUEST_TIMEOUT_MS', '600001'],
    ['MAX_CONNECTIONS', '0'],
    ['SLOW_OPERATION_MS', '-1'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_SDK_DISABLED', 'yes'],
    ['RATE_LIMIT_WINDOW_MS', '0'],
    ['KEEP_ALIVE_TIMEOUT_MS', '-1'],
    ['HEALTH_REPORT_SUNSET', '2030-13-01'],
    ['HEALTH_REPORT_SUNSET', '2030-02-30'],
  ])('%s=%s is rejected with a single error', (name, value) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} must be `));
  });
});
