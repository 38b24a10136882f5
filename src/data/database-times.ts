import { sanitizeSql, sqlOperation } from './sanitize-sql.js';
import { traceStep } from './tracing.js';
import { currentWork, recordContinuation } from './work/work.js';

/** Receives how long statements and the waits for a connection took. */
export type DatabaseObserver = {
  statementEnded(operation: string, isSuccess: boolean, seconds: number): void;
  waited(seconds: number): void;
};

export type DatabaseTimes = {
  observe(observer: DatabaseObserver): void;
  /** Measures the wait for a connection. */
  wait<Result>(take: () => Promise<Result>): Promise<Result>;
  /** Measures a statement from sending it to its result. */
  statement<Result>(sql: string, send: () => Promise<Result>): Promise<Result>;
};

/** Measures a database for the metrics, and for the request that the statements belong to. */
export const createDatabaseTimes = (): DatabaseTimes => {
  const observers: DatabaseObserver[] = [];

  const statementEnded = (operation: string, isSuccess: boolean, ms: number) => {
    const usage = currentWork()?.usage;
    if (usage) usage.databaseMs += ms;
    for (const observer of observers) observer.statementEnded(operation, isSuccess, ms / 1000);
  };

  const waited = (ms: number) => {
    const usage = currentWork()?.usage;
    if (usage) usage.waitedMs += ms;
    for (const observer of observers) observer.waited(ms / 1000);
  };

  return {
    observe: (observer) => void observers.push(observer),
    wait: async (take) => {
      const started = performance.now();
      try {
        return await take();
      } finally {
        waited(performance.now() - started);
      }
    },
    statement: (sql, send) => {
      const operation = sqlOperation(sql);
      const run = async () => {
        const started = performance.now();
        let isSuccess = false;
        try {
          const result = await send();
          isSuccess = true;
          return result;
        } finally {
          statementEnded(operation, isSuccess, performance.now() - started);
          recordContinuation();
        }
      };
      return traceStep(`SQL ${operation}`, run, {
        kind: 'client',
        attributes: () => ({
          'db.system.name': 'postgresql',
          'db.operation.name': operation.toUpperCase(),
          'db.query.text': sanitizeSql(sql),
        }),
      });
    },
  };
};
