import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { createUncachedClient } from '../../api/create-client.js';
import { type Problem, problemOf } from '../../api/problem.js';
import { useOnReconnect } from '../../api/use-on-reconnect.js';
import {
  type EventFilter,
  EventPageDocument,
  type EventRowFragment,
  LogCursorDocument,
} from '../../generated/documents.js';
import { keptList } from './kept-list.js';

export const PAGE_SIZE = 25;

export type Pages = {
  /** Of the rows. Undefined until the first page is loaded. */
  filter: EventFilter | undefined;
  rows: readonly EventRowFragment[];
  /** How many of the rows were recorded after the first page was read. */
  liveRows: number;
  endCursor: string | null;
  hasMore: boolean;
  /** Where to follow the log from. Undefined until the first page is loaded, null where no watermark is known. */
  liveFrom: string | null | undefined;
  problem: Problem | null;
};

type Action =
  | { kind: 'start' }
  | {
      kind: 'page';
      filter: EventFilter;
      rows: readonly EventRowFragment[];
      endCursor: string | null;
      hasMore: boolean;
      liveFrom: string | null | undefined;
    }
  | { kind: 'live'; row: EventRowFragment }
  | { kind: 'problem'; problem: Problem | null };

const EMPTY: Pages = {
  filter: undefined,
  rows: [],
  liveRows: 0,
  endCursor: null,
  hasMore: true,
  liveFrom: undefined,
  problem: null,
};

const reduce = (pages: Pages, action: Action): Pages => {
  switch (action.kind) {
    case 'start':
      return EMPTY;
    case 'page':
      return {
        ...pages,
        filter: action.filter,
        rows: [...pages.rows, ...action.rows],
        endCursor: action.endCursor,
        hasMore: action.hasMore,
        liveFrom: pages.liveFrom === undefined ? action.liveFrom : pages.liveFrom,
        problem: null,
      };
    case 'live':
      return pages.rows.some(({ id }) => id === action.row.id)
        ? pages
        : { ...pages, rows: [action.row, ...pages.rows], liveRows: pages.liveRows + 1 };
    case 'problem':
      return { ...pages, problem: action.problem };
  }
};

/** Pages of events, each read once: a list of thousands is never merged again. */
export const useEventPages = (filter: EventFilter, view: string) => {
  const [client] = useState(createUncachedClient);
  const [kept] = useState(() => keptList(view));
  const [pages, dispatch] = useReducer(reduce, kept ? { ...kept.pages, filter } : EMPTY);
  const isRestored = useRef(kept !== null);
  /** Answers of an earlier filter are ignored. */
  const round = useRef(0);
  /** The start of the page that was requested last. Not state: a list that is scrolled is rendered once per page. */
  const requested = useRef<string | null | undefined>(undefined);

  const load = useCallback(
    async (after: string | null) => {
      const mine = round.current;
      requested.current = after;
      // Read before the page: an event that is recorded in between is sent again, and none is missed.
      const start =
        after === null ? await client.query(LogCursorDocument, { filter }).toPromise() : undefined;
      const { data, error } = await client
        .query(EventPageDocument, { filter, first: PAGE_SIZE, after })
        .toPromise();
      if (mine !== round.current) return;
      if (data) {
        const { edges, pageInfo } = data.events;
        dispatch({
          kind: 'page',
          filter,
          rows: edges.map(({ node }) => node),
          endCursor: pageInfo.endCursor ?? null,
          hasMore: pageInfo.hasNextPage,
          liveFrom: start?.data?.eventLog.cursor ?? null,
        });
      } else if (error) {
        requested.current = undefined;
        dispatch({ kind: 'problem', problem: problemOf(error) });
      }
    },
    [client, filter],
  );

  useEffect(() => {
    // Its events are there; those that were recorded since arrive live.
    if (isRestored.current) {
      isRestored.current = false;
      return;
    }
    round.current += 1;
    dispatch({ kind: 'start' });
    void load(null);
  }, [load]);

  const { hasMore, endCursor, problem } = pages;
  // When the filter has just changed, the cursor is still that of the earlier list.
  const isCurrent = endCursor === null || pages.filter === filter;
  const loadMore = useCallback(() => {
    if (isCurrent && hasMore && endCursor !== requested.current) void load(endCursor);
  }, [isCurrent, hasMore, endCursor, load]);
  const retry = () => {
    dispatch({ kind: 'problem', problem: null });
    loadMore();
  };
  useOnReconnect(() => {
    if (problem?.kind === 'offline') retry();
  });
  const addLive = useCallback((row: EventRowFragment) => dispatch({ kind: 'live', row }), []);
  return { pages, loadMore, retry, addLive, offset: kept?.offset ?? 0 };
};
