import { randomUUID } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { type DomainError, type ErrorName, RateLimitError } from '../domain/errors.js';
import { retryHeader } from '../http/retry-header.js';
import { withExample } from './input-examples.js';

/** The only place that knows GraphQL's codes, and the HTTP status of a response with nothing but an error. */
const CODES = {
  AuthenticationRequired: ['UNAUTHENTICATED', 401],
  NoAccessError: ['FORBIDDEN', 403],
  NotFoundError: ['NOT_FOUND', 404],
  ContentTypeerror: ['UNSUPPORTED_MEDIA_TYPE', 415],
  BadDataError: ['BAD_USER_INPUT', 400],
  PatternError: ['BAD_USER_INPUT', 400],
  ExceedsLimitError: ['LIMIT_EXCEEDED', 400],
  ForbiddenError: ['FORBIDDEN', 403],
  InvalidOperationError: ['INVALID_OPERATION', 403],
  NameExistsError: ['NAME_EXISTS', 409],
  IdempotencyKeyError: ['IDEMPOTENCY_KEY_REUSED', 422],
  PayloadTooLargeError: ['PAYLOAD_TOO_LARGE', 413],
  RateLimitError: ['RATE_LIMITED', 429],
  MaintenanceModeError: ['MAINTENANCE_MODE', 503],
  OverloadedError: ['OVERLOADED', 503],
  TimeoutError: ['TIMEOUT', 504],
  UnknownError: ['INTERNAL_SERVER_ERROR', 500],
} as const satisfies Record<ErrorName, readonly [string, number]>;

const STATUS_OF_CODE = new Map<unknown, number>(Object.values(CODES));

/** Error code for the log. */
export const codeOf = (errors: readonly GraphQLError[]): string | undefined => {
  const [first] = errors;
  return first && String(first.extensions['code'] ?? 'BAD_USER_INPUT');
};

export const toGraphQLError = (error: DomainError, where?: GraphQLError): GraphQLError => {
  const [code] = CODES[error.name];
  return new GraphQLError(error.message, {
    nodes: where?.nodes ?? null,
    path: where?.path ?? null,
    extensions: {
      code,
      id: error.id,
      name: error.name,
      ...(error instanceof RateLimitError && {
        http: { status: 429, headers: retryHeader(error) },
      }),
      ...(error.details.length > 1 && { details: error.details }),
      ...error.facts,
    },
  });
};

/** Errors can be wrapped more than once; the one thrown first is innermost. */
const bottomOf = (error: unknown): unknown =>
  error instanceof GraphQLError && error.originalError ? bottomOf(error.originalError) : error;

/** GraphQL also fails to serialize some results; such an error belongs to no part of the request. */
const isOfRequest = (cause: GraphQLError, error: unknown): boolean =>
  cause.nodes !== undefined || !(error instanceof GraphQLError) || error.path === undefined;

/** Passes GraphQL's own errors through, maps domain errors, and masks everything else behind an ID. */
export const createMaskError =
  (reportError: (error: unknown) => DomainError) =>
  (error: unknown): Error => {
    const cause = bottomOf(error);
    if (cause instanceof GraphQLError && isOfRequest(cause, error)) {
      return error as GraphQLError;
    }
    return toGraphQLError(reportError(cause), error instanceof GraphQLError ? error : undefined);
  };

/** Domain errors have a name, and errors of our limits carry their status; Yoga marks its own as those of the spec. */
const ownStatus = ({ extensions: { name, code, http } }: GraphQLError): number | undefined => {
  if (name !== undefined) return STATUS_OF_CODE.get(code);
  return http?.spec ? undefined : http?.status;
};

/** Status of a response without data: the highest of its errors; undefined leaves it to GraphQL's rules. */
export const statusOf = (errors: readonly GraphQLError[]): number | undefined => {
  const known = errors.flatMap((error) => ownStatus(error) ?? []);
  return known.length > 0 ? Math.max(...known) : undefined;
};

/** Creating another one would locate it in the operation again. */
const isComplete = ({ extensions }: GraphQLError): boolean =>
  ['code', 'id', 'name'].every((key) => extensions[key] !== undefined) && !extensions.http;

/** Gives GraphQL's own errors what all others have: a code, an ID and a name. */
export const completeError = (error: GraphQLError): GraphQLError => {
  if (isComplete(error)) return error;
  const { code = 'BAD_USER_INPUT', id = randomUUID(), http: _, ...facts } = error.extensions;
  const name = code === 'LIMIT_EXCEEDED' ? 'ExceedsLimitError' : 'BadDataError';
  const message = 'name' in facts ? error.message : withExample(error.message);
  return new GraphQLError(message, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    extensions: { code, id, name, ...facts },
  });
};
