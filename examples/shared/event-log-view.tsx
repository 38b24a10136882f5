import type { EventFilter, EventLogQuery } from '@flaggraph/client/documents';

export type Row = EventLogQuery['events']['edges'][number]['node'];
export type Facets = EventLogQuery['eventFacets'];

type FilterProps = { facets: Facets; onChange: (filter: EventFilter) => void };

export const ProjectFilter = ({ facets, onChange }: FilterProps) => (
  <label>
    Project{' '}
    <select
      onChange={({ target: { value } }) =>
        onChange(value === '' ? {} : { projectId: { is: value } })
      }
    >
      <option value="">All</option>
      {facets?.projects.nodes.map(({ projectId, count }) => (
        <option key={projectId} value={projectId}>
          {projectId} ({count})
        </option>
      ))}
    </select>
  </label>
);

type ListProps = {
  rows: readonly Row[];
  isLoading: boolean;
  problem: string | undefined;
  /** Undefined if there are no more events. */
  onMore: (() => void) | undefined;
};

export const EventList = ({ rows, isLoading, problem, onMore }: ListProps) => (
  <>
    {problem === undefined ? null : <p role="alert">{problem}</p>}
    <ol>
      {rows.map(({ id, createdAt, createdBy, label, featureName }) => (
        <li key={id} data-event={id}>
          <time dateTime={createdAt}>{new Date(createdAt).toLocaleString()}</time> {createdBy}:{' '}
          {label} {featureName}
        </li>
      ))}
    </ol>
    {onMore ? (
      <button type="button" disabled={isLoading} onClick={onMore}>
        Load more
      </button>
    ) : null}
    {isLoading ? <p role="status">Loading …</p> : null}
  </>
);
