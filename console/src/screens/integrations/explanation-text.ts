import type { DeliveryObstacleCode, DeliveryState } from '../../generated/documents.js';

type Reason = { code: DeliveryObstacleCode; message: string };

/** The checks of Unleash, in words, for events that pass them. */
const PASSED: Readonly<Record<DeliveryObstacleCode, string>> = {
  DISABLED: 'The integration is enabled.',
  TYPE_NOT_SUBSCRIBED: 'It receives events of this type.',
  OTHER_PROJECT: 'It receives events of this project.',
  OTHER_ENVIRONMENT: 'It receives events of this environment.',
  CONFIGURED_LATER: 'It was configured before the event was recorded.',
  NOT_ANNOUNCED: 'Unleash has processed the event.',
};

const CODES = Object.keys(PASSED) as DeliveryObstacleCode[];

/** Every check, passed or not. */
export const checksOf = (reasons: readonly Reason[]) =>
  CODES.map((code) => {
    const reason = reasons.find((entry) => entry.code === code);
    return { code, passes: reason === undefined, text: reason?.message ?? PASSED[code] };
  });

const sentText = (state: DeliveryState): string => {
  if (state === 'SUCCESS') return 'It was sent.';
  return state === 'SUCCESS_WITH_ERRORS'
    ? 'It was sent, and failed in part.'
    : 'It was sent, and the delivery failed.';
};

/** The answer in one line. */
export const verdictOf = ({
  wouldBeSent,
  delivery,
}: {
  wouldBeSent: boolean;
  delivery: { state: DeliveryState } | null;
}): string => {
  if (delivery) {
    const sent = sentText(delivery.state);
    return wouldBeSent ? sent : `${sent} As configured now, it would not be sent.`;
  }
  return wouldBeSent
    ? 'Nothing prevents it, but no delivery is on record. Unleash deletes old records.'
    : 'It is not sent.';
};
