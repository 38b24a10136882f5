import { getHeapStatistics } from 'node:v8';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { addReplicaMetrics } from './replica-metrics.js';
import { sharePaced } from './share-paced.js';

export type OperationOutcome = 'ok' | 'partial' | 'failed';

/** A metric and its values, one for each combination of labels. */
export type MetricObject = {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram' | 'summary';
  values: readonly {
    value: number;
    labels: Readonly<Record<string, string | number>>;
    /** For histograms, the name with `_bucket`, `_sum` or `_count`. */
    metricName?: string;
  }[];
};

export type MetricsSources = {
  /** SQL statements sent so far. */
  statementCount: () => number;
  /** Statements cancelled on the server because no caller waited for them any more. */
  cancelledCount?: () => number;
  /** Resolves if the database responds. */
  ping: (timeoutMs: number) => Promise<void>;
  /** Reports the duration of statements, and of waits for a connection. */
  observe: (observer: {
    statementEnded(operation: string, isSuccess: boolean, seconds: number): void;
    waited(seconds: number): void;
  }) => void;
  /** Database connections. Absent for the embedded database. */
  pool?: () => { open: number; idle: number; waiting: number };
  /** Replicas of the database, and how old their data can be. */
  replicas: { report(): { place: string; state: string; lagMs: number }[] };
};

export type MetricsOptions = {
  version: string;
  /** The metrics of all processes that share the port, as text. Null if they are not available. */
  scrape?: (() => Promise<string | null>) | undefined;
};

export type RequestFacts = {
  /** A pattern from a fixed list. */
  route: string;
  method: string;
  /** Null if the client disconnected before the end. */
  status: number | null;
  seconds: number;
};

/** A scrape must not wait long for a database that does not respond. */
const PING_LIMIT_MS = 1_000;
/** Printing takes milliseconds, and needs no credentials. */
const PRINT_EVERY_MS = 50;
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const OPERATION_TYPES = ['query', 'mutation', 'subscription'];
const OUTCOMES: readonly OperationOutcome[] = ['ok', 'partial', 'failed'];
const AUTH_FAILURES = [
  'no_credentials',
  'invalid_cookie',
  'unknown_token',
  'unknown_session',
  'no_access',
  'rate_limited',
];
const CACHES = ['documents', 'rate_limits'];

// These cover the whole process, so one set is enough for any number of gateways.
let processRegistry: Registry | undefined;
const processMetrics = (): Registry => {
  if (processRegistry) return processRegistry;
  processRegistry = new Registry();
  collectDefaultMetrics({ register: processRegistry });
  return processRegistry;
};

