import type { EventTexts } from './event-phrases.js';

export const CHANGE_REQUEST_TEXTS = {
  'change-request-created': {
    label: 'Change request created',
    text: (event) => `${event.who} created ${event.changeRequest}`,
  },
  'change-request-discarded': {
    label: 'Change request discarded',
    text: (event) => `${event.who} discarded ${event.changeRequest}`,
  },
  'change-added': {
    label: 'Change added',
    text: (event) => `${event.who} added a change to ${event.changeRequest}`,
  },
  'change-discarded': {
    label: 'Change discarded',
    text: (event) => `${event.who} removed a change from ${event.changeRequest}`,
  },
  'change-edited': {
    label: 'Change edited',
    text: (event) => `${event.who} edited a change of ${event.changeRequest}`,
  },
  'change-request-rejected': {
    label: 'Change request rejected',
    text: (event) => `${event.who} rejected ${event.changeRequest}`,
  },
  'change-request-approved': {
    label: 'Change request approved',
    text: (event) => `${event.who} approved ${event.changeRequest}`,
  },
  'change-request-approval-added': {
    label: 'Change request approval added',
    text: (event) => `${event.who} added an approval to ${event.changeRequest}`,
  },
  'change-request-cancelled': {
    label: 'Change request cancelled',
    text: (event) => `${event.who} cancelled ${event.changeRequest}`,
  },
  'change-request-sent-to-review': {
    label: 'Change request sent to review',
    text: (event) => `${event.who} requested a review of ${event.changeRequest}`,
  },
  'change-request-applied': {
    label: 'Change request applied',
    text: (event) => `${event.who} applied ${event.changeRequest}`,
  },
  'change-request-scheduled': {
    label: 'Change request scheduled',
    text: (event) => {
      const date = event.now('scheduledDate');
      return `${event.who} scheduled ${event.changeRequest}${date === '' ? '' : `, due at ${date}`}`;
    },
  },
  'change-request-schedule-suspended': {
    label: 'Change request schedule suspended',
    text: (event) => {
      const reason = event.now('reason');
      return `The schedule of ${event.changeRequest} was suspended${reason === '' ? '' : `: ${reason}`}`;
    },
  },
  'change-request-scheduled-application-success': {
    label: 'Scheduled change request applied',
    text: (event) => `${event.who} successfully applied scheduled ${event.changeRequest}`,
  },
  'change-request-scheduled-application-failure': {
    label: 'Scheduled change request failed',
    text: (event) => `${event.who} failed to apply scheduled ${event.changeRequest}`,
  },
  'change-request-configuration-updated': {
    label: 'Change request settings updated',
    text: (event) => `${event.who} changed the rules for change requests${event.place}`,
  },
} satisfies EventTexts;
