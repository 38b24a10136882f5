import { type EventFilter, EventLogDocument } from '@flaggraph/client/documents';
import { useState } from 'react';
import { useQuery } from 'urql';
import { EventList, ProjectFilter } from '../shared/event-log-view.js';
import { useLiveRows } from '../shared/use-live-rows.js';
import { live } from './client.js';

const FilteredEvents = ({ filter }: { filter: EventFilter }) => {
  const [after, setAfter] = useState<string | null>(null);
  const [start] = useQuery({ query: EventLogDocument, variables: { filter } });
  // The result contains all pages up to this one.
  const [page] = useQuery({
    query: EventLogDocument,
    variables: { filter, after, isFirstPage: false },
    pause: after === null,
  });
  const { data, fetching, stale, error } = after === null ? start : page;
  const loaded = (data ?? start.data)?.events.edges.map(({ node }) => node) ?? [];
  const rows = useLiveRows(live, filter, start.data?.eventLog?.cursor, loaded);
  const { hasNextPage, endCursor } = data?.events.pageInfo ?? {};
  return (
    <EventList
      rows={rows}
      isLoading={fetching || stale}
      problem={error?.message}
      onMore={hasNextPage ? () => setAfter(endCursor ?? null) : undefined}
    />
  );
};

const ALL: EventFilter = {};

export const EventLog = () => {
  const [filter, setFilter] = useState(ALL);
  const [{ data }] = useQuery({ query: EventLogDocument, variables: { filter: ALL } });
  return (
    <main>
      <h1>Events with urql</h1>
      <ProjectFilter facets={data?.eventFacets} onChange={setFilter} />
      {/* Each filter starts with its first page. */}
      <FilteredEvents key={JSON.stringify(filter)} filter={filter} />
    </main>
  );
};
