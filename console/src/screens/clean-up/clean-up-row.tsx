import { Link } from 'wouter';
import type { CleanUpRowFragment } from '../../generated/documents.js';
import { Time } from '../../ui/time.js';
import { labelOf } from './clean-up-view.js';

/** A feature to remove, and why. */
export const CleanUpRow = ({ row: { feature, reasons, weight } }: { row: CleanUpRowFragment }) => {
  const { name, description, type, projectId, project, createdAt } = feature;
  return (
    <tr>
      <th scope="row">
        <Link href={`/features/${encodeURIComponent(name)}`}>{name}</Link>
        {description ? <p className="row-text">{description}</p> : null}
      </th>
      <td data-label="Project">
        {projectId === null ? (
          'None'
        ) : (
          <Link href={`/projects/${encodeURIComponent(projectId)}`}>
            {project?.name ?? projectId}
          </Link>
        )}
      </td>
      <td className="wide" data-label="Why">
        <ul className="why">
          {reasons.map(({ kind, explanation, since }) => (
            <li key={kind}>
              <span className="chip" data-kind={kind}>
                {labelOf(kind)}
              </span>{' '}
              {explanation}
              {since === null ? null : (
                <span className="quiet">
                  Since <Time value={since} />
                </span>
              )}
            </li>
          ))}
        </ul>
      </td>
      <td data-label="Type">{type ?? 'No type'}</td>
      <td data-label="Created">{createdAt ? <Time value={createdAt} isRelative /> : 'Unknown'}</td>
      <td className="number" data-label="Weight">
        {weight}
      </td>
    </tr>
  );
};
