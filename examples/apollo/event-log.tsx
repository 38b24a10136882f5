import { useApolloClient, useQuery } from '@apollo/client/react';
import { useCallback, useState } from 'react';
import { EventLogQuery, EventTail, ProjectNamesQuery } from '../operations.js';
import { EventFilterForm, type Follow } from '../parts/event-filter-form.js';
import { EventTable } from '../parts/event-table.js';
import { More } from '../parts/more.js';
import { Loading, Problem } from '../parts/page.js';
import { type OpenTail, useTail } from '../parts/use-tail.js';

const EventPages = ({ filter, isLive }: Follow) => {
  const client = useApolloClient();
  const { data, loading, error, fetchMore } = useQuery(EventLogQuery, {
    variables: { filter },
    notifyOnNetworkStatusChange: true,
  });
  const open = useCallback<OpenTail>(
    (after, on) => {
      const stream = client
        .subscribe({ query: EventTail, variables: { filter, after } })
        .subscribe({
          next: (result) => {
            if (result.data) on.event(result.data.events);
            else on.end(result.error?.message ?? 'The stream has ended.');
          },
          error: (reason: Error) => on.end(reason.message),
          complete: () => on.end('The stream has ended.'),
        });
      return () => stream.unsubscribe();
    },
    [client, filter],
  );
  const connection = data?.events;
  const tail = useTail(isLive && !!connection, connection?.edges[0]?.cursor, open);
  const endCursor = connection?.pageInfo.endCursor;
  const showMore = useCallback(
    () => void fetchMore({ variables: { after: endCursor } }),
    [fetchMore, endCursor],
  );
  return (
    <>
      <Problem message={error?.message ?? tail.problem} />
      <EventTable events={[...tail.edges, ...(connection?.edges ?? [])].map(({ node }) => node)} />
      <Loading isOn={loading} />
      {connection?.pageInfo.hasNextPage && <More isLoading={loading} onMore={showMore} />}
    </>
  );
};

export const EventLog = () => {
  const [follow, setFollow] = useState<Follow>({ filter: {}, isLive: false });
  const { data } = useQuery(ProjectNamesQuery);
  return (
    <>
      <EventFilterForm projects={data?.projects.nodes ?? []} onChange={setFollow} />
      <EventPages key={JSON.stringify(follow.filter)} {...follow} />
    </>
  );
};
