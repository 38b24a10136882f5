import { BadDataError, type DomainError, type ErrorName } from '../domain/errors.js';
import { retryHeader } from '../http/retry-header.js';
import { writeJson } from '../http/write-json.js';
import { jsonResponse, type RestResponse } from './http.js';

const STATUS = {
  BadDataError: 400,
  PatternError: 400,
  ExceedsLimitError: 400,
  AuthenticationRequired: 401,
  NoAccessError: 403,
  ForbiddenError: 403,
  InvalidOperationError: 403,
  NotFoundError: 404,
  NameExistsError: 409,
  IdempotencyKeyError: 422,
  PayloadTooLargeError: 413,
  ContentTypeerror: 415,
  RateLimitError: 429,
  UnknownError: 500,
  MaintenanceModeError: 503,
  OverloadedError: 503,
  TimeoutError: 504,
} satisfies Record<ErrorName, number>;

export const statusOf = (name: ErrorName): number => STATUS[name];

export const ERROR_NAMES = Object.keys(STATUS) as ErrorName[];

/** The error body of the API document, followed by the details and facts that Unleash adds. */
export const toErrorResponse = (error: DomainError, furtherFacts: object = {}): RestResponse => {
  const { id, name, message, details, facts } = error;
  const body = { id, name, message, details, ...facts, ...furtherFacts };
  return jsonResponse(STATUS[name], Buffer.from(writeJson(body)), retryHeader(error));
};

/** Where Unleash sends callers without credentials. Its own clients read these keys. */
export const loginFacts = (basePath: string) => ({
  path: `${basePath}/auth/simple/login`,
  type: 'password',
  defaultHidden: false,
});

const MAX_QUOTED = 200;

const quote = (value: unknown) => {
  if (Array.isArray(value)) return 'an array';
  // Not printed: a deeply nested body would exhaust the stack.
  if (typeof value === 'object' && value !== null) return 'an object';

  const text = JSON.stringify(value) ?? String(value);
  if (text.length <= MAX_QUOTED) return text;
  // The cut may split a surrogate pair.
  return `${text.slice(0, MAX_QUOTED).replace(/\p{Surrogate}$/u, '')}…`;
};

/** A value in the request is invalid. `pointer` is its location, such as `/query/limit`. */
export const invalidValue = (pointer: string, rule: string, value: unknown): BadDataError =>
  BadDataError.of({ message: `'${pointer}' ${rule}. You sent ${quote(value)}.`, path: pointer });
