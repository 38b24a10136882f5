import { Link } from 'wouter';
import type { IntegrationsQuery } from '../../generated/documents.js';
import { Time } from '../../ui/time.js';
import { integrationName, providerName, rateText } from './integration-name.js';

type Listed = IntegrationsQuery['integrations'][number];

const lastDelivery = ({ stats: { lastSuccess, lastFailure } }: Listed): string | null => {
  const times = [lastSuccess?.createdAt, lastFailure?.createdAt].filter((time) => time != null);
  return times.sort((one, other) => Date.parse(one) - Date.parse(other)).at(-1) ?? null;
};

const Row = ({ integration }: { integration: Listed }) => {
  const { id, provider, enabled, stats } = integration;
  const last = lastDelivery(integration);
  return (
    <tr>
      <th scope="row">
        <Link href={`/integrations/${id}`}>{integrationName(integration)}</Link>
        <span className="integration-provider">
          {integration.description ? providerName(provider) : 'No description'}
        </span>
      </th>
      <td data-label="State">
        <span className="state" data-enabled={enabled}>
          {enabled ? 'Enabled' : 'Disabled'}
        </span>
      </td>
      <td data-label="Failure rate" data-failing={(stats.failureRate ?? 0) > 0 || undefined}>
        {rateText(stats.failureRate)}
        {stats.failureRate === null ? null : (
          <span className="quiet"> of {stats.deliveryCount.toLocaleString()}</span>
        )}
      </td>
      <td data-label="Last delivery">
        {last === null ? 'Never' : <Time value={last} isRelative />}
      </td>
    </tr>
  );
};

export const IntegrationTable = ({ integrations }: { integrations: readonly Listed[] }) => (
  <table className="integration-table">
    <caption className="quiet">
      Rates cover the deliveries that are still on record. Open an integration to see them.
    </caption>
    <thead>
      <tr>
        <th scope="col">Integration</th>
        <th scope="col">State</th>
        <th scope="col">Failure rate</th>
        <th scope="col">Last delivery</th>
      </tr>
    </thead>
    <tbody>
      {integrations.map((integration) => (
        <Row key={integration.id} integration={integration} />
      ))}
    </tbody>
  </table>
);
