import type { TimelineQuery } from '../generated/graphql.js';

export type TimelineVariables = { feature: string; environment: string };

export const TimelineForm = ({
  onSubmit,
}: {
  onSubmit: (variables: TimelineVariables) => void;
}) => (
  <form
    action={(form) =>
      onSubmit({
        feature: String(form.get('feature')).trim(),
        environment: String(form.get('environment')).trim(),
      })
    }
  >
    <label>
      Feature
      <input name="feature" required defaultValue="yearly-survey" />
    </label>
    <label>
      Environment
      <input name="environment" required defaultValue="production" />
    </label>
    <button type="submit">Show</button>
  </form>
);

const shown = (time: string | null | undefined) => (time ? new Date(time).toLocaleString() : '…');

export const Timeline = ({ feature }: { feature: TimelineQuery['feature'] }) =>
  feature ? (
    <ol aria-label={`Timeline of ${feature.name}`}>
      {feature.timeline.map(({ state, from, before, startedBy }) => (
        <li key={`${from}-${before}`}>
          <strong>{state}</strong> {shown(from)} to {shown(before)}
          {startedBy && `: ${startedBy.label}, by ${startedBy.createdBy}`}
        </li>
      ))}
    </ol>
  ) : (
    <p>There is no such feature.</p>
  );
