import { useDocument } from '../../api/use-document.js';
import { IntegrationsDocument } from '../../generated/documents.js';
import { Loading } from '../../ui/loading.js';
import { ProblemNotice } from '../../ui/problem-notice.js';
import { ShowQuery } from '../../ui/show-query.js';
import { AdminOnly } from './admin-only.js';
import { IntegrationTable } from './integration-table.js';
import '../../styles/integrations.css';

const Integrations = () => {
  const { data, problem, reload } = useDocument(IntegrationsDocument, {});
  return (
    <div className="integrations">
      <header className="screen-header">
        <h1>Integrations</h1>
        <ShowQuery document={IntegrationsDocument} variables={{}} />
      </header>
      {problem ? <ProblemNotice problem={problem} onRetry={reload} /> : null}
      {!data && !problem ? <Loading what="integrations" /> : null}
      {data?.integrations.length === 0 ? (
        <p>No integration is configured. Integrations are created in Unleash.</p>
      ) : null}
      {data && data.integrations.length > 0 ? (
        <IntegrationTable integrations={data.integrations} />
      ) : null}
    </div>
  );
};

/** All integrations, with how reliably events reach them. */
const IntegrationsScreen = () => (
  <AdminOnly>
    <Integrations />
  </AdminOnly>
);

export default IntegrationsScreen;
