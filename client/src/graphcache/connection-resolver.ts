import type { Resolver } from '@urql/exchange-graphcache';
import { type Arguments, isSamePage, type LoadedPage, loadedPages } from './pages.js';

type ListName = 'edges' | 'nodes';
type Chain = readonly LoadedPage[];

const isHead = ({ args }: LoadedPage) => args['after'] == null && args['before'] == null;
const sizeOf = ({ edges, nodes }: LoadedPage) => Math.max(edges?.length ?? 0, nodes?.length ?? 0);

/** Prefers the page size of the query, then the longest page. */
const byPreference = (args: Arguments) => (a: LoadedPage, b: LoadedPage) =>
  Number(b.args['first'] === args['first']) - Number(a.args['first'] === args['first']) ||
  sizeOf(b) - sizeOf(a);

/** The pages that adjoin each other, starting from one of them. */
const chainFrom = (start: LoadedPage, pages: readonly LoadedPage[], args: Arguments): Chain => {
  const rest = pages.filter((page) => page !== start).sort(byPreference(args));
  const take = (test: (page: LoadedPage) => boolean) => {
    const at = rest.findIndex(test);
    return at < 0 ? undefined : rest.splice(at, 1)[0];
  };
  const chain = [start];
  for (let cursor = start.endCursor; cursor !== null; ) {
    const next = take((page) => page.args['after'] === cursor);
    if (next === undefined) break;
    if (sizeOf(next) > 0 || next.hasNextPage !== undefined) chain.push(next);
    cursor = next.endCursor;
  }
  for (let cursor = start.startCursor; cursor !== null; ) {
    const previous = take((page) => page.args['before'] === cursor);
    if (previous === undefined) break;
    chain.unshift(previous);
    cursor = previous.startCursor;
  }
  return chain;
};

/** The chain that contains the requested page, or that the page will continue once it is loaded. */
const findChain = (pages: readonly LoadedPage[], args: Arguments): Chain | undefined => {
  const requested = pages.find((page) => isSamePage(page.args, args));
  if (requested !== undefined && isHead(requested)) return chainFrom(requested, pages, args);
  if (args['after'] == null && args['before'] == null) return undefined;
  const chains = pages
    .filter(isHead)
    .sort(byPreference(args))
    .map((head) => chainFrom(head, pages, args));
  const found = chains.find((chain) =>
    requested === undefined
      ? chain.at(-1)?.endCursor === args['after'] || chain[0]?.startCursor === args['before']
      : chain.includes(requested),
  );
  return found ?? (requested && chainFrom(requested, pages, args));
};

/** The consecutive pages around the requested one that have the list. */
const partWith = (chain: Chain, name: ListName, anchor: LoadedPage): Chain => {
  const at = Math.max(chain.indexOf(anchor), 0);
  if (chain[at]?.[name] === undefined) return [];
  let start = at;
  let end = at;
  while (chain[start - 1]?.[name] !== undefined) start -= 1;
  while (chain[end + 1]?.[name] !== undefined) end += 1;
  return chain.slice(start, end + 1);
};

const pageInfoOf = (chain: Chain) => {
  const first = chain[0];
  const last = chain.at(-1);
  return {
    __typename: 'PageInfo',
    startCursor: first?.startCursor ?? null,
    endCursor: chain.reduce<string | null>((cursor, page) => page.endCursor ?? cursor, null),
    ...(first?.hasPreviousPage !== undefined && { hasPreviousPage: first.hasPreviousPage }),
    ...(last?.hasNextPage !== undefined && { hasNextPage: last.hasNextPage }),
  };
};

/** Joins the loaded pages of a list that adjoin each other, by `edges` and by `nodes`. */
export const connectionResolver: Resolver = (_parent, args, cache, info) => {
  // A list that the caller may not see is null.
  if (cache.resolve(info.parentKey, info.fieldName, args) === null) return null;
  const pages = loadedPages(cache, info.parentKey, info.fieldName, args);
  const chain = findChain(pages, args);
  const anchor = chain?.find((page) => isSamePage(page.args, args));
  if (chain === undefined) return undefined;
  // The page is still loading: until then, the pages before it are a partial result.
  if (anchor === undefined) info.partial = true;

  const from = anchor ?? chain[chain.length - 1];
  if (from === undefined) return undefined;
  const edges = partWith(chain, 'edges', from);
  const nodes = partWith(chain, 'nodes', from);
  const lists = [edges, nodes].filter(({ length }) => length > 0);
  const shortest = lists.sort((a, b) => a.length - b.length)[0] ?? [from];
  return {
    __typename: from.typename,
    ...(edges.length > 0 && { edges: edges.flatMap((page) => page.edges ?? []) }),
    ...(nodes.length > 0 && { nodes: nodes.flatMap((page) => page.nodes ?? []) }),
    // The lists can end at different pages. Paging goes on from the shorter one, so it never skips items.
    pageInfo: pageInfoOf(shortest),
  };
};
