import { Link } from 'wouter';
import { countOf } from '../../ui/count.js';
import { ActivityChart } from './activity-chart.js';
import type { ProjectDetails } from './project-details.js';
import { weekHref, weekLabel } from './week.js';

/** Events per week as a chart, and as a table for readers who prefer numbers. */
export const ActivityCard = ({ project: { id, activity } }: { project: ProjectDetails }) => (
  <section className="card broad" aria-labelledby="activity-title">
    <h2 id="activity-title">Activity</h2>
    <p className="quiet">
      {countOf(activity.count, 'event')} in the last {countOf(activity.buckets.length, 'week')}.
      Weeks start on Monday, UTC.
    </p>
    <ActivityChart project={id} weeks={activity.buckets} />
    <details>
      <summary>Show as a table</summary>
      <table className="small-table">
        <caption className="hidden">Events per week</caption>
        <thead>
          <tr>
            <th scope="col">Week</th>
            <th scope="col" className="number">
              Events
            </th>
          </tr>
        </thead>
        <tbody>
          {activity.buckets.map((week) => (
            <tr key={week.from}>
              <th scope="row">
                <Link href={weekHref(id, week)}>{weekLabel(week)}</Link>
              </th>
              <td className="number">{week.count.toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  </section>
);
