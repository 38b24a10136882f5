import { Link, useParams } from 'wouter';
import { useDocument } from '../../api/use-document.js';
import { IntegrationPageDocument } from '../../generated/documents.js';
import { Loading } from '../../ui/loading.js';
import { Missing } from '../../ui/not-found.js';
import { ProblemNotice } from '../../ui/problem-notice.js';
import { ShowQuery } from '../../ui/show-query.js';
import { useTitle } from '../../ui/use-title.js';
import { AdminOnly } from './admin-only.js';
import { Deliveries } from './deliveries.js';
import { DeliveryStats } from './delivery-stats.js';
import { ExplainDelivery } from './explain-delivery.js';
import { integrationName, providerName } from './integration-name.js';
import { Subscription } from './subscription.js';
import '../../styles/integrations.css';

const UnknownIntegration = ({ id }: { id: string }) => (
  <Missing title="Integration not found">
    <p>
      No integration has the ID {id}. See <Link href="/integrations">all integrations</Link>.
    </p>
  </Missing>
);

const Integration = ({ id }: { id: number }) => {
  const variables = { id };
  const { data, problem, reload } = useDocument(IntegrationPageDocument, variables);
  const integration = data?.integration;
  const name = integration ? integrationName(integration) : `Integration ${id}`;
  useTitle(name);
  if (data && !integration) return <UnknownIntegration id={String(id)} />;
  return (
    <div className="integrations">
      <p className="back">
        <Link href="/integrations">All integrations</Link>
      </p>
      <header className="screen-header">
        <h1>{name}</h1>
        {integration ? (
          <>
            <span className="chip">{providerName(integration.provider)}</span>
            <span className="state" data-enabled={integration.enabled}>
              {integration.enabled ? 'Enabled' : 'Disabled'}
            </span>
          </>
        ) : null}
        <span className="end">
          <ShowQuery document={IntegrationPageDocument} variables={variables} />
        </span>
      </header>
      {problem ? <ProblemNotice problem={problem} onRetry={reload} /> : null}
      {!data && !problem ? <Loading what="the integration" rows={8} /> : null}
      {integration ? (
        <>
          <DeliveryStats stats={integration.stats} />
          <Subscription integration={integration} />
          <div className="integration-panels">
            <ExplainDelivery id={id} />
            <Deliveries id={id} byState={integration.stats.byState} />
          </div>
        </>
      ) : null}
    </div>
  );
};

/** One integration: its deliveries, how many failed and why, and why an event was not sent to it. */
const IntegrationScreen = () => {
  const { id = '' } = useParams<{ id: string }>();
  const isId = /^\d{1,9}$/.test(id);
  return (
    <AdminOnly>
      {isId ? <Integration key={id} id={Number(id)} /> : <UnknownIntegration id={id} />}
    </AdminOnly>
  );
};

export default IntegrationScreen;
