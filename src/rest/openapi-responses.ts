import type { ErrorName } from '../domain/errors.js';
import { statusOf } from './errors.js';
import { ref, type Schema } from './json-schema.js';

const CONDITIONS = {
  BadDataError: 'A value in the request is missing or invalid.',
  PatternError: "The name does not match the project's naming pattern.",
  ExceedsLimitError: 'A limit of the Unleash instance is reached.',
  AuthenticationRequired: 'The Authorization header is missing or contains no valid token.',
  NoAccessError: 'The caller lacks a permission, or the token type has no access to the admin API.',
  ForbiddenError: 'The project accepts changes only through change requests.',
  InvalidOperationError: 'The state of the project or of a feature prevents the operation.',
  NotFoundError: 'A resource named in the path does not exist.',
  NameExistsError: 'The name is already taken by a feature, which may be archived.',
  IdempotencyKeyError:
    'The idempotency key was used for another request, or for a copy that has been deleted.',
  PayloadTooLargeError: 'The request body or the response is too large.',
  ContentTypeerror:
    'The request body is not application/json, or its charset or content encoding is not supported.',
  RateLimitError: 'The rate limit of the caller is exceeded.',
  UnknownError: 'Internal error.',
  MaintenanceModeError: 'Unleash is in maintenance mode and rejects writes.',
  OverloadedError:
    'The database is unavailable or overloaded, the operation was rolled back because of a conflict, or an upgrade is in progress. Retry later.',
  TimeoutError: 'The request timed out.',
} satisfies Record<ErrorName, string>;

const header = (description: string, isRequired = true) => ({
  description,
  required: isRequired,
  schema: { type: 'string' },
});

export const DEPRECATION_HEADERS = {
  Deprecation: header('When the path was deprecated, in the format of RFC 9745.'),
  Sunset: header('When the path will be removed, if a date is set.', false),
};

const LINK = {
  Link: header('Documentation of the equivalent GraphQL query (rel="service-doc").'),
};

export const jsonContent = (schema: Schema) => ({ 'application/json': { schema } });

const EVERYWHERE: readonly ErrorName[] = [
  'BadDataError',
  'AuthenticationRequired',
  'NoAccessError',
  'PayloadTooLargeError',
  'ContentTypeerror',
  'RateLimitError',
  'UnknownError',
  'OverloadedError',
  'TimeoutError',
];

/** Errors with a Retry-After header. */
const RETRIED: readonly ErrorName[] = ['RateLimitError', 'OverloadedError'];

const errorResponse = (names: readonly ErrorName[], headers: object) => ({
  description: names.map((name) => `${name}: ${CONDITIONS[name]}`).join(' '),
  headers: {
    ...headers,
    ...(names.some((name) => RETRIED.includes(name)) && {
      'Retry-After': header('Seconds to wait before a retry.', false),
    }),
  },
  content: jsonContent({ ...ref('Error'), type: 'object', properties: { name: { enum: names } } }),
});

const errorResponses = (names: readonly ErrorName[], headers: object) => {
  const statuses = new Set(names.map(statusOf));
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      errorResponse(
        names.filter((name) => statusOf(name) === status),
        headers,
      ),
    ]),
  );
};

/** All responses of an operation. `further` lists its errors in addition to those that every operation can return. */
export const responses = (
  success: { schema: string; description: string; isCacheable: boolean },
  further: readonly ErrorName[],
  ownHeaders: object = {},
) => {
  const headers = { ...ownHeaders, ...LINK };
  return {
    200: {
      description: success.description,
      headers: { ETag: header('Entity tag of the response.'), ...headers },
      content: jsonContent(ref(success.schema)),
    },
    ...(success.isCacheable && {
      304: { description: 'The content matches If-None-Match.', headers },
    }),
    ...errorResponses([...EVERYWHERE, ...further], headers),
  };
};
