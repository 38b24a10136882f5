import type { Sql } from '../../../parity/src/world/sql.js';
import type { Name } from '../contenders/contender.js';
import type { Draw } from '../draw.js';
import type { BenchRequest } from '../measure/load.js';

export type Target = { against: Name; atLeast: number };

/** One question, as each contender understands it. */
export type Question = {
  requests: Partial<Record<Name, BenchRequest>>;
  /** Convert the responses of each contender to the expected form. */
  readers: Partial<Record<Name, (response: unknown) => unknown>>;
  /** The expected response, read with plain SQL. */
  expect: (sql: Sql) => Promise<unknown>;
};

export type Case = {
  id: string;
  title: string;
  /** The contender whose throughput is compared with the targets. */
  subject: Name;
  targets: readonly Target[];
  names: readonly Name[];
  /** Draws a question. */
  drawQuestion: (draw: Draw) => Question;
  /** A round of a slow case has few requests. */
  slow?: readonly Name[];
  /** The subject must need as many statements for this as for a question. */
  sameStatementsAs?: BenchRequest;
};
