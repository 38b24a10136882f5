import type { ReactNode } from 'react';
import { ToggleButton } from 'react-aria-components';
import type { CleanUpCountsQuery, CleanUpKind } from '../../generated/documents.js';
import { REASONS } from './clean-up-view.js';

type Props = {
  counts: CleanUpCountsQuery['cleanUp']['counts'] | undefined;
  chosen: readonly CleanUpKind[];
  onChange: (chosen: CleanUpKind[]) => void;
  /** The link to the query of the counts. */
  query: ReactNode;
};

/** The reasons as buttons, each with the number of its features. */
export const ReasonFilter = ({ counts, chosen, onChange, query }: Props) => (
  <fieldset className="reasons">
    <legend className="hidden">Reasons</legend>
    {REASONS.map(({ kind, label, text }) => {
      const count = counts?.find((one) => one.kind === kind)?.count;
      return (
        <ToggleButton
          key={kind}
          className="reason"
          isSelected={chosen.includes(kind)}
          onChange={(isSelected) =>
            onChange(isSelected ? [...chosen, kind] : chosen.filter((one) => one !== kind))
          }
        >
          <span className="reason-count">
            {counts === undefined ? '\u00a0' : (count ?? 0).toLocaleString()}
          </span>
          <span className="reason-label">{label}</span>
          <span className="reason-text">{text}</span>
        </ToggleButton>
      );
    })}
    {query}
  </fieldset>
);
