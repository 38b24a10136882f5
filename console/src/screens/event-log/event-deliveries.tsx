import { Link } from 'wouter';
import { useDocument } from '../../api/use-document.js';
import { IntegrationsDocument } from '../../generated/documents.js';
import { Time } from '../../ui/time.js';
import { DeliveryStateBadge } from '../integrations/delivery-state.js';
import { integrationName, providerName } from '../integrations/integration-name.js';
import type { Details } from './event-details.js';

type Delivery = NonNullable<Details['deliveries']>['nodes'][number];

/** Integrations without a delivery of the event, each with a link to the explanation. */
const NotSent = ({ id, deliveries }: { id: number; deliveries: readonly Delivery[] }) => {
  const { data } = useDocument(IntegrationsDocument, {}, { isFresh: false });
  const sentTo = new Set(deliveries.map(({ integration }) => integration.id));
  const others = data?.integrations.filter((one) => !sentTo.has(one.id)) ?? [];
  if (others.length === 0) return null;
  return (
    <>
      <h3>No delivery on record</h3>
      <ul className="plain">
        {others.map((integration) => (
          <li key={integration.id}>
            {integrationName(integration)}{' '}
            <span className="chip">{providerName(integration.provider)}</span>{' '}
            <Link
              href={`/integrations/${integration.id}?explain=${id}`}
              aria-label={`Why was it not sent to ${integrationName(integration)}?`}
            >
              Why?
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
};

/** Where an event was sent, and where not. */
export const EventDeliveries = ({
  id,
  deliveries,
}: {
  id: number;
  deliveries: readonly Delivery[];
}) => (
  <section>
    {deliveries.length === 0 ? null : (
      <>
        <h3>Sent to</h3>
        <ul className="plain">
          {deliveries.map(({ id, state, stateName, stateDetails, createdAt, integration }) => (
            <li key={id}>
              <Link href={`/integrations/${integration.id}`}>{integrationName(integration)}</Link>{' '}
              <span className="chip">{providerName(integration.provider)}</span>{' '}
              <DeliveryStateBadge state={state} stateName={stateName} />
              <p className="quiet small-text">
                <Time value={createdAt} />
                {stateDetails === '' ? '' : `. ${stateDetails}`}
              </p>
            </li>
          ))}
        </ul>
      </>
    )}
    <NotSent id={id} deliveries={deliveries} />
  </section>
);
