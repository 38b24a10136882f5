import type { TypedDocumentNode } from '@urql/core';
import { useCallback, useEffect, useReducer, useRef } from 'react';
import { useClient } from 'urql';
import { type Problem, problemOf } from './problem.js';
import { useOnReconnect } from './use-on-reconnect.js';

type Page<Node> = {
  totalCount: number;
  nodes: readonly Node[];
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
};

export type Pages<Node> = {
  rows: readonly Node[];
  /** Undefined until the first page is loaded. */
  total: number | undefined;
  hasMore: boolean;
  isLoading: boolean;
  problem: Problem | null;
};

type State<Node> = Pages<Node> & {
  endCursor: string | null;
  /** The page that could not be loaded without a connection; undefined for none. */
  missed: string | null | undefined;
};

type Action<Node> =
  | { kind: 'loading' }
  | { kind: 'page'; page: Page<Node>; isFirst: boolean }
  | { kind: 'problem'; problem: Problem; isFirst: boolean }
  | { kind: 'offline'; after: string | null };

const EMPTY = {
  rows: [],
  total: undefined,
  hasMore: false,
  isLoading: true,
  problem: null,
  endCursor: null,
  missed: undefined,
};
const NO_PAGE = { totalCount: 0, nodes: [], pageInfo: { hasNextPage: false } };

const reduce = <Node>(state: State<Node>, action: Action<Node>): State<Node> => {
  switch (action.kind) {
    // Rows of the previous filter stay until the new ones arrive, so that nothing moves.
    case 'loading':
      return { ...state, isLoading: true, problem: null, missed: undefined };
    case 'page': {
      const { nodes, totalCount, pageInfo } = action.page;
      return {
        rows: action.isFirst ? nodes : [...state.rows, ...nodes],
        total: totalCount,
        hasMore: pageInfo.hasNextPage,
        endCursor: pageInfo.endCursor ?? null,
        isLoading: false,
        problem: null,
        missed: undefined,
      };
    }
    case 'problem':
      return {
        ...(action.isFirst ? EMPTY : state),
        isLoading: false,
        problem: action.problem,
      };
    // Rows that are loaded stay; without any, the problem takes their place.
    case 'offline':
      return {
        ...state,
        isLoading: false,
        problem: state.total === undefined ? { kind: 'offline' } : null,
        missed: action.after,
      };
  }
};

/** A list that grows by a page at a time. `variables` and `pageOf` must be stable; new ones start again. */
export const usePages = <Data, Variables extends { after?: string | null | undefined }, Node>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Omit<Variables, 'after'>,
  /** Null for lists of objects that do not exist. */
  pageOf: (data: Data) => Page<Node> | null | undefined,
): Pages<Node> & { loadMore: () => void; reload: () => void } => {
  const client = useClient();
  const [state, dispatch] = useReducer(reduce<Node>, EMPTY);
  /** Responses to an earlier filter are ignored. */
  const round = useRef(0);

  const load = useCallback(
    async (after: string | null) => {
      round.current += 1;
      const mine = round.current;
      dispatch({ kind: 'loading' });
      const { data, error } = await client
        .query(document, { ...variables, after } as unknown as Variables, {
          requestPolicy: 'network-only',
        })
        .toPromise();
      if (mine !== round.current) return;
      const isFirst = after === null;
      if (data) dispatch({ kind: 'page', page: pageOf(data) ?? NO_PAGE, isFirst });
      else if (error) {
        const problem = problemOf(error);
        dispatch(
          problem.kind === 'offline'
            ? { kind: 'offline', after }
            : { kind: 'problem', problem, isFirst },
        );
      }
    },
    [client, document, variables, pageOf],
  );

  useEffect(() => {
    void load(null);
  }, [load]);

  const { endCursor, missed, ...pages } = state;
  useOnReconnect(() => {
    if (missed !== undefined) void load(missed);
  });
  return {
    ...pages,
    loadMore: () => {
      if (!pages.isLoading && pages.hasMore) void load(endCursor);
    },
    reload: () => void load(null),
  };
};
