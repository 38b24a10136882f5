import type { AnyVariables, TypedDocumentNode } from '@urql/core';
import { useEffect, useMemo, useRef } from 'react';
import { useQuery } from 'urql';
import { type Problem, problemOf } from './problem.js';
import { useOnReconnect } from './use-on-reconnect.js';

export type Answer<Data> = {
  /** The last data: stays while newer data is loaded, and while the gateway cannot be reached. */
  data: Data | undefined;
  /** Null while there is data to show without a connection: the page says so once. */
  problem: Problem | null;
  isLoading: boolean;
  /** Refetches, bypassing the cache. */
  reload: () => void;
};

type Options = {
  /** Pauses the query. */
  isPaused?: boolean;
  /** Returns cached data, then refetches. */
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
  const isOffline = problem?.kind === 'offline';
  const reload = () => execute({ requestPolicy: 'network-only' });
  useOnReconnect(() => {
    if (isOffline && !isPaused) reload();
  });

  // A busy gateway says when to try again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each answer.
  useEffect(() => {
    if (problem?.kind !== 'busy' || isPaused) return;
    const timer = setTimeout(reload, problem.retryAfterMs);
    return () => clearTimeout(timer);
  }, [problem, isPaused]);

  const key = JSON.stringify(variables);
  const last = useRef<{ key: string; data: Data }>(undefined);
  if (data && !fetching) last.current = { key, data };
  const kept = isOffline && last.current?.key === key ? last.current.data : undefined;
  return {
    data: kept ?? data,
    problem: kept === undefined ? problem : null,
    isLoading: fetching || stale,
    reload,
  };
};
