import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { FeatureScreenQuery } from '../../generated/documents.js';
import { Time } from '../../ui/time.js';
import { lifecycleText } from './lifecycle-text.js';

export type ShownFeature = NonNullable<FeatureScreenQuery['feature']>;

const Created = ({ createdAt, createdByUser }: ShownFeature) => {
  if (createdAt === null) return null;
  return (
    <>
      Created <Time value={createdAt} />
      {createdByUser ? ` by ${createdByUser.name}` : ''}.{' '}
    </>
  );
};

const Lifecycle = ({ lifecycle, archived }: ShownFeature) => {
  if (lifecycle === null || (archived && lifecycle.stage === 'ARCHIVED')) return null;
  return (
    <>
      {lifecycleText(lifecycle)}
      {lifecycle.enteredStageAt === null ? null : (
        <>
          {' '}
          since <Time value={lifecycle.enteredStageAt} />
        </>
      )}
      .
    </>
  );
};

/** What the feature is, wherever it is on. */
export const FeatureHeader = ({
  feature,
  children,
}: {
  feature: ShownFeature;
  children: ReactNode;
}) => {
  const { name, type, project, projectId, stale, potentiallyStale, archived, tags } = feature;
  return (
    <header className="feature-header">
      <div className="feature-title">
        <h1 id="feature-title">{name}</h1>
        {children}
      </div>
      <p className="chips">
        {archived ? <span className="chip warn">Archived</span> : null}
        {stale ? <span className="chip warn">Stale</span> : null}
        {potentiallyStale && !stale ? <span className="chip">Potentially stale</span> : null}
        {type ? <span className="chip">{type}</span> : null}
        {projectId === null ? null : (
          <span>
            in{' '}
            <Link href={`/projects/${encodeURIComponent(projectId)}`}>
              {project?.name ?? projectId}
            </Link>
          </span>
        )}
        {feature.favorite ? <span className="chip">★ Your favorite</span> : null}
        {tags.map((tag) => (
          <span className="chip" key={`${tag.type}:${tag.value}`}>
            {tag.type}:{tag.value}
          </span>
        ))}
      </p>
      {feature.description ? <p className="feature-description">{feature.description}</p> : null}
      <p className="quiet">
        <Created {...feature} />
        {archived && feature.archivedAt !== null ? (
          <>
            Archived <Time value={feature.archivedAt} />.{' '}
          </>
        ) : null}
        <Lifecycle {...feature} />
      </p>
    </header>
  );
};
