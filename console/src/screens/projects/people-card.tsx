import { Link } from 'wouter';
import { countOf } from '../../ui/count.js';
import type { ProjectDetails } from './project-details.js';

const AUTHORS = 5;

/** Members, what they did lately, and the most active authors. */
export const PeopleCard = ({ project }: { project: ProjectDetails }) => {
  const { id, members, stats, activity } = project;
  const authors = activity.byAuthor.slice(0, AUTHORS);
  const added = stats.projectMembersAddedCurrentWindow;
  const days = stats.avgTimeToProdCurrentWindow;
  return (
    <section className="card" aria-labelledby="people-title">
      <h2 id="people-title">Members</h2>
      <p>
        {countOf(members, 'member')}
        {added > 0 ? `, ${added.toLocaleString()} added in the last 30 days` : ''}.
      </p>
      <p className="quiet">
        In the last 30 days: {countOf(stats.createdCurrentWindow, 'feature')} created,{' '}
        {stats.archivedCurrentWindow.toLocaleString()} archived.
        {days > 0
          ? ` It took ${countOf(Math.round(days), 'day')} on average until a new feature was enabled in production.`
          : ''}
      </p>
      {authors.length === 0 ? null : (
        <>
          <h3>Most active in 12 weeks</h3>
          <ul className="plain authors">
            {authors.map(({ createdBy, count }) => (
              <li key={createdBy}>
                <Link
                  className="author"
                  href={`/?${new URLSearchParams({ project: id, author: createdBy })}`}
                >
                  {createdBy}
                </Link>
                <span className="quiet">{countOf(count, 'event')}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
};
