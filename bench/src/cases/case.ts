import type { Sql } from '../../../parity/src/world/sql.js';
import type { Name } from '../contenders/contender.js';
import type { BenchRequest } from '../measure/load.js';

export type Target = { against: Name; atLeast: number };

/** The request of one contender, and a function that converts its response to the expected form. */
export type Part = { request: BenchRequest; read: (response: unknown) => unknown };

export type Case = {
  id: string;
  title: string;
  /** The contender whose throughput is compared with the targets. */
  subject: Name;
  targets: readonly Target[];
  parts: Partial<Record<Name, Part>>;
  /** The expected response, read with plain SQL. */
  expect: (sql: Sql) => Promise<unknown>;
  /** A round of a slow case has few requests. */
  slow?: readonly Name[];
  /** The subject must need the same number of statements for this as for the measured request. */
  sameStatementsAs?: BenchRequest;
};
