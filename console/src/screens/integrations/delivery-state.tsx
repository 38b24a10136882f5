import type { DeliveryState } from '../../generated/documents.js';

const NAMES: Record<Exclude<DeliveryState, 'OTHER'>, string> = {
  SUCCESS: 'Succeeded',
  SUCCESS_WITH_ERRORS: 'Partly failed',
  FAILED: 'Failed',
};

/** The outcome in words; outcomes newer than the gateway as they are recorded. */
export const stateText = (state: DeliveryState, stateName: string): string =>
  state === 'OTHER' ? stateName : NAMES[state];

export const DeliveryStateBadge = ({
  state,
  stateName,
}: {
  state: DeliveryState;
  stateName: string;
}) => (
  <span className="state" data-state={state}>
    {stateText(state, stateName)}
  </span>
);
