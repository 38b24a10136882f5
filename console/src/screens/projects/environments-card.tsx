import type { ProjectDetails } from './project-details.js';

/** Environments of a project, and where changes need an approval. */
export const EnvironmentsCard = ({ project: { environments } }: { project: ProjectDetails }) => (
  <section className="card" aria-labelledby="environments-title">
    <h2 id="environments-title">Environments</h2>
    {environments.length === 0 ? (
      <p className="quiet">The project uses no environment.</p>
    ) : (
      <table className="small-table">
        <caption className="hidden">Environments of the project</caption>
        <thead>
          <tr>
            <th scope="col">Environment</th>
            <th scope="col">Type</th>
            <th scope="col">Change requests</th>
          </tr>
        </thead>
        <tbody>
          {environments.map(({ id, environmentName, changeRequestsEnabled, environment }) => (
            <tr key={id}>
              <th scope="row">
                {environmentName}{' '}
                {environment.enabled ? null : <span className="chip">Disabled</span>}
              </th>
              <td>{environment.type}</td>
              <td>{changeRequestsEnabled ? <strong>Required</strong> : 'Not required'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </section>
);
