import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useDocument } from '../../api/use-document.js';
import { ExplainDeliveryDocument, type ExplainDeliveryQuery } from '../../generated/documents.js';
import { Loading } from '../../ui/loading.js';
import { ProblemNotice } from '../../ui/problem-notice.js';
import { Sentence } from '../../ui/sentence.js';
import { ShowQuery } from '../../ui/show-query.js';
import { TextWithTimes } from '../../ui/text-with-times.js';
import { Time } from '../../ui/time.js';
import { DeliveryStateBadge } from './delivery-state.js';
import { checksOf, verdictOf } from './explanation-text.js';

type Explained = NonNullable<NonNullable<ExplainDeliveryQuery['integration']>['explain']>;

const Outcome = ({ delivery }: { delivery: NonNullable<Explained['delivery']> }) => (
  <p className="delivery-facts">
    <DeliveryStateBadge state={delivery.state} stateName={delivery.stateName} />
    <Time value={delivery.createdAt} />
    {delivery.stateDetails === '' ? null : <span>{delivery.stateDetails}</span>}
  </p>
);

const Checks = ({ explanation }: { explanation: Explained }) => (
  <ul className="checks" aria-label="Checks">
    {checksOf(explanation.reasons).map(({ code, passes, text }) => (
      <li key={code} data-passes={passes}>
        <span className="check-mark">{passes ? 'Pass' : 'Fail'}</span>
        <span>
          <TextWithTimes text={text} />
        </span>
      </li>
    ))}
  </ul>
);

/** The answer of the graph in words, check by check. */
export const Explanation = ({ id, eventId }: { id: number; eventId: number }) => {
  const variables = { id, eventId };
  const { data, problem, reload } = useDocument(ExplainDeliveryDocument, variables);
  const explanation = data?.integration?.explain;
  const event = data?.event;
  const panel = useRef<HTMLDivElement>(null);
  const isKnown = data !== undefined;
  // It may have been requested from a delivery further down.
  useEffect(() => {
    if (isKnown) panel.current?.scrollIntoView({ block: 'nearest' });
  }, [isKnown]);
  return (
    <div className="explanation" aria-live="polite" ref={panel}>
      {problem ? <ProblemNotice problem={problem} onRetry={reload} /> : null}
      {!data && !problem ? <Loading what="the explanation" /> : null}
      {data && !explanation ? (
        <p>Event {eventId} does not exist, or is not visible to you.</p>
      ) : null}
      {explanation && event ? (
        <>
          <h3>{verdictOf(explanation)}</h3>
          <p>
            <Sentence markdown={event.summary} />
          </p>
          <p className="delivery-facts">
            <Time value={event.createdAt} />
            <Link href={`/?event=${event.id}`}>Event {event.id}</Link>
            <ShowQuery document={ExplainDeliveryDocument} variables={variables} />
          </p>
          {explanation.delivery ? <Outcome delivery={explanation.delivery} /> : null}
          <Checks explanation={explanation} />
        </>
      ) : null}
    </div>
  );
};
