import { type DomainError, UnknownError } from '../domain/errors.js';
import { toDomainError } from '../domain/failures.js';
import { CancelledError } from '../domain/work.js';
import type { Logger } from '../observability/logger.js';

export type ReportError = (error: unknown) => DomainError;

/**
 * Maps a failure to the error sent to the caller. Internal errors are logged under the same ID. A failed statement that
 * many fields share is logged once.
 */
export const createReportError = (
  logger: Logger,
  layout: { isMigratedByOthers: boolean },
): ReportError => {
  const reported = new WeakMap<object, DomainError>();

  const report = (error: unknown): DomainError => {
    const known = toDomainError(error, layout);
    // No caller waits for this response any more.
    if (known && error instanceof CancelledError) return known;
    if (known?.name === 'TimeoutError' || known?.name === 'OverloadedError') {
      logger.warn({ errorId: known.id, err: error }, known.message);
    }
    if (known) return known;

    const unknown = new UnknownError();
    logger.error({ errorId: unknown.id, err: error }, 'unexpected error');
    return unknown;
  };

  return (error) => {
    if (typeof error !== 'object' || error === null) return report(error);
    const domainError = reported.get(error) ?? report(error);
    reported.set(error, domainError);
    return domainError;
  };
};
