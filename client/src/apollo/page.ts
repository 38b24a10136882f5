import { combine, isRef } from './combine.js';

export type PageArgs = {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
};

export type StoredPageInfo = {
  startCursor?: string | null;
  endCursor?: string | null;
  hasPreviousPage?: boolean;
  hasNextPage?: boolean;
};

/** Consecutive items of a list, the cursors known of them, and what is known about both ends. */
export type Page = {
  items: readonly unknown[];
  cursors: readonly (string | null)[];
  pageInfo: StoredPageInfo | undefined;
  /** Number of items requested from the start of the list. */
  size: number;
};

type Part = Pick<Page, 'items' | 'cursors'>;

const DEFAULT_SIZE = 50;
const NOTHING: Part = { items: [], cursors: [] };

const cut = ({ items, cursors }: Part, start: number, end?: number): Part => ({
  items: items.slice(start, end),
  cursors: cursors.slice(start, end),
});

const fieldOf = (item: unknown, name: string): unknown =>
  typeof item === 'object' && item !== null ? (item as Record<string, unknown>)[name] : undefined;

const refOf = (item: unknown): string | undefined => {
  if (isRef(item)) return item.__ref;
  const node = fieldOf(item, 'node');
  return isRef(node) ? node.__ref : undefined;
};

/** What one response contains of a list. */
export const createPage = (
  items: readonly unknown[],
  pageInfo: StoredPageInfo | undefined,
  args: PageArgs,
): Page => {
  const cursors = items.map((item) => {
    const cursor = fieldOf(item, 'cursor');
    return typeof cursor === 'string' ? cursor : null;
  });
  if (cursors.length > 0) {
    cursors[0] ??= pageInfo?.startCursor ?? null;
    cursors[cursors.length - 1] ??= pageInfo?.endCursor ?? null;
  }
  return { items, cursors, pageInfo, size: args.first ?? args.last ?? DEFAULT_SIZE };
};

/** Whether a request from the start of the list wants items that are not known yet. */
export const isShorterThan = (
  { items, size, pageInfo }: Page,
  { first, after, last, before }: PageArgs,
): boolean => {
  if (after != null || before != null) return false;
  const hasMore = last == null ? pageInfo?.hasNextPage : pageInfo?.hasPreviousPage;
  return hasMore !== false && (first ?? last ?? DEFAULT_SIZE) > Math.max(items.length, size);
};

/** Position of an item in a list: by its cursor, otherwise by the object it refers to. */
const positionOf = (list: Part, cursor: string | null | undefined, item: unknown): number => {
  const at = cursor == null ? -1 : list.cursors.indexOf(cursor);
  if (at >= 0) return at;
  const ref = refOf(item);
  return ref === undefined ? -1 : list.items.findIndex((other) => refOf(other) === ref);
};

/** The known items that follow a page, if the list still contains the end of the page. */
const following = (list: Part, page: Part): Part => {
  const at = positionOf(list, page.cursors.at(-1), page.items.at(-1));
  return at < 0 ? NOTHING : cut(list, at + 1);
};

const preceding = (list: Part, page: Part): Part => {
  const at = positionOf(list, page.cursors[0], page.items[0]);
  return at < 0 ? NOTHING : cut(list, 0, at);
};

/** The known items on both sides of a page, or undefined if the page does not adjoin them. */
const neighbours = (list: Page, page: Page, { after, before, last }: PageArgs) => {
  if (after != null) {
    const at = list.cursors.indexOf(after);
    if (at < 0) return undefined;
    return { head: cut(list, 0, at + 1), tail: following(cut(list, at + 1), page) };
  }
  if (before != null) {
    const at = list.cursors.indexOf(before);
    if (at < 0) return undefined;
    return { head: preceding(cut(list, 0, at), page), tail: cut(list, at) };
  }
  // Another component that shows only the first few items must not shorten a longer list.
  const isPart = last == null && page.size < list.size;
  return { head: NOTHING, tail: isPart ? following(list, page) : NOTHING };
};

/** Adds what is known of the same items: fields that other components selected, and cursors. */
const keepSelections = (list: Part, page: Part, offset: number): Part => {
  const known = page.items.map((item, index) => {
    const found = positionOf(list, page.cursors[index], item);
    const at = found >= 0 ? found : offset + index;
    const combined = at < list.items.length ? combine(list.items[at], item) : undefined;
    return combined === undefined
      ? { item, cursor: page.cursors[index] ?? null }
      : { item: combined, cursor: page.cursors[index] ?? list.cursors[at] ?? null };
  });
  return { items: known.map(({ item }) => item), cursors: known.map(({ cursor }) => cursor) };
};

const describeEnds = (list: Page, page: Page, head: Part, tail: Part, cursors: Page['cursors']) => {
  const sameStart = cursors[0] != null && cursors[0] === list.cursors[0];
  const sameEnd = cursors.at(-1) != null && cursors.at(-1) === list.cursors.at(-1);
  const start = head.items.length > 0 ? list.pageInfo : page.pageInfo;
  const end = tail.items.length > 0 ? list.pageInfo : page.pageInfo;
  const hasPreviousPage =
    start?.hasPreviousPage ?? (sameStart ? list.pageInfo?.hasPreviousPage : undefined);
  const hasNextPage = end?.hasNextPage ?? (sameEnd ? list.pageInfo?.hasNextPage : undefined);
  const startCursor = cursors[0] ?? start?.startCursor;
  const endCursor = cursors.at(-1) ?? end?.endCursor;
  return {
    ...(startCursor !== undefined && { startCursor }),
    ...(endCursor !== undefined && { endCursor }),
    ...(hasPreviousPage !== undefined && { hasPreviousPage }),
    ...(hasNextPage !== undefined && { hasNextPage }),
  };
};

/** Adds a page to the known part of a list. The first page replaces it. */
export const addPage = (list: Page | undefined, page: Page, args: PageArgs): Page => {
  if (list === undefined) return page;
  const around =
    list.items.length === 0 ? { head: NOTHING, tail: NOTHING } : neighbours(list, page, args);
  // The list was replaced while this page was loading: appending it would leave a gap.
  if (around === undefined) return list;

  const { head, tail } = around;
  const middle = keepSelections(list, page, head.items.length);
  const cursors = [...head.cursors, ...middle.cursors, ...tail.cursors];
  const isFromStart = args.after == null && args.before == null;
  return {
    items: [...head.items, ...middle.items, ...tail.items],
    cursors,
    pageInfo: describeEnds(list, page, head, tail, cursors),
    size: isFromStart ? Math.max(page.size, tail.items.length > 0 ? list.size : 0) : list.size,
  };
};
