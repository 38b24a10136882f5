import { Link } from 'wouter';
import type { ProjectRowFragment } from '../../generated/documents.js';
import { countOf } from '../../ui/count.js';
import { Meter } from '../../ui/meter.js';
import { Sparkline } from '../../ui/sparkline.js';
import { healthLevel } from './health-level.js';
import { modeLabel } from './mode.js';

/** A project with its health, counts and activity. */
export const ProjectRow = ({ project }: { project: ProjectRowFragment }) => {
  const { id, name, description, mode, favorite, archived, members, health, activity } = project;
  const label = modeLabel(mode);
  const level = healthLevel(health.score);
  return (
    <tr>
      <th scope="row">
        <Link href={`/projects/${encodeURIComponent(id)}`}>{name}</Link>{' '}
        {favorite ? <span className="chip">Favorite</span> : null}
        {archived ? <span className="chip">Archived</span> : null}
        {label === null ? null : <span className="chip">{label}</span>}
        {description ? <p className="row-text">{description}</p> : null}
      </th>
      <td data-label="Health">
        <Meter value={health.score} level={level} />
      </td>
      <td data-label="Technical debt">
        <Meter value={health.technicalDebt} level={level} />
      </td>
      <td className="number third" data-label="Features">
        {(health.activeCount + health.staleCount).toLocaleString()}
      </td>
      <td className="number third" data-label="Active">
        {health.activeCount.toLocaleString()}
      </td>
      <td className="number third" data-label="Stale">
        {health.staleCount.toLocaleString()}
      </td>
      <td className="number third" data-label="Potentially stale">
        {health.potentiallyStaleCount.toLocaleString()}
      </td>
      <td className="number third" data-label="Members">
        {members.toLocaleString()}
      </td>
      <td className="wide" data-label="Last 30 days">
        <span className="trend">
          <Sparkline buckets={activity.buckets} />
          <span className="quiet">{countOf(activity.count, 'event')}</span>
        </span>
      </td>
    </tr>
  );
};
