import { Link } from 'wouter';
import type { ProjectDetails } from './project-details.js';

/** Features of each type. */
export const TypeCounts = ({ project: { id, health } }: { project: ProjectDetails }) => (
  <section className="card" aria-labelledby="types-title">
    <h2 id="types-title">Feature types</h2>
    {health.countsByType.length === 0 ? (
      <p className="quiet">The project has no features.</p>
    ) : (
      <table className="small-table">
        <caption className="hidden">Features by type</caption>
        <thead>
          <tr>
            <th scope="col">Type</th>
            <th scope="col" className="number">
              Features
            </th>
            <th scope="col" className="number">
              Stale
            </th>
            <th scope="col" className="number">
              Potentially stale
            </th>
          </tr>
        </thead>
        <tbody>
          {health.countsByType.map(({ type, count, staleCount, potentiallyStaleCount }) => (
            <tr key={type}>
              <th scope="row">
                {type === null ? (
                  'No type'
                ) : (
                  <Link
                    href={`/projects/${encodeURIComponent(id)}?${new URLSearchParams({ type })}`}
                    replace
                  >
                    {type}
                  </Link>
                )}
              </th>
              <td className="number">{count.toLocaleString()}</td>
              <td className="number">{staleCount.toLocaleString()}</td>
              <td className="number">{potentiallyStaleCount.toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </section>
);
