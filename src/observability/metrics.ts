import { getHeapStatistics } from 'node:v8';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { addDatabaseMetrics, type DatabaseSource } from './database-metrics.js';
import { SECONDS } from './histogram-buckets.js';
import { addReplicaMetrics, type ReplicaSource } from './replica-metrics.js';
import { sharePaced } from './share-paced.js';
import { SOCKET_CLOSE_REASONS, type SocketCloseReason } from './socket-close-reasons.js';

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

/** Printing takes milliseconds, and needs no credentials. */
const PRINT_EVERY_MS = 50;
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

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
  database: DatabaseSource & { replicas: ReplicaSource },
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
    help: 'Open subscriptions and exports.',
    registers,
  });
  const stalledStreams = new Gauge({
    name: 'flaggraph_live_streams_stalled',
    help: 'Subscriptions and exports whose client has stopped reading.',
    registers,
  });
  const droppedStreams = new Counter({
    name: 'flaggraph_live_streams_dropped_total',
    help: 'Subscriptions and exports closed because their client read too slowly.',
    registers,
  });
  const sockets = new Gauge({
    name: 'flaggraph_websockets',
    help: 'Open WebSockets.',
    registers,
  });
  const closedSockets = new Counter({
    name: 'flaggraph_websockets_closed_total',
    help: 'Closed WebSockets. The reason is client, or why the gateway closed it.',
    labelNames: ['reason'],
    registers,
  });
  const slowOperations = new Counter({
    name: 'flaggraph_slow_operations_total',
    help: 'Requests that took SLOW_OPERATION_MS or longer.',
    registers,
  });
  new Gauge({
    name: 'flaggraph_build_info',
    help: 'Always 1, with the versions as labels.',
    labelNames: ['version', 'node'],
    aggregator: 'first',
    registers,
  }).set({ version, node: process.version }, 1);
  new Gauge({
    name: 'flaggraph_heap_limit_bytes',
    help: 'Heap size limit of the process.',
    registers,
    collect() {
      this.set(getHeapStatistics().heap_size_limit);
    },
  });
  addDatabaseMetrics(registers, database);
  addReplicaMetrics(registers, database.replicas);
  // Counters start at 0: a rate would not see the first event of a series that starts with it.
  for (const type of OPERATION_TYPES) {
    for (const outcome of OUTCOMES) operations.inc({ type, outcome }, 0);
  }
  for (const reason of AUTH_FAILURES) authenticationFailures.inc({ reason }, 0);
  for (const reason of SOCKET_CLOSE_REASONS) closedSockets.inc({ reason }, 0);
  for (const cache of CACHES) evictions.inc({ cache }, 0);
  rateLimited.inc({ limit: 'points' }, 0);
  const whole = Registry.merge([registry, processMetrics()]);
  // One body for all its responses: a text would be copied for each.
  const print = sharePaced(
    async () => Buffer.from((await scrape()) ?? (await whole.metrics())),
    PRINT_EVERY_MS,
  );

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
    socketOpened: () => sockets.inc(),
    socketClosed: (reason: SocketCloseReason) => {
      sockets.dec();
      closedSockets.inc({ reason });
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
