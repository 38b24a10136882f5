import type { IntegrationPageQuery } from '../../generated/documents.js';
import { Time } from '../../ui/time.js';
import { rateText } from './integration-name.js';

type Stats = NonNullable<IntegrationPageQuery['integration']>['stats'];

/** How many deliveries failed, and what failed most often. */
export const DeliveryStats = ({ stats }: { stats: Stats }) => {
  const { deliveryCount, failedCount, failureRate, since, commonestFailure: failure } = stats;
  if (deliveryCount === 0) return null;
  return (
    <section aria-label="Statistics" className="delivery-stats">
      <dl>
        <div>
          <dt>Failure rate</dt>
          <dd data-failing={failedCount > 0 || undefined}>{rateText(failureRate)}</dd>
          <dd className="quiet">
            {failedCount.toLocaleString()} of {deliveryCount.toLocaleString()} deliveries
            {since === null ? null : (
              <>
                {' '}
                since <Time value={since} />
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Commonest failure</dt>
          <dd className="commonest">
            {failure === null ? 'None' : failure.stateDetails || 'No details recorded'}
          </dd>
          {failure === null ? null : (
            <dd className="quiet">
              {failure.count === 1 ? 'Once' : `${failure.count.toLocaleString()} times`}
              {failure.lastDelivery === null ? null : (
                <>
                  , last <Time value={failure.lastDelivery.createdAt} isRelative />
                </>
              )}
            </dd>
          )}
        </div>
      </dl>
    </section>
  );
};
