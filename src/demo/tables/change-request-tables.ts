import type { Clock } from '../clock.js';
import { CHANGE_REQUESTS, type Ending, PLACE } from '../history/change-requests.js';
import { type Author, authorOf } from '../people.js';
import type { Table } from './table.js';

/** The state that the events of a change request lead to. A schedule that failed or is suspended stays open. */
const STATES: Readonly<Record<Ending, string>> = {
  applied: 'Applied',
  edited: 'Applied',
  scheduled: 'Applied',
  failed: 'Scheduled',
  suspended: 'Scheduled',
  rejected: 'Rejected',
  cancelled: 'Cancelled',
  discarded: 'Cancelled',
};

const APPROVERS: readonly Author[] = ['approver', 'rootAdmin'];
const isApproved = (ending: Ending) => !['rejected', 'cancelled', 'discarded'].includes(ending);
const userOf = (author: Author) => authorOf(author).createdByUserId;

const requests = CHANGE_REQUESTS.map(([day, feature, ending], index) => ({
  id: index + 1,
  day,
  feature,
  ending,
}));

export const changeRequestTables = (clock: Clock): Table[] => [
  {
    name: 'change_requests',
    rows: requests.map(({ id, day, feature, ending }) => ({
      id,
      ...PLACE,
      state: STATES[ending],
      created_by: userOf('owner'),
      created_at: clock.at(day, 970),
      min_approvals: APPROVERS.length,
      title: `Change ${feature}`,
    })),
  },
  {
    name: 'change_request_events',
    rows: requests.map(({ id, day, feature }) => ({
      id,
      feature,
      action: 'updateStrategy',
      payload: {},
      created_by: userOf('owner'),
      created_at: clock.at(day, 972),
      change_request_id: id,
    })),
  },
  {
    name: 'change_request_approvals',
    rows: requests
      .filter(({ ending }) => isApproved(ending))
      .flatMap(({ id, day }) => APPROVERS.map((approver) => ({ id, day, approver })))
      .map(({ id, day, approver }, index) => ({
        id: index + 1,
        change_request_id: id,
        created_by: userOf(approver),
        created_at: clock.at(day, 985),
      })),
  },
];
