import type { ErrorName } from '../domain/errors.js';
import { statusOf } from './errors.js';
import { ref, type Schema } from './json-schema.js';

const CONDITIONS = {
  BadDataError: 'A value of the request is missing or not acceptable.',
  PatternError: "The name misses the project's naming pattern.",
  ExceedsLimitError: 'A limit of the whole installation is reached.',
  AuthenticationRequired: 'The Authorization header is missing or holds no valid token.',
  NoAccessError: 'The token is valid but lacks the permission, or is of a kind not meant for this.',
  ForbiddenError: 'The project takes changes only through change requests.',
  InvalidOperationError: 'The state of the project or of the features forbids it.',
  NotFoundError: 'What the path names does not exist.',
  NameExistsError: 'A feature of that name exists already, or is archived.',
  PayloadTooLargeError: 'The body is too large, or the answer would be.',
  ContentTypeerror: 'The body is not application/json, or in a charset or encoding not read here.',
  UnknownError: 'Something went wrong inside the gateway.',
  MaintenanceModeError: 'Nothing may be written at the moment.',
  OverloadedError:
    'The database has no time for this now: all connections are busy, other work went first, or it is being upgraded; try again after a moment.',
  TimeoutError: 'The answer took too long.',
} satisfies Record<ErrorName, string>;

const header = (description: string, isRequired = true) => ({
  description,
  required: isRequired,
  schema: { type: 'string' },
});

export const DEPRECATION_HEADERS = {
  Deprecation: header('Since when the path is deprecated, as RFC 9745 writes it.'),
  Sunset: header('When the path will be gone, once that is decided.', false),
};

const LINK = {
  Link: header('Where to read which query of the graph answers the same (rel="service-doc").'),
};

export const jsonContent = (schema: Schema) => ({ 'application/json': { schema } });

const EVERYWHERE: readonly ErrorName[] = [
  'BadDataError',
  'AuthenticationRequired',
  'NoAccessError',
  'PayloadTooLargeError',
  'ContentTypeerror',
  'UnknownError',
  'OverloadedError',
  'TimeoutError',
];

const errorResponse = (names: readonly ErrorName[], headers: object) => ({
  description: names.map((name) => `${name}: ${CONDITIONS[name]}`).join(' '),
  headers: {
    ...headers,
    ...(names.includes('OverloadedError') && {
      'Retry-After': header('Seconds to wait, with OverloadedError.', false),
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

/** Every status an operation answers with; the error names it adds to those all can meet. */
export const responses = (
  answer: { schema: string; description: string; isCacheable: boolean },
  further: readonly ErrorName[],
  ownHeaders: object = {},
) => {
  const headers = { ...ownHeaders, ...LINK };
  return {
    200: {
      description: answer.description,
      headers: { ETag: header('Identifies this content.'), ...headers },
      content: jsonContent(ref(answer.schema)),
    },
    ...(answer.isCacheable && {
      304: { description: 'The content named by If-None-Match is still current.', headers },
    }),
    ...errorResponses([...EVERYWHERE, ...further], headers),
  };
};
