import { useCallback, useEffect, useState } from 'react';
import { useClient, useQuery } from 'urql';
import { EventLogQuery, EventTail, ProjectNamesQuery } from '../operations.js';
import { EventFilterForm, type Follow } from '../parts/event-filter-form.js';
import { EventTable } from '../parts/event-table.js';
import { More } from '../parts/more.js';
import { Loading, Problem } from '../parts/page.js';
import { type EventEdge, type OpenTail, useTail } from '../parts/use-tail.js';
import { messageOf } from './message-of.js';

const EventPages = ({ filter, isLive }: Follow) => {
  const client = useClient();
  const [after, setAfter] = useState<string>();
  const [read, setRead] = useState<readonly EventEdge[]>([]);
  const [{ data, fetching, error }] = useQuery({
    query: EventLogQuery,
    variables: { filter, after },
  });
  const connection = data?.events;
  useEffect(() => {
    if (connection) setRead((known) => [...known, ...connection.edges]);
  }, [connection]);
  const open = useCallback<OpenTail>(
    (from, on) => {
      const { unsubscribe } = client
        .subscription(EventTail, { filter, after: from })
        .subscribe(({ data: result, error: reason, hasNext }) => {
          if (result) on.event(result.events);
          if (reason || !hasNext) on.end(messageOf(reason) ?? 'The stream has ended.');
        });
      return unsubscribe;
    },
    [client, filter],
  );
  const tail = useTail(isLive && read.length > 0, read[0]?.cursor, open);
  const endCursor = connection?.pageInfo.endCursor ?? undefined;
  const showMore = useCallback(() => setAfter(endCursor), [endCursor]);
  return (
    <>
      <Problem message={messageOf(error) ?? tail.problem} />
      <EventTable events={[...tail.edges, ...read].map(({ node }) => node)} />
      <Loading isOn={fetching} />
      {connection?.pageInfo.hasNextPage && <More isLoading={fetching} onMore={showMore} />}
    </>
  );
};

export const EventLog = () => {
  const [follow, setFollow] = useState<Follow>({ filter: {}, isLive: false });
  const [{ data }] = useQuery({ query: ProjectNamesQuery });
  return (
    <>
      <EventFilterForm projects={data?.projects.nodes ?? []} onChange={setFollow} />
      <EventPages key={JSON.stringify(follow.filter)} {...follow} />
    </>
  );
};
