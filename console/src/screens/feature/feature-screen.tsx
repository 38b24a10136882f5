import { useMemo } from 'react';
import { Link, useParams } from 'wouter';
import { useDocument } from '../../api/use-document.js';
import { FeatureScreenDocument } from '../../generated/documents.js';
import '../../styles/feature.css';
import { Loading } from '../../ui/loading.js';
import { Missing } from '../../ui/not-found.js';
import { ProblemNotice } from '../../ui/problem-notice.js';
import { ShowQuery } from '../../ui/show-query.js';
import { useTitle } from '../../ui/use-title.js';
import { CloneButton } from '../clone/clone-button.js';
import { CleanUpReasons } from './clean-up-reasons.js';
import { EnvironmentCard } from './environment-card.js';
import { FeatureHeader } from './feature-header.js';
import { History } from './history.js';
import { NewestEvents } from './newest-events.js';
import { Relations } from './relations.js';

const UnknownFeature = ({ name }: { name: string }) => (
  <Missing title="Feature not found">
    <p>There is no feature “{name}”, or it is not visible to you.</p>
    <p>
      If it was deleted, its{' '}
      <Link href={`/?feature=${encodeURIComponent(name)}`}>
        events may still be in the event log
      </Link>
      .
    </p>
    <p>
      <Link href="/">Back to all events</Link>
    </p>
  </Missing>
);

/** One feature: as it is, as it was, and what to do with it. */
const FeatureScreen = () => {
  const { name = '' } = useParams<{ name: string }>();
  useTitle(name);
  const variables = useMemo(() => ({ name }), [name]);
  const { data, problem, reload } = useDocument(FeatureScreenDocument, variables);
  if (problem) return <ProblemNotice problem={problem} onRetry={reload} />;
  // Data of the feature before this one stays until the next is loaded.
  const feature = data?.feature;
  if (data && feature === null) return <UnknownFeature name={name} />;
  if (!feature || feature.name !== name) return <Loading what={`feature ${name}`} rows={8} />;
  return (
    <article className="feature" aria-labelledby="feature-title">
      <FeatureHeader feature={feature}>
        <ShowQuery document={FeatureScreenDocument} variables={variables} />
        <CloneButton feature={feature} />
      </FeatureHeader>
      <section className="panel" aria-labelledby="environments-title">
        <h2 id="environments-title">Environments</h2>
        {feature.environments.length === 0 ? (
          <p className="quiet">It is in no environment.</p>
        ) : (
          <ul className="cards">
            {feature.environments.map((item) => (
              <EnvironmentCard key={item.environmentName} item={item} />
            ))}
          </ul>
        )}
      </section>
      <History key={name} feature={feature} />
      <div className="feature-columns">
        <NewestEvents name={name} />
        <div>
          <CleanUpReasons reasons={feature.cleanUpReasons} />
          <Relations feature={feature} />
        </div>
      </div>
    </article>
  );
};

export default FeatureScreen;
