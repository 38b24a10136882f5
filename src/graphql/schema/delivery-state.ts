import { builder } from '../builder.js';

/** Recorded names, which are case-sensitive. */
const STATES = {
  success: 'SUCCESS',
  successWithErrors: 'SUCCESS_WITH_ERRORS',
  failed: 'FAILED',
} as const;

export const DeliveryState = builder.enumType('DeliveryState', {
  description: 'Outcome of a delivery. Outcomes newer than this gateway are OTHER.',
  values: {
    SUCCESS: { description: 'Delivered. Recorded as `success`.' },
    SUCCESS_WITH_ERRORS: {
      description: 'Delivered in part. Recorded as `successWithErrors`.',
    },
    FAILED: { description: 'Not delivered. Recorded as `failed`.' },
    OTHER: { description: 'An outcome newer than this gateway.' },
  } as const,
});

export const toDeliveryState = (name: string): typeof DeliveryState.$inferType =>
  Object.hasOwn(STATES, name) ? STATES[name as keyof typeof STATES] : 'OTHER';
