import type { AnyVariables, TypedDocumentNode } from '@urql/core';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import { type Problem, problemOf } from './problem.js';

export type Answer<Data> = {
  /** The last data: stays while newer data is loaded. */
  data: Data | undefined;
  problem: Problem | null;
  isLoading: boolean;
  /** Asks again, past the cache. */
  reload: () => void;
};

type Options = {
  /** Does not ask while this is true. */
  isPaused?: boolean;
  /** Shows what is cached, and asks again. */
  isFresh?: boolean;
};

export const useDocument = <Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  { isPaused = false, isFresh = true }: Options = {},
): Answer<Data> => {
  const [{ data, error, fetching, stale }, execute] = useQuery<Data, Variables>({
    query,
    variables,
    pause: isPaused,
    requestPolicy: isFresh ? 'cache-and-network' : 'cache-first',
  });
  const problem = useMemo(() => (error ? problemOf(error) : null), [error]);
  return {
    data,
    problem,
    isLoading: fetching || stale,
    reload: () => execute({ requestPolicy: 'network-only' }),
  };
};
