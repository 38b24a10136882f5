import { Link } from 'wouter';
import type { ProjectFeatureFragment } from '../../generated/documents.js';
import { Time } from '../../ui/time.js';
import { STAGE_LABELS } from './feature-list-view.js';

const stateOf = ({ archived, stale, potentiallyStale }: ProjectFeatureFragment): string => {
  if (archived) return 'Archived';
  if (stale) return 'Stale';
  return potentiallyStale ? 'Potentially stale' : 'Not stale';
};

const lastSeenOf = ({ environments }: ProjectFeatureFragment): string | undefined =>
  environments
    .flatMap(({ lastSeenAt }) => lastSeenAt ?? [])
    .sort()
    .at(-1);

/** A feature of a project, with its state in each environment. */
export const FeatureRow = ({ feature }: { feature: ProjectFeatureFragment }) => {
  const { name, description, type, lifecycle, environments, createdAt } = feature;
  const state = stateOf(feature);
  const lastSeen = lastSeenOf(feature);
  return (
    <tr>
      <th scope="row">
        <Link href={`/features/${encodeURIComponent(name)}`}>{name}</Link>
        {description ? <p className="row-text">{description}</p> : null}
      </th>
      <td className="third" data-label="Type">
        {type ?? 'No type'}
      </td>
      <td className="third" data-label="State">
        {state === 'Not stale' ? state : <span className="chip">{state}</span>}
      </td>
      <td className="third" data-label="Stage">
        {lifecycle ? STAGE_LABELS[lifecycle.stage] : 'Not recorded'}
      </td>
      <td className="wide" data-label="Environments">
        {environments.length === 0 ? (
          <span className="quiet">None</span>
        ) : (
          <ul className="switches">
            {environments.map(({ id, environmentName, enabled }) => (
              <li key={id} data-enabled={enabled}>
                <span aria-hidden="true">{enabled ? '●' : '○'}</span> {environmentName}{' '}
                {enabled ? 'on' : 'off'}
              </li>
            ))}
          </ul>
        )}
      </td>
      <td data-label="Last seen">{lastSeen ? <Time value={lastSeen} isRelative /> : 'Never'}</td>
      <td data-label="Created">{createdAt ? <Time value={createdAt} isRelative /> : 'Unknown'}</td>
    </tr>
  );
};
