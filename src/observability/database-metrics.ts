import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { SECONDS } from './histogram-buckets.js';

/** What a database reports. */
export type DatabaseSource = {
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
};

/** A scrape must not wait long for a database that does not respond. */
const PING_LIMIT_MS = 1_000;

/** Metrics of the statements and connections of a gateway. */
export const addDatabaseMetrics = (
  registers: Registry[],
  { statementCount, cancelledCount, ping, observe, pool }: DatabaseSource,
): void => {
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
};
