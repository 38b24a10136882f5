import type { EventFilter } from '@flaggraph/client/documents';
import { followEvents, type LiveClient } from '@flaggraph/client/live';
import { useEffect, useState } from 'react';
import type { Row } from './event-log-view.js';

/** The rows with the events recorded since, newest first. `after` is the cursor at which the log was read. */
export const useLiveRows = (
  client: LiveClient,
  filter: EventFilter,
  after: string | null | undefined,
  rows: readonly Row[],
): Row[] => {
  const [newer, setNewer] = useState<readonly Row[]>([]);
  useEffect(() => {
    if (after == null) return;
    setNewer([]);
    return followEvents({
      client,
      filter,
      after,
      onEvent: ({ node }) => setNewer((known) => [node, ...known]),
    });
  }, [client, filter, after]);

  // A page that was loaded again contains events that also arrived live.
  const listed = new Set(rows.map(({ id }) => id));
  return [...newer.filter(({ id }) => !listed.has(id)), ...rows];
};
