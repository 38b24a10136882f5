import type { Cache } from '@urql/exchange-graphcache';

export type Arguments = Record<string, unknown>;
type Keys = readonly string[];

/** One loaded page of a list. A list that was not selected is undefined. */
export type LoadedPage = {
  args: Arguments;
  typename: string;
  edges: Keys | undefined;
  nodes: Keys | undefined;
  startCursor: string | null;
  endCursor: string | null;
  hasPreviousPage: boolean | undefined;
  hasNextPage: boolean | undefined;
};

const PAGING = new Set(['first', 'after', 'last', 'before']);

const asString = (value: unknown) => (typeof value === 'string' ? value : null);
const asBoolean = (value: unknown) => (typeof value === 'boolean' ? value : undefined);
const asKeys = (value: unknown) => (Array.isArray(value) ? (value as Keys) : undefined);

/** Null and omitted arguments mean the same; the order of keys means nothing. */
const stringify = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
const keyOf = (args: Arguments, isPart: (name: string) => boolean) =>
  stringify(
    Object.fromEntries(
      Object.entries(args).filter(([name, value]) => isPart(name) && value != null),
    ),
  );

export const isSameList = (a: Arguments, b: Arguments): boolean => {
  const isPart = (name: string) => !PAGING.has(name);
  return keyOf(a, isPart) === keyOf(b, isPart);
};
export const isSamePage = (a: Arguments, b: Arguments): boolean =>
  keyOf(a, () => true) === keyOf(b, () => true);

const readPage = (cache: Cache, key: string, args: Arguments): LoadedPage | undefined => {
  const typename = asString(cache.resolve(key, '__typename'));
  if (typename === null) return undefined;
  const edges = asKeys(cache.resolve(key, 'edges'));
  const info = asString(cache.resolve(key, 'pageInfo'));
  const infoField = (name: string) => (info === null ? undefined : cache.resolve(info, name));
  const cursorOf = (edge: string | undefined) =>
    edge === undefined ? null : asString(cache.resolve(edge, 'cursor'));
  return {
    args,
    typename,
    edges,
    nodes: asKeys(cache.resolve(key, 'nodes')),
    startCursor: asString(infoField('startCursor')) ?? cursorOf(edges?.[0]),
    endCursor: asString(infoField('endCursor')) ?? cursorOf(edges?.at(-1)),
    hasPreviousPage: asBoolean(infoField('hasPreviousPage')),
    hasNextPage: asBoolean(infoField('hasNextPage')),
  };
};

/** Every page of a list in the cache. */
export const loadedPages = (
  cache: Cache,
  parentKey: string,
  fieldName: string,
  args: Arguments,
): LoadedPage[] =>
  cache
    .inspectFields(parentKey)
    .filter((field) => field.fieldName === fieldName && isSameList(field.arguments ?? {}, args))
    .flatMap((field) => {
      const key = asString(cache.resolve(parentKey, field.fieldKey));
      const page = key === null ? undefined : readPage(cache, key, field.arguments ?? {});
      return page ? [page] : [];
    });
