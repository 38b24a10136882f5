import { Link } from 'wouter';
import { Time } from '../../ui/time.js';
import type { ShownFeature } from './feature-header.js';

const TITLES: Record<ShownFeature['cleanUpReasons'][number]['kind'], string> = {
  COMPLETED: 'Completed',
  FULLY_ROLLED_OUT: 'Fully rolled out',
  NOT_SEEN: 'Not in use',
  POTENTIALLY_STALE: 'Older than expected',
  STALE: 'Stale',
};

/** Why the feature could be removed. Absent if there is no reason. */
export const CleanUpReasons = ({ reasons }: { reasons: ShownFeature['cleanUpReasons'] }) => {
  if (reasons.length === 0) return null;
  return (
    <section className="clean-up" aria-labelledby="clean-up-title">
      <h2 id="clean-up-title">
        {reasons.length === 1 ? 'A reason' : `${reasons.length} reasons`} to remove it
      </h2>
      <ul>
        {reasons.map(({ kind, explanation, since }) => (
          <li key={kind}>
            <strong>{TITLES[kind]}.</strong> {explanation}
            {since === null ? null : (
              <span className="quiet">
                {' '}
                Since <Time value={since} />.
              </span>
            )}
          </li>
        ))}
      </ul>
      <p>
        <Link href="/clean-up">All features to clean up</Link>
      </p>
    </section>
  );
};
