import { useQuery } from '@apollo/client/react';
import { type EventFilter, EventLogDocument } from '@flaggraph/client/documents';
import { useState } from 'react';
import { EventList, ProjectFilter } from '../shared/event-log-view.js';
import { useLiveRows } from '../shared/use-live-rows.js';
import { live } from './client.js';

const FilteredEvents = ({ filter }: { filter: EventFilter }) => {
  const { data, loading, error, fetchMore } = useQuery(EventLogDocument, { variables: { filter } });
  const [problem, setProblem] = useState<string>();
  const loaded = data?.events.edges.map(({ node }) => node) ?? [];
  const rows = useLiveRows(live, filter, data?.eventLog?.cursor, loaded);
  const { hasNextPage, endCursor } = data?.events.pageInfo ?? {};
  const loadMore = () => {
    setProblem(undefined);
    fetchMore({ variables: { after: endCursor, isFirstPage: false } }).catch(({ message }: Error) =>
      setProblem(message),
    );
  };
  return (
    <EventList
      rows={rows}
      isLoading={loading}
      problem={error?.message ?? problem}
      onMore={hasNextPage ? loadMore : undefined}
    />
  );
};

const ALL: EventFilter = {};

export const EventLog = () => {
  const [filter, setFilter] = useState(ALL);
  const { data } = useQuery(EventLogDocument, { variables: { filter: ALL } });
  return (
    <main>
      <h1>Events with Apollo Client</h1>
      <ProjectFilter facets={data?.eventFacets} onChange={setFilter} />
      {/* Each filter has a list of its own. */}
      <FilteredEvents key={JSON.stringify(filter)} filter={filter} />
    </main>
  );
};
