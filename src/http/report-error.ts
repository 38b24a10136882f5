import { type DomainError, UnknownError } from '../domain/errors.js';
import { toDomainError } from '../domain/failures.js';
import type { Logger } from '../observability/logger.js';

export type ReportError = (error: unknown) => DomainError;

/** Says what the caller is told of a failure; what is our fault goes to the log under the same id. */
export const createReportError =
  (logger: Logger, layout: { isMigratedByOthers: boolean }): ReportError =>
  (error) => {
    const known = toDomainError(error, layout);
    if (known?.name === 'TimeoutError' || known?.name === 'OverloadedError') {
      logger.warn({ errorId: known.id, err: error }, known.message);
    }
    if (known) return known;

    const unknown = new UnknownError();
    logger.error({ errorId: unknown.id, err: error }, 'unexpected failure');
    return unknown;
  };
