import { actionOn, authorAction, type EventTexts, updated } from './event-phrases.js';
import { named } from './event-text-parts.js';

const PERSON_KEYS = ['name', 'username', 'email', 'id'];
// Tokens are identified by name, because secrets must not appear in summaries.
const TOKEN_KEYS = ['tokenName', 'username'];

export const PEOPLE_TEXTS = {
  'user-created': { label: 'User created', text: actionOn('created', 'user', PERSON_KEYS) },
  'user-updated': { label: 'User updated', text: updated('user', PERSON_KEYS) },
  'user-deleted': { label: 'User deleted', text: actionOn('deleted', 'user', PERSON_KEYS) },
  'user-preference-updated': {
    label: 'User preference updated',
    text: (event) => {
      const subscription = event.now('subscription');
      const action = event.now('action');
      const topic = subscription === '' ? '' : ` about ${subscription}`;
      return `${event.who} changed a preference${topic}${action === '' ? '' : `: ${action}`}`;
    },
  },
  'service-account-created': {
    label: 'Service account created',
    text: actionOn('created', 'service account', PERSON_KEYS),
  },
  'service-account-updated': {
    label: 'Service account updated',
    text: updated('service account', PERSON_KEYS),
  },
  'service-account-deleted': {
    label: 'Service account deleted',
    text: actionOn('deleted', 'service account', PERSON_KEYS),
  },
  'role-created': { label: 'Role created', text: actionOn('created', 'role') },
  'role-updated': { label: 'Role updated', text: updated('role') },
  'role-deleted': { label: 'Role deleted', text: actionOn('deleted', 'role') },
  'group-created': { label: 'Group created', text: actionOn('created', 'group') },
  'group-updated': { label: 'Group updated', text: updated('group') },
  'group-deleted': { label: 'Group deleted', text: actionOn('deleted', 'group') },
  'group-user-added': {
    label: 'User added to group',
    text: (event) => {
      const user = named('user', event.now('username', 'email', 'userId', 'user'));
      return `${event.who} added ${user} to ${named('group', event.now('groupName', 'name', 'groupId'))}`;
    },
  },
  'group-user-removed': {
    label: 'User removed from group',
    text: (event) => {
      const user = named('user', event.was('username', 'email', 'userId', 'user'));
      return `${event.who} removed ${user} from ${named('group', event.was('groupName', 'name', 'groupId'))}`;
    },
  },
  'api-token-created': {
    label: 'API token created',
    text: actionOn('created', 'API token', TOKEN_KEYS),
  },
  'api-token-updated': { label: 'API token updated', text: updated('API token', TOKEN_KEYS) },
  'api-token-deleted': {
    label: 'API token deleted',
    text: actionOn('deleted', 'API token', TOKEN_KEYS),
  },
  'pat-created': {
    label: 'Personal token created',
    text: actionOn('created', 'personal token', ['description', 'id']),
  },
  'pat-deleted': {
    label: 'Personal token deleted',
    text: actionOn('deleted', 'personal token', ['description', 'id']),
  },
  'public-signup-token-created': {
    label: 'Public sign-up link created',
    text: actionOn('created', 'public sign-up link', ['name']),
  },
  'public-signup-token-updated': {
    label: 'Public sign-up link updated',
    text: updated('public sign-up link', ['name']),
  },
  'public-signup-token-user-added': {
    label: 'User signed up',
    text: (event) => {
      const user = named('user', event.now('username', 'email', 'userId'));
      return `${event.who} added ${user} through a public sign-up link`;
    },
  },
  'scim-users-deleted': {
    label: 'SCIM users deleted',
    text: authorAction('deleted all users provisioned through SCIM'),
  },
  'scim-groups-deleted': {
    label: 'SCIM groups deleted',
    text: authorAction('deleted all groups provisioned through SCIM'),
  },
} satisfies EventTexts;
