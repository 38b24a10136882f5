import { useDocument } from '../../api/use-document.js';
import { IntegrationsDocument } from '../../generated/documents.js';
import { Loading } from '../../ui/loading.js';
import { ProblemNotice } from '../../ui/problem-notice.js';
import { ShowQuery } from '../../ui/show-query.js';
import { useRowKeys } from '../../ui/use-row-keys.js';
import { useTitle } from '../../ui/use-title.js';
import { AdminOnly } from './admin-only.js';
import { IntegrationTable } from './integration-table.js';
import '../../styles/integrations.css';

const Integrations = () => {
  const { data, problem, reload } = useDocument(IntegrationsDocument, {});
  const container = useRowKeys<HTMLDivElement>();
  return (
    <div className="integrations" ref={container}>
      <header className="screen-header">
        <h1>Integrations</h1>
        <span className="end">
          <ShowQuery document={IntegrationsDocument} variables={{}} />
        </span>
        <p className="lead">
          Where Unleash sends events, and how often that fails. Open one to see why an event was not
          sent.
        </p>
      </header>
      {problem ? <ProblemNotice problem={problem} onRetry={reload} /> : null}
      {!data && !problem ? <Loading what="integrations" rows={8} /> : null}
      {data?.integrations.length === 0 ? (
        <section className="notice">
          <h2>No integration is configured.</h2>
          <p>Integrations send events to Slack and other services. They are created in Unleash.</p>
        </section>
      ) : null}
      {data && data.integrations.length > 0 ? (
        <IntegrationTable integrations={data.integrations} />
      ) : null}
    </div>
  );
};

/** All integrations, with how reliably events reach them. */
const IntegrationsScreen = () => {
  useTitle('Integrations');
  return (
    <AdminOnly>
      <Integrations />
    </AdminOnly>
  );
};

export default IntegrationsScreen;
