import { randomUUID } from 'node:crypto';
import { GraphQLError } from 'graphql';
import type { DomainError, ErrorName } from '../domain/errors.js';
import { withExample } from './input-examples.js';

/** The only place that knows GraphQL's codes, and the HTTP status of an answer that holds nothing but an error. */
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
  PayloadTooLargeError: ['PAYLOAD_TOO_LARGE', 413],
  MaintenanceModeError: ['MAINTENANCE_MODE', 503],
  OverloadedError: ['OVERLOADED', 503],
  TimeoutError: ['TIMEOUT', 504],
  UnknownError: ['INTERNAL_SERVER_ERROR', 500],
} as const satisfies Record<ErrorName, readonly [string, number]>;

const STATUS_OF_CODE = new Map<unknown, number>(Object.values(CODES));

/** A domain error as GraphQL shows it. */
export const toGraphQLError = (error: DomainError, where?: GraphQLError): GraphQLError => {
  const [code] = CODES[error.name];
  return new GraphQLError(error.message, {
    nodes: where?.nodes ?? null,
    path: where?.path ?? null,
    extensions: {
      code,
      id: error.id,
      name: error.name,
      ...(error.details.length > 1 && { details: error.details }),
      ...error.facts,
    },
  });
};

/** Errors arrive wrapped more than once; what was thrown first lies at the bottom. */
const bottomOf = (error: unknown): unknown =>
  error instanceof GraphQLError && error.originalError ? bottomOf(error.originalError) : error;

/** GraphQL also refuses to print what we answered; such an error lies in no part of the request. */
const isOfRequest = (cause: GraphQLError, error: unknown): boolean =>
  cause.nodes !== undefined || !(error instanceof GraphQLError) || error.path === undefined;

/** Lets GraphQL's own errors through, translates ours, and hides everything else behind an id. */
export const createMaskError =
  (reportError: (error: unknown) => DomainError) =>
  (error: unknown): Error => {
    const cause = bottomOf(error);
    if (cause instanceof GraphQLError && isOfRequest(cause, error)) {
      return error as GraphQLError;
    }
    return toGraphQLError(reportError(cause), error instanceof GraphQLError ? error : undefined);
  };

/** Our own errors have a name, and those of our limits bring their status along; Yoga marks its own as the spec's. */
const ownStatus = ({ extensions: { name, code, http } }: GraphQLError): number | undefined => {
  if (name !== undefined) return STATUS_OF_CODE.get(code);
  return http?.spec ? undefined : http?.status;
};

/** The status of an answer without data: the gravest of its errors; undefined leaves it to GraphQL's rules. */
export const statusOf = (errors: readonly GraphQLError[]): number | undefined => {
  const known = errors.flatMap((error) => ownStatus(error) ?? []);
  return known.length > 0 ? Math.max(...known) : undefined;
};

/** An error of GraphQL itself gets what all others have: a code, an id and the name of its kind. */
export const completeError = (error: GraphQLError): GraphQLError => {
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
