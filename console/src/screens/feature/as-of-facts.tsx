import type { FeatureAsOfQuery } from '../../generated/documents.js';
import { EnabledState } from './enabled-state.js';
import { FeatureLink } from './feature-link.js';
import { StrategyList } from './strategy-list.js';
import { unknownInEnvironment, unknownText } from './unknown-text.js';
import { VariantList } from './variant-list.js';

export type FeatureThen = NonNullable<FeatureAsOfQuery['feature']>['asOf'];

/** What was the same in all environments. */
export const PastFacts = ({ then }: { then: FeatureThen }) => {
  const { projectId, type, description, stale, archived, tags, dependencies } = then;
  const unknown = unknownText(then.unknown);
  return (
    <>
      <p className="chips">
        {type ? <span className="chip">{type}</span> : null}
        {projectId ? <span className="chip">project {projectId}</span> : null}
        {stale ? <span className="chip">stale</span> : null}
        {archived ? <span className="chip">archived</span> : null}
        {(tags ?? []).map((tag) => (
          <span className="chip" key={`${tag.type}:${tag.value}`}>
            {tag.type}:{tag.value}
          </span>
        ))}
      </p>
      {description ? <p>{description}</p> : null}
      {dependencies && dependencies.length > 0 ? (
        <p>
          Depended on{' '}
          {dependencies.map(({ featureName }, index) => (
            <span key={featureName}>
              {index === 0 ? '' : ', '}
              <FeatureLink name={featureName} />
            </span>
          ))}
          .
        </p>
      ) : null}
      {unknown ? <p className="quiet">{unknown}</p> : null}
      {then.partial ? (
        <p className="quiet">Only the last 5,000 events before this time were replayed.</p>
      ) : null}
    </>
  );
};

/** The feature in each environment at the timestamp. */
export const PastEnvironments = ({ then: { environments } }: { then: FeatureThen }) => (
  <ul className="cards">
    {environments.map(({ environmentName, state, inProject, strategies, variants, unknown }) => (
      <li className="card" key={environmentName}>
        <header>
          <h4>{environmentName}</h4>
          <EnabledState state={state} />
        </header>
        {inProject === false ? (
          <p className="quiet">The project did not have this environment.</p>
        ) : null}
        {strategies === null ? null : <StrategyList strategies={strategies} />}
        {variants === null ? null : <VariantList variants={variants} />}
        {unknown.length === 0 ? null : <p className="quiet">{unknownInEnvironment(unknown)}</p>}
      </li>
    ))}
  </ul>
);
