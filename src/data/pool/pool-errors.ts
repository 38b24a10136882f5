/** The server neither responded in time nor ended the statement: the connection is presumed dead. */
export class StatementDeadlineError extends Error {
  override readonly name = 'StatementDeadlineError';

  constructor(limitMs: number) {
    super(`the database did not respond within ${limitMs} ms; the connection was closed`);
  }
}

/** The connection leads to a read-only server, although the gateway was started on a writable one. */
export class ReadOnlyServerError extends Error {
  override readonly name = 'ReadOnlyServerError';

  constructor() {
    super('the database has become read-only, as after a failover; the connection was closed');
  }
}

/** No connection became free in time. Nothing was sent. */
export class NoConnectionError extends Error {
  override readonly name = 'NoConnectionError';

  constructor(waitMs: number) {
    super(`no connection to the database became free within ${waitMs} ms`);
  }
}

/** A prepared statement no longer fits its tables, as after a migration. Nothing ran. */
export class StaleStatementError extends Error {
  override readonly name = 'StaleStatementError';

  constructor() {
    super('the tables of a prepared statement have changed; the connection was closed');
  }
}

/** The pool closed the connection because it can no longer be trusted. */
export class ConnectionDroppedError extends Error {
  override readonly name = 'ConnectionDroppedError';
}
