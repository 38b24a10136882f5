import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type OperationOutcome = 'ok' | 'partial' | 'failed';

export type MetricsSources = {
  /** SQL statements sent so far. */
  statementCount: () => number;
  /** Connections to the database; absent where it needs none. */
  pool?: () => { open: number; idle: number; waiting: number };
};

export type RequestFacts = {
  /** A pattern out of a fixed list. */
  route: string;
  method: string;
  /** Null when the caller left before the end. */
  status: number | null;
  seconds: number;
};

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

// These watch the whole process, so one set of them is enough, however many gateways it holds.
let processRegistry: Registry | undefined;
const processMetrics = (): Registry => {
  if (processRegistry) return processRegistry;
  processRegistry = new Registry();
  collectDefaultMetrics({ register: processRegistry });
  return processRegistry;
};

/** Counts and times of a gateway for Prometheus; no label holds what a caller can choose. */
export const createMetrics = ({ statementCount, pool }: MetricsSources) => {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Histogram({
    name: 'flaggraph_http_request_duration_seconds',
    help: 'Requests that have ended, live streams apart.',
    labelNames: ['route', 'method', 'status'],
    buckets: SECONDS,
    registers,
  });
  const operations = new Counter({
    name: 'flaggraph_graphql_operations_total',
    help: 'GraphQL operations that ran; those asked for by several callers at the same moment ran once.',
    labelNames: ['type', 'outcome'],
    registers,
  });
  const streams = new Gauge({
    name: 'flaggraph_live_streams',
    help: 'Subscriptions that are open.',
    registers,
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
  if (pool) {
    new Gauge({
      name: 'flaggraph_database_connections',
      help: 'Connections to the database, open and of them idle, and callers waiting for one.',
      labelNames: ['state'],
      registers,
      collect() {
        for (const [state, count] of Object.entries(pool())) this.set({ state }, count);
      },
    });
  }
  const whole = Registry.merge([registry, processMetrics()]);

  return {
    requestEnded: ({ route, method, status, seconds }: RequestFacts) => {
      requests.observe(
        { route, method: METHODS.has(method) ? method : 'other', status: status ?? 'aborted' },
        seconds,
      );
    },
    operationRan: (type: string, outcome: OperationOutcome) => {
      operations.inc({ type, outcome });
    },
    streamOpened: () => streams.inc(),
    streamClosed: () => streams.dec(),
    answer: async () => ({
      status: 200,
      headers: { 'content-type': whole.contentType, 'cache-control': 'no-store' },
      body: await whole.metrics(),
    }),
  };
};

export type Metrics = ReturnType<typeof createMetrics>;
