import { type DomainError, UnknownError } from '../domain/errors.js';
import { toDomainError } from '../domain/failures.js';
import type { Logger } from '../observability/logger.js';

export type ReportError = (error: unknown) => DomainError;

/**
 * Says what the caller is told of a failure; what is our fault goes to the log under the same id. A statement for many
 * fields fails for all of them: that is logged once.
 */
export const createReportError = (
  logger: Logger,
  layout: { isMigratedByOthers: boolean },
): ReportError => {
  const reported = new WeakMap<object, DomainError>();

  const report = (error: unknown): DomainError => {
    const known = toDomainError(error, layout);
    if (known?.name === 'TimeoutError' || known?.name === 'OverloadedError') {
      logger.warn({ errorId: known.id, err: error }, known.message);
    }
    if (known) return known;

    const unknown = new UnknownError();
    logger.error({ errorId: unknown.id, err: error }, 'unexpected failure');
    return unknown;
  };

  return (error) => {
    if (typeof error !== 'object' || error === null) return report(error);
    const told = reported.get(error) ?? report(error);
    reported.set(error, told);
    return told;
  };
};
