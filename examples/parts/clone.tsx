import type { CloneFeatureInput, CloneMutation, ClonePlanQuery } from '../generated/graphql.js';
import { Problem } from './page.js';

type Result = CloneMutation['cloneFeature'];
type Plan = ClonePlanQuery['clonePlan'];

type CloneFormProps = {
  onTry: (input: CloneFeatureInput) => Promise<unknown>;
  onClone: (input: CloneFeatureInput) => Promise<unknown>;
  isBusy: boolean;
};

const readInput = (form: FormData): CloneFeatureInput => {
  const targetProjectId = String(form.get('targetProjectId')).trim();
  return {
    featureName: String(form.get('featureName')).trim(),
    newName: String(form.get('newName')).trim(),
    ...(targetProjectId && { targetProjectId }),
    ...(form.has('tags') && { include: ['TAGS'] }),
  };
};

export const CloneForm = ({ onTry, onClone, isBusy }: CloneFormProps) => (
  <form
    onSubmit={(event) => {
      event.preventDefault();
      const { submitter } = event.nativeEvent as SubmitEvent;
      const isTry = (submitter as HTMLButtonElement | null)?.value === 'try';
      void (isTry ? onTry : onClone)(readInput(new FormData(event.currentTarget)));
    }}
  >
    <label>
      Feature
      <input name="featureName" required defaultValue="checkout-gift-cards" />
    </label>
    <label>
      Name of the copy
      <input name="newName" required />
    </label>
    <label>
      Project
      <input name="targetProjectId" placeholder="its own" />
    </label>
    <label>
      <input name="tags" type="checkbox" />
      With tags
    </label>
    <button type="submit" value="try" disabled={isBusy}>
      Try
    </button>
    <button type="submit" value="clone" disabled={isBusy}>
      Clone
    </button>
  </form>
);

const hintOf = (result: Result): string => {
  switch (result.__typename) {
    case 'NamingPatternError':
      return ` Names look like ${result.example ?? result.pattern}.`;
    case 'NameExistsError':
      return result.archived ? ' The feature of that name is archived.' : '';
    default:
      return '';
  }
};

/** Each member of the result union has its own fields, which the generated types describe. */
export const CloneResult = ({ result }: { result: Result | undefined }) => {
  if (!result) return null;
  if (result.__typename === 'CloneFeaturePayload') {
    const { name, projectId } = result.feature;
    return (
      <p role="status">
        {name} is there, in {projectId}, off everywhere.
      </p>
    );
  }
  return <Problem message={result.message + hintOf(result)} />;
};

const PlanDetails = ({ plan }: { plan: Plan }) => (
  <section role="status" aria-label="Plan of the clone">
    <p>
      {plan.wouldSucceed ? `It would work, in ${plan.targetProjectId}.` : 'It would be refused:'}
    </p>
    <ul>
      {plan.refusals.map(({ __typename, message }) => (
        <li key={message}>
          {__typename}: {message}
        </li>
      ))}
      {plan.copy?.environments.map(({ environmentName, strategies }) => (
        <li key={environmentName}>
          {environmentName}:{' '}
          {strategies.map((strategy) => strategy.name).join(', ') || 'no strategy'}
        </li>
      ))}
      {plan.notCopied.map(({ aspect, count }) => (
        <li key={aspect}>
          left behind: {count} × {aspect}
        </li>
      ))}
    </ul>
  </section>
);

export const ClonePlan = ({ plan }: { plan: Plan | undefined }) =>
  plan ? <PlanDetails plan={plan} /> : null;
