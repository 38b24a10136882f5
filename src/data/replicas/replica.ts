import type { SqlQueryable } from '@prisma/driver-adapter-utils';

export type Replica = {
  readonly queryable: SqlQueryable;
  /** Everything committed before this time is visible. In milliseconds of `performance.now()`. */
  freshAt(): number;
  /** Statements in flight. */
  running: number;
  /** Not used again until it has responded to the next check. */
  suspect(): void;
};
