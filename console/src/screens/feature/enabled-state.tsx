import type { EnabledState as State } from '../../generated/documents.js';

const WORDS: Record<State, string> = { ENABLED: 'On', DISABLED: 'Off', UNKNOWN: 'Unknown' };

/** On, off or unknown, as text: the colour repeats it. */
export const EnabledState = ({ state }: { state: State }) => (
  <span className="on-off" data-on={state}>
    {WORDS[state]}
  </span>
);
