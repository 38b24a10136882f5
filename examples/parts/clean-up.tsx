import type { CleanUpQuery } from '../generated/graphql.js';

type Candidates = NonNullable<CleanUpQuery['project']>['health']['cleanUp']['nodes'];

export const ProjectForm = ({ onSubmit }: { onSubmit: (project: string) => void }) => (
  <form action={(form) => onSubmit(String(form.get('project')).trim())}>
    <label>
      Project
      <input name="project" required defaultValue="web-shop" />
    </label>
    <button type="submit">Show</button>
  </form>
);

const CleanUpList = ({ candidates }: { candidates: Candidates }) => (
  <ol aria-label="What to remove first">
    {candidates.map(({ feature, reasons }) => (
      <li key={feature.name}>
        <strong>{feature.name}</strong> ({feature.type})
        <ul>
          {reasons.map(({ kind, explanation }) => (
            <li key={kind}>{explanation}</li>
          ))}
        </ul>
      </li>
    ))}
  </ol>
);

/** What to clean up in a project. Undefined until it is requested. */
export const CleanUpReport = ({ answer }: { answer: CleanUpQuery | undefined }) => {
  if (!answer) return null;
  const health = answer.project?.health;
  if (!health) return <p>There is no such project.</p>;
  return (
    <>
      <p>
        {health.cleanUp.totalCount} to look at; health {health.score}.
      </p>
      <CleanUpList candidates={health.cleanUp.nodes} />
    </>
  );
};
