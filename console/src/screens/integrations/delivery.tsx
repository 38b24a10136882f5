import { useState } from 'react';
import { Link } from 'wouter';
import type { IntegrationDeliveriesQuery } from '../../generated/documents.js';
import { Sentence } from '../../ui/sentence.js';
import { Time } from '../../ui/time.js';
import { DeliveryStateBadge } from './delivery-state.js';

type Listed = NonNullable<IntegrationDeliveriesQuery['integration']>['deliveries']['nodes'][number];

/** What was delivered, if the event log no longer has the event. */
const sentenceOf = ({ event }: Listed): string => {
  if (event === null || event.typeName === null) return 'The record contains no event.';
  const { typeName, featureName, projectId, environmentName } = event;
  const parts = [
    typeName,
    ...(featureName === null ? [] : [`of the feature ${featureName}`]),
    ...(environmentName === null ? [] : [`in ${environmentName}`]),
    ...(projectId === null ? [] : [`(project ${projectId})`]),
  ];
  return parts.join(' ');
};

const Details = ({ delivery, id }: { delivery: Listed; id: string }) => {
  const sent = Object.keys(delivery.details).length > 0;
  return (
    <div className="delivery-details" id={id}>
      <p>{delivery.stateDetails || 'No details are recorded.'}</p>
      {sent ? (
        <figure>
          <figcaption className="quiet">What was sent</figcaption>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls. */}
          <pre tabIndex={0}>{JSON.stringify(delivery.details, undefined, 2)}</pre>
        </figure>
      ) : null}
    </div>
  );
};

type Props = { delivery: Listed; onExplain: (eventId: number) => void };

export const Delivery = ({ delivery, onExplain }: Props) => {
  const [isOpen, setIsOpen] = useState(false);
  const { id, state, stateName, createdAt, event } = delivery;
  const stored = event?.stored ?? null;
  const detailsId = `delivery-${id}`;
  return (
    <li className="delivery">
      <p className="delivery-event">
        {stored === null ? sentenceOf(delivery) : <Sentence markdown={stored.summary} />}
      </p>
      <p className="delivery-facts">
        <DeliveryStateBadge state={state} stateName={stateName} />
        <Time value={createdAt} />
        {stored === null ? null : (
          <>
            <Link href={`/?event=${stored.id}`} aria-label={`Event ${stored.id}: ${stored.label}`}>
              Event {stored.id}
            </Link>
            {state === 'SUCCESS' ? null : (
              <button
                type="button"
                className="link"
                aria-label={`Explain event ${stored.id}: ${stored.label}`}
                onClick={() => onExplain(stored.id)}
              >
                Explain
              </button>
            )}
          </>
        )}
      </p>
      {state === 'SUCCESS' || isOpen ? null : (
        <p className="delivery-problem">{delivery.stateDetails}</p>
      )}
      <button
        type="button"
        className="button delivery-open"
        aria-expanded={isOpen}
        aria-controls={isOpen ? detailsId : undefined}
        aria-label={`Details of delivery ${id}`}
        onClick={() => setIsOpen(!isOpen)}
      >
        Details
      </button>
      {isOpen ? <Details delivery={delivery} id={detailsId} /> : null}
    </li>
  );
};
