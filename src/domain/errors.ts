import { randomUUID } from 'node:crypto';
import { truncate } from './truncate.js';
import { outcomeOfWrites } from './write-outcome.js';

/** Every error a caller can receive; the first four are those of the API document. */
export type ErrorName =
  | 'AuthenticationRequired'
  | 'NoAccessError'
  | 'NotFoundError'
  | 'ContentTypeerror'
  | 'BadDataError'
  | 'PatternError'
  | 'ExceedsLimitError'
  | 'ForbiddenError'
  | 'InvalidOperationError'
  | 'NameExistsError'
  | 'IdempotencyKeyError'
  | 'PayloadTooLargeError'
  | 'RateLimitError'
  | 'MaintenanceModeError'
  | 'OverloadedError'
  | 'TimeoutError'
  | 'UnknownError';

export type ErrorDetail = { message: string; path?: string };

/** An error that the caller can act on. All other errors are bugs and are masked. */
export abstract class DomainError extends Error {
  /** Identifies this occurrence in the response and in the log. */
  readonly id: string = randomUUID();
  abstract override readonly name: ErrorName;
  readonly details: readonly ErrorDetail[];
  /** Additional keys of the error body, such as the missing permissions. */
  readonly facts: Readonly<Record<string, unknown>> = {};

  constructor(message: string, details?: readonly ErrorDetail[]) {
    // Skips the stack trace: it is never read, and one request can create a thousand of these errors.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.details = details ?? [{ message }];
  }
}

export class AuthenticationRequired extends DomainError {
  override readonly name = 'AuthenticationRequired';

  static noToken(): AuthenticationRequired {
    return new AuthenticationRequired(
      'Authentication required: send a personal access token or an admin token in the Authorization header.',
    );
  }

  static badToken(): AuthenticationRequired {
    return new AuthenticationRequired('The token is unknown or expired, or its user was deleted.');
  }
}

export class NoAccessError extends DomainError {
  override readonly name = 'NoAccessError';
  override readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, permissions: readonly string[] = []) {
    super(message);
    this.facts = permissions.length > 0 ? { permissions } : {};
  }

  static missing(permission: string, scope: { project?: string; environment?: string } = {}) {
    const inProject = scope.project === undefined ? '' : ` in project '${scope.project}'`;
    const inEnvironment =
      scope.environment === undefined ? '' : ` for environment '${scope.environment}'`;
    return new NoAccessError(`You need ${permission}${inProject}${inEnvironment}.`, [permission]);
  }
}

/** Existing names are hardly longer; invented ones are truncated. */
const MAX_QUOTED = 200;

export class NotFoundError extends DomainError {
  override readonly name = 'NotFoundError';

  constructor(
    message: string,
    /** Type of the missing object, such as Feature. */
    readonly resource: string | null = null,
    readonly key: string | null = null,
  ) {
    super(message);
  }

  static of(resource: string, key: string | number): NotFoundError {
    const quoted = truncate(String(key), MAX_QUOTED);
    return new NotFoundError(`${resource} '${quoted}' does not exist.`, resource, String(key));
  }
}

export class ContentTypeError extends DomainError {
  override readonly name = 'ContentTypeerror';
}

export class BadDataError extends DomainError {
  override readonly name = 'BadDataError';

  /** The message names the first invalid value, `details` all of them. */
  static of(...details: [ErrorDetail, ...ErrorDetail[]]): BadDataError {
    return new BadDataError(details[0].message, details);
  }
}

/** An argument that is invalid regardless of the data. */
export class BadArgumentError extends BadDataError {}

/** A value that no row can contain or match. */
export class UnstorableTextError extends BadArgumentError {}

/** An idempotency key that no clone can have. */
export class InvalidKeyError extends BadArgumentError {}

/** The name is invalid in every project. */
export class InvalidNameError extends BadDataError {
  static override of(...details: [ErrorDetail, ...ErrorDetail[]]): InvalidNameError {
    return new InvalidNameError(details[0].message, details);
  }
}

/** The name does not match the naming pattern of its project. */
export class PatternError extends DomainError {
  override readonly name = 'PatternError';

  constructor(
    message: string,
    readonly pattern: string,
    readonly example: string | null,
    readonly description: string | null,
  ) {
    super(message);
  }
}

/** An instance-wide limit is reached. */
export class ExceedsLimitError extends DomainError {
  override readonly name = 'ExceedsLimitError';

  constructor(
    message: string,
    readonly limit: number,
  ) {
    super(message);
  }
}

/** The instance has reached its feature limit. */
export class InstanceFullError extends ExceedsLimitError {}

export class ForbiddenError extends DomainError {
  override readonly name = 'ForbiddenError';
}

/** The state of the data does not allow the operation, regardless of the caller. */
export class InvalidOperationError extends DomainError {
  override readonly name = 'InvalidOperationError';
}

/** The project has reached its feature limit. */
export class ProjectFullError extends InvalidOperationError {
  constructor(
    message: string,
    readonly limit: number,
    readonly project: string,
  ) {
    super(message);
  }
}

export class NameExistsError extends DomainError {
  override readonly name = 'NameExistsError';

  constructor(
    message: string,
    /** Whether the name belongs to an archived feature; null if that is unknown, or must not be revealed. */
    readonly archived: boolean | null,
  ) {
    super(message);
  }

  static taken(name: string, { archived }: { archived: boolean | null }): NameExistsError {
    const holder = archived ? 'an archived feature' : 'another feature';
    return new NameExistsError(
      `The name '${name}' already belongs to ${holder}. Choose another.`,
      archived,
    );
  }

  static listedTwice(name: string): NameExistsError {
    return new NameExistsError(
      `Another clone in this list has the name '${name}'. Choose another.`,
      false,
    );
  }
}

export class PayloadTooLargeError extends DomainError {
  override readonly name = 'PayloadTooLargeError';
}

/** Only this caller has exceeded its limit. */
export class RateLimitError extends DomainError {
  override readonly name = 'RateLimitError';

  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(message);
  }
}

export class MaintenanceModeError extends DomainError {
  override readonly name = 'MaintenanceModeError';
}

/** The idempotency key belongs to another request of the same caller, or to a clone that no longer exists. */
export class IdempotencyKeyError extends DomainError {
  override readonly name = 'IdempotencyKeyError';
}

/** Work was interrupted. For writes, the message and the facts say what may have been written. */
export abstract class InterruptedError extends DomainError {
  override readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string) {
    const { note, facts } = outcomeOfWrites();
    super(note === '' ? message : `${message} ${note}`);
    this.facts = facts;
  }
}

/** No database connection became available in time; retry later. */
export class OverloadedError extends InterruptedError {
  override readonly name = 'OverloadedError';
}

/** The work exceeded the gateway's timeout. */
export class TimeoutError extends InterruptedError {
  override readonly name = 'TimeoutError';
}

/** Masks an internal error: the caller receives only an ID to report. */
export class UnknownError extends DomainError {
  override readonly name = 'UnknownError';

  constructor() {
    super('Internal error. Include the ID of this error when you report it.');
  }
}
