import { Link } from 'wouter';
import { countOf } from '../../ui/count.js';
import { Meter } from '../../ui/meter.js';
import { Time } from '../../ui/time.js';
import { type HealthLevel, healthLevel } from './health-level.js';
import type { ProjectDetails } from './project-details.js';

const LEVELS: Record<HealthLevel, string> = { good: 'Good', fair: 'Fair', poor: 'Poor' };

const verdictOf = ({
  activeCount,
  staleCount,
  potentiallyStaleCount,
}: ProjectDetails['health']) => {
  const total = activeCount + staleCount;
  const due = staleCount + potentiallyStaleCount;
  if (total === 0) return 'The project has no features.';
  if (due === 0) return 'No feature is marked stale or older than expected.';
  const parts = [
    ...(staleCount > 0 ? [`${staleCount.toLocaleString()} marked stale`] : []),
    ...(potentiallyStaleCount > 0
      ? [`${potentiallyStaleCount.toLocaleString()} older than expected for the type`]
      : []),
  ];
  return `${due.toLocaleString()} of ${countOf(total, 'feature')} should be checked: ${parts.join(', ')}.`;
};

/** Health and technical debt, explained in words. */
export const HealthCard = ({ project }: { project: ProjectDetails }) => {
  const { id, health, updatedAt } = project;
  const level = healthLevel(health.score);
  const due = health.cleanUp.totalCount;
  return (
    <section className="card" aria-labelledby="health-title">
      <h2 id="health-title">Health</h2>
      <dl className="figures">
        <div>
          <dt>Health, of 100</dt>
          <dd>
            <Meter value={health.score} level={level} />
          </dd>
        </div>
        <div>
          <dt>Technical debt</dt>
          <dd>
            <Meter value={health.technicalDebt} level={level} />
          </dd>
        </div>
      </dl>
      <p>
        <strong>{LEVELS[level]}.</strong> {verdictOf(health)}
      </p>
      <p className="quiet">
        Health is the percentage of features that are neither marked stale nor older than expected.
        Technical debt is the distance to 100.
        {updatedAt === null ? null : (
          <>
            {' '}
            Unleash last calculated the score <Time value={updatedAt} isRelative />.
          </>
        )}
      </p>
      {due === 0 ? (
        <p>Nothing needs to be cleaned up.</p>
      ) : (
        <p>
          <Link href={`/clean-up?${new URLSearchParams({ project: id })}`}>
            {countOf(due, 'feature')} to clean up
          </Link>
        </p>
      )}
    </section>
  );
};
