import { useRef } from 'react';
import { Button } from 'react-aria-components';
import { useDocument } from '../../api/use-document.js';
import { EventDetailsDocument, type EventDetailsQuery } from '../../generated/documents.js';
import { ChangeList } from '../../ui/change-list.js';
import { Loading } from '../../ui/loading.js';
import { ProblemNotice } from '../../ui/problem-notice.js';
import { Sentence } from '../../ui/sentence.js';
import { ShowQuery } from '../../ui/show-query.js';
import { Time } from '../../ui/time.js';
import { useShortcuts } from '../../ui/use-shortcuts.js';
import { EventDeliveries } from './event-deliveries.js';

export type Details = NonNullable<EventDetailsQuery['event']>;

const Group = ({ event }: { event: Details }) => {
  const others = event.group?.events.nodes.filter(({ id }) => id !== event.id) ?? [];
  if (others.length === 0) return null;
  return (
    <section>
      <h3>Recorded together</h3>
      <ul className="plain">
        {others.map(({ id, summary }) => (
          <li key={id}>
            <Sentence markdown={summary} />
          </li>
        ))}
      </ul>
    </section>
  );
};

/** What an event changed, what was recorded with it, and whom it was delivered to. */
export const EventDetails = ({ id, onClose }: { id: number; onClose: () => void }) => {
  const variables = { id };
  const { data, problem, reload } = useDocument(EventDetailsDocument, variables, {
    isFresh: false,
  });
  const details = useRef<HTMLElement>(null);
  useShortcuts({ Escape: onClose, d: () => details.current?.focus() });
  const event = data?.event;
  return (
    <aside className="details" id="event-details" aria-label="Event" ref={details} tabIndex={-1}>
      <header className="screen-header">
        <h2>{event?.label ?? 'Event'}</h2>
        <span className="end">
          <ShowQuery document={EventDetailsDocument} variables={variables} />
          <Button className="button" onPress={onClose}>
            Close
          </Button>
        </span>
      </header>
      {problem ? <ProblemNotice problem={problem} onRetry={reload} /> : null}
      {data === undefined && !problem ? <Loading what="the event" /> : null}
      {data && !event ? <p>This event does not exist, or is not visible to you.</p> : null}
      {event ? (
        <>
          <p className="details-sentence">
            <Sentence markdown={event.summary} />
          </p>
          <p className="quiet">
            <Time value={event.createdAt} /> by {event.createdByUser?.name ?? event.createdBy},
            event {event.id}
          </p>
          <ChangeList changes={event.changes} />
          <Group event={event} />
          {event.deliveries ? (
            <EventDeliveries id={event.id} deliveries={event.deliveries.nodes} />
          ) : null}
        </>
      ) : null}
    </aside>
  );
};
