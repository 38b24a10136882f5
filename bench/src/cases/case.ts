import type { Sql } from '../../../parity/src/world/sql.js';
import type { Name } from '../contenders/contender.js';
import type { Ask } from '../measure/drive.js';

export type Target = { against: Name; atLeast: number };

/** How one contender is asked, and how its answer is brought into the form of the expected one. */
export type Part = { ask: Ask; read: (answer: unknown) => unknown };

export type Case = {
  id: string;
  title: string;
  /** The one whose throughput is judged. */
  subject: Name;
  targets: readonly Target[];
  parts: Partial<Record<Name, Part>>;
  /** What the right answer says, by plain SQL. */
  expect: (sql: Sql) => Promise<unknown>;
  /** So slow that a few requests make a round. */
  slow?: readonly Name[];
  /** The subject must need as many statements for this as for the real request. */
  sameStatementsAs?: Ask;
};
