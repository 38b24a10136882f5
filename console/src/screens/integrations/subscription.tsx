import type { IntegrationPageQuery } from '../../generated/documents.js';

type Integration = NonNullable<IntegrationPageQuery['integration']>;

const Names = ({ names, all }: { names: readonly string[]; all: string }) =>
  names.length === 0 || names[0] === '*' ? (
    <span>{all}</span>
  ) : (
    names.map((name) => (
      <span key={name} className="chip">
        {name}
      </span>
    ))
  );

/** Which events it receives. */
export const Subscription = ({ integration }: { integration: Integration }) => (
  <details className="subscription">
    <summary>Events it receives</summary>
    <dl>
      <dt>Types</dt>
      <dd>
        {integration.eventTypeNames.length === 0 ? (
          'None'
        ) : (
          <Names names={integration.eventTypeNames} all="All types" />
        )}
      </dd>
      <dt>Projects</dt>
      <dd>
        <Names names={integration.projectIds} all="All projects" />
      </dd>
      <dt>Environments</dt>
      <dd>
        <Names names={integration.environmentNames} all="All environments" />
      </dd>
    </dl>
  </details>
);
