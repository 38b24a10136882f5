const QUALITY_ZERO = /;\s*q\s*=\s*0(?:\.0{0,3})?\s*(?:;|$)/i;

/** Further media types of an Accept header are ignored. */
const MAX_RANGES = 100;

const rangesOf = (accept: string): string[] => accept.split(',', MAX_RANGES);

/** An Accept header without the media types it rejects (`q=0`). Undefined if none is left. */
export const acceptedTypes = (accept: string | undefined): string | undefined => {
  if (accept === undefined || !/q\s*=\s*0/i.test(accept)) return accept;
  const accepted = rangesOf(accept).filter((range) => !QUALITY_ZERO.test(range));
  return accepted.length > 0 ? accepted.join(',').trim() : undefined;
};

const SERVED: readonly string[] = [
  '*/*',
  'application/*',
  'text/*',
  'application/json',
  'application/graphql-response+json',
  'text/event-stream',
];

/**
 * The types of an Accept header that GraphQL responses support. Undefined if any type is accepted, null if none is
 * supported.
 */
export const servedTypes = (accept: string | undefined): string | undefined | null => {
  const accepted = acceptedTypes(accept);
  if (!accepted?.trim()) return accepted;
  const served = rangesOf(accepted).filter((range) =>
    SERVED.includes((range.split(';')[0] ?? '').trim().toLowerCase()),
  );
  return served.length > 0 ? served.join(',').trim() : null;
};

export type JsonType = 'application/json' | 'application/graphql-response+json';

const JSON_TYPES: ReadonlyMap<string, JsonType> = new Map([
  ['*/*', 'application/json'],
  ['application/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
]);

/** The first JSON type among served types. Undefined if the client accepts only streams. */
export const jsonTypeOf = (served: string | undefined): JsonType | undefined =>
  rangesOf(served?.trim() ? served : '*/*')
    .map((range) => JSON_TYPES.get((range.split(';')[0] ?? '').trim().toLowerCase()))
    .find((type) => type !== undefined);

/** Whether an Accept header allows a type, by its name or by a wildcard. */
export const acceptsType = (accept: string | undefined, type: string): boolean => {
  if (!accept?.trim()) return true;
  return namesType(accept, type, type.replace(/\/.*/, '/*'), '*/*');
};

/** Whether an Accept header names one of these types. Wildcards don't count. */
export const namesType = (accept: string | undefined, ...types: readonly string[]): boolean =>
  rangesOf((acceptedTypes(accept) ?? '').toLowerCase()).some((range) =>
    types.includes((range.split(';')[0] ?? '').trim()),
  );
