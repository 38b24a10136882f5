import { databaseFailure, deniedObject } from '../data/database-failure.js';
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
    ? 'The database user of this gateway may not do this.'
    : `The database user of this gateway has no right to ${object}, which this needs.`;

/**
 * What a caller can be told of an error, or null when it is a bug of ours. That a table is not there is one, unless
 * somebody else migrates them.
 */
export const toDomainError = (
  error: unknown,
  { isMigratedByOthers = false }: { isMigratedByOthers?: boolean } = {},
): DomainError | null => {
  if (error instanceof DomainError) return error;
  switch (databaseFailure(error)) {
    case 'timeout':
      return new TimeoutError(
        'The database took too long. Try again later, or ask for less at once.',
      );
    case 'overloaded':
      return new OverloadedError(
        'The database is out of reach or has no connection free. Try again soon.',
      );
    case 'conflict':
      return new OverloadedError(
        'The database gave up this work because it stood in the way of other work there. Try again soon.',
      );
    case 'unknown-object':
      return isMigratedByOthers
        ? new OverloadedError(
            'The database lacks a table or column that the gateway needs; it may be in the middle of an upgrade. Try again soon. `flaggraph doctor` names what is missing.',
          )
        : null;
    case 'too-much':
      return new PayloadTooLargeError(
        'What this reads is too large for one answer. Ask for smaller pages, or leave out fields that hold payloads.',
      );
    case 'invalid-text':
      return BadDataError.of({ message: 'A value contains a character that cannot be stored.' });
    case 'privilege':
      return new NoAccessError(noRight(deniedObject(error)));
    default:
      return null;
  }
};
