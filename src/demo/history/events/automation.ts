import type { EventLine } from '../event-draft.js';
import { createUpdateDelete } from './create-update-delete.js';

const PAYMENTS = { project: 'payments' };
const GIFT_CARDS = {
  project: 'web-shop',
  environment: 'staging',
  featureName: 'checkout-gift-cards',
} as const;
const PLAN = { id: 'plan-1', name: 'Very careful' };
const TEMPLATE = { id: 'tpl-1', name: 'Careful' };

/** Events of signals, actions and release plans, and of an export and an import. */
export const AUTOMATION_EVENTS: readonly EventLine[] = [
  ...createUpdateDelete(
    'signal-endpoint',
    'serviceAccount',
    [-36, -35, -23],
    { id: 1, name: 'alerts' },
    { name: 'alarms' },
  ),
  ...createUpdateDelete(
    'signal-endpoint-token',
    'serviceAccount',
    [-35, -34, -24],
    { id: 1, name: 'pager', signalEndpointId: 1 },
    { name: 'pager-2' },
  ),
  ...createUpdateDelete(
    'actions',
    'serviceAccount',
    [-34, -33, -25],
    { id: 1, name: 'Off when errors rise' },
    { name: 'Off when errors soar' },
    PAYMENTS,
  ),
  ...createUpdateDelete('release-plan-template', 'customRoot', [-32, -31, -26], TEMPLATE, {
    name: PLAN.name,
  }),
  [
    -27,
    755,
    'release-plan-template-archived',
    'customRoot',
    { data: { ...TEMPLATE, name: PLAN.name } },
  ],
  [-30, 752, 'release-plan-added', 'owner', { ...GIFT_CARDS, data: PLAN }],
  [
    -29,
    753,
    'release-plan-milestone-started',
    'owner',
    {
      ...GIFT_CARDS,
      data: { ...PLAN, milestoneName: 'Ourselves' },
    },
  ],
  [-28, 754, 'release-plan-removed', 'owner', { ...GIFT_CARDS, preData: PLAN }],
  [
    -41,
    757,
    'features-exported',
    'editor',
    {
      data: { features: ['welcome-tour', 'feedback-widget'], environment: 'development' },
    },
  ],
  [
    -40,
    758,
    'features-imported',
    'editor',
    {
      project: 'default',
      environment: 'development',
      data: { project: 'default', environment: 'development', features: [] },
    },
  ],
];
