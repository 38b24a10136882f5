import type { CleanUpQuery } from '../generated/graphql.js';

type Candidates = NonNullable<CleanUpQuery['project']>['health']['cleanUp']['nodes'];

export const ProjectForm = ({ onAsk }: { onAsk: (project: string) => void }) => (
  <form action={(form) => onAsk(String(form.get('project')).trim())}>
    <label>
      Project
      <input name="project" required defaultValue="web-shop" />
    </label>
    <button type="submit">Show</button>
  </form>
);

export const CleanUpList = ({ candidates }: { candidates: Candidates }) => (
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
