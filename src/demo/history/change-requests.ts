import type { Clock } from '../clock.js';
import type { Author } from '../people.js';
import type { EventDraft, EventLine } from './event-draft.js';

export const PLACE = { project: 'payments', environment: 'production' } as const;

type Steps = readonly (readonly [
  type: string,
  by: Author,
  facts?: Readonly<Record<string, string>>,
])[];

/** Placeholder for the morning two days after the request. */
const SOON = '{{soon}}';

const approved: Steps = [
  ['change-request-sent-to-review', 'owner'],
  ['change-request-approval-added', 'approver'],
  ['change-request-approval-added', 'rootAdmin'],
  ['change-request-approved', 'rootAdmin'],
];

/** Event sequences after a change request is created and its change added. */
const ENDINGS = {
  applied: [...approved, ['change-request-applied', 'approver']],
  rejected: [
    ['change-request-sent-to-review', 'owner'],
    ['change-request-rejected', 'approver', { comment: 'Not before the weekend' }],
  ],
  cancelled: [
    ['change-request-sent-to-review', 'owner'],
    ['change-request-cancelled', 'owner'],
  ],
  discarded: [
    ['change-discarded', 'owner'],
    ['change-request-discarded', 'owner'],
  ],
  edited: [['change-edited', 'owner'], ...approved, ['change-request-applied', 'approver']],
  scheduled: [
    ...approved,
    ['change-request-scheduled', 'approver', { scheduledDate: SOON }],
    ['change-request-scheduled-application-success', 'system'],
  ],
  failed: [
    ...approved,
    ['change-request-scheduled', 'approver', { scheduledDate: SOON }],
    ['change-request-scheduled-application-failure', 'system', { reason: 'The strategy is gone' }],
  ],
  suspended: [
    ...approved,
    ['change-request-scheduled', 'approver', { scheduledDate: SOON }],
    [
      'change-request-schedule-suspended',
      'system',
      { reason: 'A strategy in it was changed meanwhile' },
    ],
  ],
} satisfies Record<string, Steps>;

export type Ending = keyof typeof ENDINGS;

export const CHANGE_REQUESTS: readonly (readonly [day: number, feature: string, ending: Ending])[] =
  [
    [-63, 'payments-wallets', 'applied'],
    [-58, 'payments-wallets', 'edited'],
    [-54, 'payments-wallets', 'rejected'],
    [-50, 'payments-3ds-frictionless', 'applied'],
    [-46, 'payments-3ds-frictionless', 'scheduled'],
    [-42, 'payments-refund-self-service', 'cancelled'],
    [-39, 'payments-3ds-frictionless', 'applied'],
    [-35, 'payments-pay-later', 'discarded'],
    [-32, 'payments-pay-later', 'applied'],
    [-28, 'payments-paper-invoice', 'suspended'],
    [-24, 'payments-pay-later', 'failed'],
    [-20, 'payments-refund-self-service', 'edited'],
    [-15, 'payments-pay-later', 'rejected'],
    [-11, 'payments-3ds-frictionless', 'applied'],
    [-6, 'payments-fraud-model-b', 'cancelled'],
    [-2, 'payments-pay-later', 'applied'],
  ];

/** All change requests of the payments project, by ID. */
export const changeRequestEvents = (clock: Clock): EventLine[] =>
  CHANGE_REQUESTS.flatMap(([day, feature, ending], index): EventLine[] => {
    const changeRequestId = index + 1;
    const group = { type: 'change-request', id: String(changeRequestId) };
    const soon = clock.at(day + 2, 360).toISOString();
    const line = (
      minute: number,
      type: string,
      by: Author,
      rest: Partial<EventDraft>,
    ): EventLine => [day, minute, type, by, { ...PLACE, group, ...rest }];

    return [
      line(970, 'change-request-created', 'owner', { data: { changeRequestId } }),
      line(972, 'change-added', 'owner', {
        featureName: feature,
        data: { changeRequestId, action: 'updateStrategy', feature },
      }),
      ...(ENDINGS[ending] as Steps).map(([type, by, fields = {}], step) => {
        const details = Object.entries(fields).map(([key, fact]) => [
          key,
          fact === SOON ? soon : fact,
        ]);
        return line(975 + step * 9, type, by, {
          // Only events of a single change name its feature.
          featureName: type.startsWith('change-request') ? null : feature,
          data: { changeRequestId, ...Object.fromEntries(details) },
        });
      }),
    ];
  });
