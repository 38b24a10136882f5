import { useMemo } from 'react';
import { Link } from 'wouter';
import { useDocument } from '../../api/use-document.js';
import { FeatureEventsDocument } from '../../generated/documents.js';
import { Loading } from '../../ui/loading.js';
import { ProblemNotice } from '../../ui/problem-notice.js';
import { Sentence } from '../../ui/sentence.js';
import { ShowQuery } from '../../ui/show-query.js';
import { Time } from '../../ui/time.js';
import { useRowKeys } from '../../ui/use-row-keys.js';

/** The newest events of a feature, with a link to all of them. */
export const NewestEvents = ({ name }: { name: string }) => {
  const variables = useMemo(() => ({ name }), [name]);
  const { data, problem, reload } = useDocument(FeatureEventsDocument, variables);
  const events = data?.feature?.events;
  const list = useRowKeys<HTMLUListElement>('.event-line a');
  const log = `/?feature=${encodeURIComponent(name)}`;
  return (
    <section className="panel" aria-labelledby="feature-events-title">
      <header className="screen-header">
        <h2 id="feature-events-title">Newest events</h2>
        <ShowQuery document={FeatureEventsDocument} variables={variables} />
      </header>
      {problem ? <ProblemNotice problem={problem} onRetry={reload} /> : null}
      {data === undefined && !problem ? <Loading what="events" /> : null}
      {events?.nodes.length === 0 ? <p className="quiet">No events that you may see.</p> : null}
      {events && events.nodes.length > 0 ? (
        <>
          <ul ref={list} className="plain">
            {events.nodes.map(({ id, createdAt, label, summary }) => (
              <li key={id}>
                <Sentence markdown={summary} />
                <p className="event-line quiet">
                  <Time value={createdAt} isRelative /> ·{' '}
                  <Link
                    href={`${log}&event=${id}`}
                    aria-label={`What changed: ${label}, event ${id}`}
                  >
                    What changed
                  </Link>
                </p>
              </li>
            ))}
          </ul>
          <p>
            <Link href={log}>
              {events.totalCount === 1
                ? 'Show it in the event log'
                : `All ${events.totalCount.toLocaleString()} events in the event log`}
            </Link>
          </p>
        </>
      ) : null}
    </section>
  );
};
