import { databaseFailure, deniedObject } from '../data/database-failure.js';
import { ResponseBudgetError, ResultTooLargeError } from '../data/work/byte-budget.js';
import { CancelledError } from '../data/work/work.js';
import {
  BadDataError,
  DomainError,
  NoAccessError,
  OverloadedError,
  PayloadTooLargeError,
  TimeoutError,
} from './errors.js';

const noRight = (object: string | null): string =>
  object === null
    ? 'The database user of this gateway lacks the required privilege.'
    : `The database user of this gateway lacks a privilege on ${object} that this operation requires.`;

const tooLarge = (error: unknown): string => {
  const limit = error instanceof ResultTooLargeError ? ` (more than ${error.maxBytes} bytes)` : '';
  return `The result is too large for one response${limit}. Request smaller pages or omit fields with payloads.`;
};

/**
 * Maps an error to one that callers may see; null for a bug. A missing table is a bug, unless another program
 * migrates the database.
 */
export const toDomainError = (
  error: unknown,
  { isMigratedByOthers = false }: { isMigratedByOthers?: boolean } = {},
): DomainError | null => {
  if (error instanceof DomainError) return error;
  if (error instanceof CancelledError) return new TimeoutError('The request was cancelled.');
  if (error instanceof ResponseBudgetError) {
    return new OverloadedError(
      'The gateway has reached its memory limit for responses. Request smaller pages or retry shortly.',
    );
  }
  switch (databaseFailure(error)) {
    case 'timeout':
      return new TimeoutError(
        'The database did not respond in time. Retry later or request less data.',
      );
    case 'overloaded':
      return new OverloadedError(
        'The database is unreachable or has no free connection. Retry shortly.',
      );
    case 'disk-full':
      return new OverloadedError(
        'The database is out of disk space and rejects writes. Retry when there is space.',
      );
    case 'conflict':
      return new OverloadedError(
        'Rolled back because of a deadlock or serialization conflict. Retry.',
      );
    case 'unknown-object':
      return isMigratedByOthers
        ? new OverloadedError(
            'The database lacks a table or column that the gateway requires. An upgrade may be in progress: retry shortly. `flaggraph doctor` lists what is missing.',
          )
        : null;
    case 'too-much':
      return new PayloadTooLargeError(tooLarge(error));
    case 'invalid-text':
      return BadDataError.of({ message: 'A value contains a character that cannot be stored.' });
    case 'privilege':
      return new NoAccessError(noRight(deniedObject(error)));
    default:
      return null;
  }
};
