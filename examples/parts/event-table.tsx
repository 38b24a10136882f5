import type { EventRowFragment } from '../generated/graphql.js';

export const EventTable = ({ events }: { events: readonly EventRowFragment[] }) => (
  <table>
    <thead>
      <tr>
        <th>When</th>
        <th>What</th>
        <th>Feature</th>
        <th>Project</th>
        <th>Who</th>
      </tr>
    </thead>
    <tbody>
      {events.map((event) => (
        <tr key={event.id} data-event={event.id}>
          <td>
            <time dateTime={event.createdAt ?? undefined}>
              {event.createdAt ? new Date(event.createdAt).toLocaleString() : ''}
            </time>
          </td>
          <td>
            {event.label}
            {event.environmentName && ` (${event.environmentName})`}
          </td>
          <td>{event.featureName}</td>
          <td>{event.projectId}</td>
          <td>{event.createdBy}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
