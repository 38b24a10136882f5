import type { FeatureScreenQuery } from '../../generated/documents.js';
import { Time } from '../../ui/time.js';
import { EnabledState } from './enabled-state.js';
import { StrategyList } from './strategy-list.js';
import { Usage } from './usage.js';
import { VariantList } from './variant-list.js';

export type Environment = NonNullable<FeatureScreenQuery['feature']>['environments'][number];

/** The feature in one environment, as it is now. */
export const EnvironmentCard = ({ item }: { item: Environment }) => {
  const { environmentName, environment, enabled, lastSeenAt, usage, strategies, variants } = item;
  return (
    <li className="card">
      <header>
        <h3>{environmentName}</h3>
        {environment.type === environmentName ? null : (
          <span className="chip">{environment.type}</span>
        )}
        <EnabledState state={enabled ? 'ENABLED' : 'DISABLED'} />
      </header>
      {environment.enabled ? null : <p className="quiet">This environment is disabled.</p>}
      <StrategyList strategies={strategies} />
      <VariantList variants={variants} />
      <div className="card-end">
        <Usage usage={usage} />
        <p className="quiet">
          {lastSeenAt === null ? (
            'Never seen in an application.'
          ) : (
            <>
              Last seen <Time value={lastSeenAt} isRelative />
            </>
          )}
        </p>
      </div>
    </li>
  );
};
