import { randomUUID } from 'node:crypto';
import { cut } from './cut.js';

/** Every kind of failure a caller can be told of; the first four are the API document's. */
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
  | 'PayloadTooLargeError'
  | 'MaintenanceModeError'
  | 'OverloadedError'
  | 'TimeoutError'
  | 'UnknownError';

export type ErrorDetail = { message: string; path?: string };

/** A failure the caller can act on. Anything else is a bug and stays masked. */
export abstract class DomainError extends Error {
  /** Identifies this one occurrence, in the answer and in the log. */
  readonly id: string = randomUUID();
  abstract override readonly name: ErrorName;
  readonly details: readonly ErrorDetail[];
  /** Further keys of the error body, such as the missing permissions. */
  readonly facts: Readonly<Record<string, unknown>> = {};

  constructor(message: string, details?: readonly ErrorDetail[]) {
    super(message);
    this.details = details ?? [{ message }];
  }
}

export class AuthenticationRequired extends DomainError {
  override readonly name = 'AuthenticationRequired';

  static noToken(): AuthenticationRequired {
    return new AuthenticationRequired(
      'This request carries no token. Send an admin or personal token in the Authorization header.',
    );
  }

  static badToken(): AuthenticationRequired {
    return new AuthenticationRequired(
      'The token in the Authorization header is unknown, expired or belongs to nobody any more.',
    );
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

/** Names that exist are hardly longer; of what a caller made up, the beginning is enough. */
const MAX_QUOTED = 200;

export class NotFoundError extends DomainError {
  override readonly name = 'NotFoundError';

  constructor(
    message: string,
    /** What was looked for, such as Feature. */
    readonly resource: string | null = null,
    readonly key: string | null = null,
  ) {
    super(message);
  }

  static of(resource: string, key: string | number): NotFoundError {
    const shown = cut(String(key), MAX_QUOTED);
    return new NotFoundError(`${resource} '${shown}' does not exist.`, resource, String(key));
  }
}

export class ContentTypeError extends DomainError {
  override readonly name = 'ContentTypeerror';
}

export class BadDataError extends DomainError {
  override readonly name = 'BadDataError';

  /** One or more values of the request are not acceptable; the message names the first, `details` all. */
  static of(...details: [ErrorDetail, ...ErrorDetail[]]): BadDataError {
    return new BadDataError(details[0].message, details);
  }
}

/** A value that no row can hold and none can match. */
export class UnstorableTextError extends BadDataError {}

/** The name itself is impossible, wherever the feature should live. */
export class InvalidNameError extends BadDataError {
  static override of(...details: [ErrorDetail, ...ErrorDetail[]]): InvalidNameError {
    return new InvalidNameError(details[0].message, details);
  }
}

/** A name misses the naming pattern of the project it should live in. */
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

/** A limit of the whole installation is reached. */
export class ExceedsLimitError extends DomainError {
  override readonly name = 'ExceedsLimitError';

  constructor(
    message: string,
    readonly limit: number,
  ) {
    super(message);
  }
}

/** The installation holds as many features as it may. */
export class InstanceFullError extends ExceedsLimitError {}

export class ForbiddenError extends DomainError {
  override readonly name = 'ForbiddenError';
}

/** The state of the data forbids the operation, whoever asks. */
export class InvalidOperationError extends DomainError {
  override readonly name = 'InvalidOperationError';
}

/** The project holds as many features as it may. */
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
    /** Whether the name belongs to an archived feature. */
    readonly archived: boolean,
  ) {
    super(message);
  }

  static taken(name: string, { archived = false } = {}): NameExistsError {
    const holder = archived ? 'an archived feature' : 'another feature';
    return new NameExistsError(
      `The name '${name}' already belongs to ${holder}. Choose another.`,
      archived,
    );
  }
}

export class PayloadTooLargeError extends DomainError {
  override readonly name = 'PayloadTooLargeError';
}

export class MaintenanceModeError extends DomainError {
  override readonly name = 'MaintenanceModeError';
}

/** No database connection came free in time; trying again later helps. */
export class OverloadedError extends DomainError {
  override readonly name = 'OverloadedError';
}

/** The work took longer than the gateway allows. */
export class TimeoutError extends DomainError {
  override readonly name = 'TimeoutError';
}

/** What a caller is told of a failure that is our fault: an id to quote, and nothing else. */
export class UnknownError extends DomainError {
  override readonly name = 'UnknownError';

  constructor() {
    super(
      'Something went wrong inside the gateway. Quote the id of this error when you report it.',
    );
  }
}
