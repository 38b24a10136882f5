import type { DeliveryState } from '../../generated/documents.js';
import { stateText } from './delivery-state.js';

type Props = {
  byState: readonly { state: DeliveryState; stateName: string; count: number }[];
  state: DeliveryState | null;
  onChange: (state: DeliveryState | null) => void;
};

const ORDER: readonly DeliveryState[] = ['FAILED', 'SUCCESS_WITH_ERRORS', 'SUCCESS', 'OTHER'];

/** One button for each outcome on record, with its number of deliveries. */
export const StateFilter = ({ byState, state, onChange }: Props) => {
  const countOf = (wanted: DeliveryState) =>
    byState.reduce((sum, entry) => sum + (entry.state === wanted ? entry.count : 0), 0);
  const all = byState.reduce((sum, { count }) => sum + count, 0);
  const shown = ORDER.filter((entry) => countOf(entry) > 0 || entry === state);
  const options = [
    { value: null, text: 'All', count: all },
    ...shown.map((value) => ({ value, text: stateText(value, 'Other'), count: countOf(value) })),
  ];
  return (
    <fieldset className="state-filter">
      <legend>Outcome</legend>
      {options.map(({ value, text, count }) => (
        <button
          key={text}
          type="button"
          className="button"
          aria-pressed={state === value}
          onClick={() => onChange(value)}
        >
          {text} <span className="count">{count.toLocaleString()}</span>
        </button>
      ))}
    </fieldset>
  );
};
