import { listText } from '../../ui/list-text.js';
import { Time } from '../../ui/time.js';
import type { ShownFeature } from './feature-header.js';
import { FeatureLink } from './feature-link.js';

const Dependencies = ({ dependencies, children }: ShownFeature) => (
  <section className="panel" aria-labelledby="dependencies-title">
    <h2 id="dependencies-title">Dependencies</h2>
    {dependencies.length === 0 && children.length === 0 ? (
      <p className="quiet">It depends on no other feature, and none depends on it.</p>
    ) : (
      <ul className="plain">
        {dependencies.map(({ featureName, enabled, variantNames }) => (
          <li key={featureName}>
            Requires <FeatureLink name={featureName} /> to be {enabled ? 'on' : 'off'}
            {variantNames.length === 0 ? '' : `, with variant ${listText(variantNames)}`}.
          </li>
        ))}
        {children.map(({ name }) => (
          <li key={name}>
            <FeatureLink name={name} /> depends on it.
          </li>
        ))}
      </ul>
    )}
  </section>
);

const ChangeRequests = ({ changeRequests }: ShownFeature) => {
  if (changeRequests !== null && changeRequests.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="requests-title">
      <h2 id="requests-title">Open change requests</h2>
      {changeRequests === null ? (
        <p className="quiet">The gateway may not read change requests in this database.</p>
      ) : (
        <ul className="plain">
          {changeRequests.map((request) => (
            <li key={request.id}>
              <strong>{request.title ?? `Change request ${request.id}`}</strong>{' '}
              <span className="chip">{request.stateName}</span>
              <p className="quiet">
                {request.environmentName === null ? '' : `In ${request.environmentName}. `}
                {request.approvalCount} of {request.requiredApprovalCount} approvals.
                {request.createdByUser ? ` By ${request.createdByUser.name}` : ''}
                {request.createdAt === null ? null : (
                  <>
                    {' '}
                    <Time value={request.createdAt} isRelative />
                  </>
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};

/** Features and change requests that belong to this one. */
export const Relations = ({ feature }: { feature: ShownFeature }) => (
  <>
    <Dependencies {...feature} />
    <ChangeRequests {...feature} />
  </>
);
