import type { FieldPolicy } from '@apollo/client/cache';
import { print, type SelectionSetNode } from 'graphql';
import {
  addPage,
  createPage,
  isShorterThan,
  type Page,
  type PageArgs,
  type StoredPageInfo,
} from './page.js';

type ListName = 'edges' | 'nodes';
type Items = readonly unknown[];
type Fields = Record<string, unknown> & {
  edges?: Items;
  nodes?: Items;
  pageInfo?: StoredPageInfo;
};
type Stored = Fields & { pages?: Partial<Record<ListName, Omit<Page, 'items'>>> };

const LISTS: readonly ListName[] = ['edges', 'nodes'];
const PAGING = new Set(['first', 'after', 'last', 'before']);

/** JSON with sorted keys: variables of equal value have one cache key. */
const stringify = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

const printed = new WeakMap<SelectionSetNode, string>();
const selectionOf = (set: SelectionSetNode): string => {
  const text = printed.get(set) ?? print(set).replace(/\s+/g, ' ');
  printed.set(set, text);
  return text;
};

/**
 * All arguments except those that choose a page, and the selection: an item that another component loaded may lack
 * fields of this one. `@connection(key:)` keeps a second copy of a list.
 */
const keyArgs: NonNullable<FieldPolicy['keyArgs']> = (args, { fieldName, field }) => {
  const entries = Object.entries(args ?? {}).filter(
    ([name, value]) => !PAGING.has(name) && value != null,
  );
  const directive = field?.directives?.find(({ name }) => name.value === 'connection');
  const key = directive?.arguments?.find(({ name }) => name.value === 'key')?.value;
  if (key?.kind === 'StringValue') entries.push(['@connection', key.value]);
  if (field?.selectionSet) entries.push(['@selection', selectionOf(field.selectionSet)]);
  return `${fieldName}:${stringify(Object.fromEntries(entries))}`;
};

/** The known part of a list. `cache.modify` can change the items; then their cursors are read again. */
const listOf = (stored: Stored | undefined, name: ListName): Page | undefined => {
  const items = stored?.[name];
  const page = stored?.pages?.[name];
  if (items === undefined || page === undefined) return undefined;
  if (items.length === page.cursors.length) return { ...page, items };
  return { ...createPage(items, page.pageInfo, {}), size: page.size };
};

const mergeConnection = (stored: Stored | undefined, incoming: Fields, args: PageArgs): Stored => {
  const { edges: _, nodes: __, pageInfo, ...fields } = incoming;
  const merged: Stored = { ...stored, ...fields, pages: { ...stored?.pages } };
  for (const name of LISTS) {
    const items = incoming[name];
    if (items === undefined) continue;
    const { items: all, ...page } = addPage(
      listOf(stored, name),
      createPage(items, pageInfo, args),
      args,
    );
    merged[name] = all;
    merged.pages = { ...merged.pages, [name]: page };
  }
  const hasList = LISTS.some((name) => incoming[name] !== undefined);
  if (pageInfo !== undefined && !hasList) merged.pageInfo = pageInfo;
  return merged;
};

const pageInfoOf = ({ pages, pageInfo }: Stored) => {
  const info = pages?.edges?.pageInfo ?? pages?.nodes?.pageInfo ?? pageInfo;
  return info && { __typename: 'PageInfo', ...info };
};

/** Whether a component requests more items than are known. */
const isIncomplete = (stored: Stored, args: PageArgs): boolean =>
  LISTS.some((name) => {
    const list = listOf(stored, name);
    return list !== undefined && isShorterThan(list, args);
  });

/** Collects the pages of a list, forwards and backwards, whether a component selects `edges` or `nodes`. */
export const connectionPolicy: FieldPolicy<Stored | null, Fields | null> = {
  keyArgs,
  merge: (existing, incoming, { args }) =>
    // A list that the caller may not see is null.
    incoming === null
      ? incoming
      : mergeConnection(
          (existing ?? undefined) as Stored | undefined,
          incoming as Fields,
          args ?? {},
        ),
  read: (existing, { args, canRead, readField }) => {
    if (existing == null) return existing;
    // Read as missing: the component loads the list itself.
    if (isIncomplete(existing as Stored, args ?? {})) return undefined;
    const { pages: _, edges, nodes, pageInfo: __, ...fields } = existing as Stored;
    const info = pageInfoOf(existing as Stored);
    return {
      ...fields,
      ...(edges && {
        edges: edges.filter((edge) => {
          const node = readField('node', edge as { __typename: string });
          return node === undefined || canRead(node as never);
        }),
      }),
      ...(nodes && { nodes: nodes.filter((node) => canRead(node as never)) }),
      ...(info && { pageInfo: info as StoredPageInfo }),
    };
  },
};