/** Prometheus metrics of a gateway. No label contains a value that a caller can choose. */
export const createMetrics = (
  { statementCount, cancelledCount, ping, observe, pool, replicas }: MetricsSources,
  { version, scrape = async () => null }: MetricsOptions,
) => {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'flaggraph_http_requests_total',
    help: 'Completed requests, excluding live streams.',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  // Clients without credentials can cause every status on every route, and each combination would add 16 lines.
  const durations = new Histogram({
    name: 'flaggraph_http_request_duration_seconds',
    help: 'Duration of completed requests, excluding live streams.',
    labelNames: ['route'],
    buckets: SECONDS,
    registers,
  });
  const operations = new Counter({
    name: 'flaggraph_graphql_operations_total',
    help: 'GraphQL operations executed. Coalesced operations count once.',
    labelNames: ['type', 'outcome'],
    registers,
  });
  const authenticationFailures = new Counter({
    name: 'flaggraph_auth_failures_total',
    help: 'Requests with missing or rejected credentials.',
    labelNames: ['reason'],
    registers,
  });
  const rateLimited = new Counter({
    name: 'flaggraph_rate_limited_total',
    help: 'Requests rejected by a rate limit.',
    labelNames: ['limit'],
    registers,
  });
  const evictions = new Counter({
    name: 'flaggraph_cache_evictions_total',
    help: 'Cache entries evicted to make room for others.',
    labelNames: ['cache'],
    registers,
  });
  const streams = new Gauge({
    name: 'flaggraph_live_streams',
    help: 'Open subscriptions.',
    registers,
  });
  const stalledStreams = new Gauge({
    name: 'flaggraph_live_streams_stalled',
    help: 'Subscriptions whose client has stopped reading.',
    registers,
  });
  const droppedStreams = new Counter({
    name: 'flaggraph_live_streams_dropped_total',
    help: 'Subscriptions closed because their client read too slowly.',
    registers,
  });
  const slowOperations = new Counter({
    name: 'flaggraph_slow_operations_total',
    help: 'Requests that took SLOW_OPERATION_MS or longer.',
    registers,
  });
  const statements = new Histogram({
    name: 'flaggraph_sql_duration_seconds',
    help: 'Duration of SQL statements.',
    labelNames: ['operation', 'outcome'],
    buckets: SECONDS,
    registers,
  });
  const waits = new Histogram({
    name: 'flaggraph_pool_wait_seconds',
    help: 'Time spent waiting for a database connection.',
    buckets: SECONDS,
    registers,
  });
  observe({
    statementEnded: (operation, isSuccess, seconds) =>
      statements.observe({ operation, outcome: isSuccess ? 'ok' : 'failed' }, seconds),
    waited: (seconds) => waits.observe(seconds),
  });
  new Gauge({
    name: 'flaggraph_build_info',
    help: 'Always 1, with the versions as labels.',
    labelNames: ['version', 'node'],
    aggregator: 'first',
    registers,
  }).set({ version, node: process.version }, 1);
  new Gauge({
    name: 'flaggraph_database_up',
    help: 'Whether the database responds and has the required tables.',
    aggregator: 'min',
    registers,
    async collect() {
      this.set(
        await ping(PING_LIMIT_MS).then(
          () => 1,
          () => 0,
        ),
      );
    },
  });
  new Gauge({
    name: 'flaggraph_heap_limit_bytes',
    help: 'Heap size limit of the process.',
    registers,
    collect() {
      this.set(getHeapStatistics().heap_size_limit);
    },
  });
  new Counter({
    name: 'flaggraph_sql_statements_total',
    help: 'SQL statements sent to the database.',
    registers,
    collect() {
      this.reset();
      this.inc(statementCount());
    },
  });
  new Counter({
    name: 'flaggraph_statements_cancelled_total',
    help: 'SQL statements cancelled because their request had ended.',
    registers,
    collect() {
      this.reset();
      this.inc(cancelledCount?.() ?? 0);
    },
  });
  if (pool) {
    new Gauge({
      name: 'flaggraph_database_connections',
      help: 'Database connections that are open and, of these, idle, and callers waiting for one.',
      labelNames: ['state'],
      registers,
      collect() {
        for (const [state, count] of Object.entries(pool())) this.set({ state }, count);
      },
    });
  }
  addReplicaMetrics(registers, replicas);
  // Counters start at 0: a rate would not see the first event of a series that starts with it.
  for (const type of OPERATION_TYPES) {
    for (const outcome of OUTCOMES) operations.inc({ type, outcome }, 0);
  }
  for (const reason of AUTH_FAILURES) authenticationFailures.inc({ reason }, 0);
  for (const cache of CACHES) evictions.inc({ cache }, 0);
  rateLimited.inc({ limit: 'points' }, 0);
  const whole = Registry.merge([registry, processMetrics()]);
  const print = sharePaced(async () => (await scrape()) ?? (await whole.metrics()), PRINT_EVERY_MS);

  return {
    requestEnded: ({ route, method, status, seconds }: RequestFacts) => {
      requests.inc({
        route,
        method: METHODS.has(method) ? method : 'other',
        status: status ?? 'aborted',
      });
      durations.observe({ route }, seconds);
    },
    operationRan: (type: string, outcome: OperationOutcome) => {
      operations.inc({ type, outcome });
    },
    authenticationFailed: (reason: string) => authenticationFailures.inc({ reason }),
    rateLimited: (limit: string) => rateLimited.inc({ limit }),
    evicted: (cache: string) => evictions.inc({ cache }),
    streamOpened: () => streams.inc(),
    streamClosed: () => streams.dec(),
    streamStalled: () => {
      stalledStreams.inc();
      return (isDisconnected: boolean) => {
        stalledStreams.dec();
        if (isDisconnected) droppedStreams.inc();
      };
    },
    slowOperation: () => slowOperations.inc(),
    /** All metrics as objects, for other formats. */
    // The types of the library declare an enum, but the values are names.
    read: async () => (await whole.getMetricsAsJSON()) as unknown as MetricObject[],
    respond: async () => ({
      status: 200,
      headers: { 'content-type': whole.contentType, 'cache-control': 'no-store' },
      body: await print(),
    }),
  };
};

export type Metrics = ReturnType<typeof createMetrics>;
