import { useCallback, useMemo, useRef, useState } from 'react';
import { useIsConnected } from '../../api/connection.js';
import { useDocument } from '../../api/use-document.js';
import {
  EventLogFactsDocument,
  EventPageDocument,
  type EventRowFragment,
} from '../../generated/documents.js';
import { countOf } from '../../ui/count.js';
import { ProblemNotice } from '../../ui/problem-notice.js';
import { ShowQuery } from '../../ui/show-query.js';
import { useTitle } from '../../ui/use-title.js';
import { ActivityStrip } from './activity-strip.js';
import { EventDetails } from './event-details.js';
import { EventList } from './event-list.js';
import { EMPTY_VIEW, filterOf, readView, writeView } from './event-view.js';
import { ExportMenu } from './export-menu.js';
import { FilterBar } from './filter-bar.js';
import { keepList } from './kept-list.js';
import { LiveBadge } from './live-badge.js';
import { PAGE_SIZE, useEventPages } from './use-event-pages.js';
import { useEventTotal } from './use-event-total.js';
import { useEventView } from './use-event-view.js';
import { useLiveEvents } from './use-live-events.js';
import '../../styles/event-log.css';

const STRIP_DAYS = 91;
const DAY_MS = 86_400_000;

const startOfStrip = (): string =>
  new Date(Math.floor(Date.now() / DAY_MS - STRIP_DAYS) * DAY_MS).toISOString();

/** All recorded events: searched, filtered, followed live, and explained. */
export const EventLog = () => {
  useTitle('Events');
  const { view, change } = useEventView();
  const { event: openEvent, ...shown } = view;
  const key = writeView({ ...shown, event: '' });
  // biome-ignore lint/correctness/useExhaustiveDependencies: opening an event must not search again.
  const filter = useMemo(() => filterOf(view), [key]);
  const listVariables = useMemo(() => ({ filter, first: PAGE_SIZE, after: null }), [filter]);
  const [stripFrom] = useState(startOfStrip);
  // The strip shows all days: another one may be chosen next.
  const variables = useMemo(
    () => ({
      filter,
      activityFilter: filterOf({ ...readView(key), from: '', to: '' }),
      from: stripFrom,
    }),
    [filter, key, stripFrom],
  );
  const { pages, loadMore, retry, addLive, offset } = useEventPages(filter, key);
  const { rows, liveRows, hasMore, liveFrom, problem } = pages;
  // Rows first, then total and activity, then the choices of filters: these may have to read the whole log.
  const hasRows = liveFrom !== undefined;
  const facts = useDocument(EventLogFactsDocument, variables, { isPaused: !hasRows });
  const isReady = facts.data !== undefined || facts.problem !== null;
  const countAgain = useEventTotal(filter);

  const onEvent = useCallback(
    (row: EventRowFragment) => {
      addLive(row);
      countAgain();
    },
    [addLive, countAgain],
  );
  // When the filter has just changed, the cursor is still that of the earlier list.
  const followFrom = pages.filter === filter ? liveFrom : undefined;
  const liveState = useLiveEvents(filter, followFrom, onEvent);
  const isConnected = useIsConnected();
  // Without a connection, total and activity of the filter before stay unknown for this one.
  const isAnswered = problem === null || rows.length > 0;
  const factsQuery = useMemo(
    () => <ShowQuery document={EventLogFactsDocument} variables={variables} />,
    [variables],
  );
  const total = isAnswered ? facts.data?.events.totalCount : undefined;
  const selectDays = useCallback((from: string, to: string) => change({ from, to }), [change]);
  const latest = useRef({ key, pages });
  latest.current = { key, pages };
  const keepPlace = useCallback((place: number) => {
    keepList(latest.current.key, latest.current.pages, place);
  }, []);
  const openRow = useCallback((id: string) => change({ event: id }), [change]);
  /** Without a connection, what is loaded stays. */
  const shownProblem = problem?.kind === 'offline' && rows.length > 0 ? null : problem;

  return (
    <div className="event-log" data-open={openEvent !== '' || undefined}>
      <header className="screen-header">
        <h1 id="events-title">Events</h1>
        <LiveBadge state={isConnected ? liveState : 'waiting'} />
        <p className="total" role="status">
          {total === undefined ? '\u00a0' : countOf(total, 'event')}
        </p>
        <span className="end">
          <ShowQuery document={EventPageDocument} variables={listVariables} />
          <ExportMenu view={view} />
        </span>
        <p className="lead">
          Who changed which feature, and when. Select an event to see what changed.
        </p>
      </header>
      <FilterBar view={view} isReady={isReady} onChange={change} />
      <ActivityStrip
        activity={isAnswered ? facts.data?.activity : undefined}
        query={factsQuery}
        from={view.from}
        to={view.to}
        onSelect={selectDays}
      />
      <section className="event-log-list" aria-labelledby="events-title">
        {shownProblem ? (
          <ProblemNotice
            problem={shownProblem}
            onRetry={retry}
            onReset={() => change({ ...EMPTY_VIEW, event: openEvent })}
          />
        ) : null}
        <EventList
          rows={rows}
          liveRows={liveRows}
          hasMore={hasMore}
          hasProblem={problem !== null}
          hasText={view.text !== ''}
          openEvent={openEvent}
          offset={offset}
          onLeave={keepPlace}
          onOpen={openRow}
          onEnd={loadMore}
        />
      </section>
      {openEvent === '' ? null : (
        <EventDetails id={Number(openEvent)} onClose={() => change({ event: '' })} />
      )}
    </div>
  );
};
