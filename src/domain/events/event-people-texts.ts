import { did, type EventTexts, plainly, updated } from './event-phrases.js';
import { named } from './event-reader.js';

const PERSON_KEYS = ['name', 'username', 'email', 'id'];
// Tokens are told apart by name; their secrets stay out of every sentence.
const TOKEN_KEYS = ['tokenName', 'username'];

export const PEOPLE_TEXTS = {
  'user-created': { label: 'User created', text: did('created', 'user', PERSON_KEYS) },
  'user-updated': { label: 'User updated', text: updated('user', PERSON_KEYS) },
  'user-deleted': { label: 'User deleted', text: did('deleted', 'user', PERSON_KEYS) },
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
    text: did('created', 'service account', PERSON_KEYS),
  },
  'service-account-updated': {
    label: 'Service account updated',
    text: updated('service account', PERSON_KEYS),
  },
  'service-account-deleted': {
    label: 'Service account deleted',
    text: did('deleted', 'service account', PERSON_KEYS),
  },
  'role-created': { label: 'Role created', text: did('created', 'role') },
  'role-updated': { label: 'Role updated', text: updated('role') },
  'role-deleted': { label: 'Role deleted', text: did('deleted', 'role') },
  'group-created': { label: 'Group created', text: did('created', 'group') },
  'group-updated': { label: 'Group updated', text: updated('group') },
  'group-deleted': { label: 'Group deleted', text: did('deleted', 'group') },
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
    text: did('created', 'API token', TOKEN_KEYS),
  },
  'api-token-updated': { label: 'API token updated', text: updated('API token', TOKEN_KEYS) },
  'api-token-deleted': {
    label: 'API token deleted',
    text: did('deleted', 'API token', TOKEN_KEYS),
  },
  'pat-created': {
    label: 'Personal token created',
    text: did('created', 'personal token', ['description', 'id']),
  },
  'pat-deleted': {
    label: 'Personal token deleted',
    text: did('deleted', 'personal token', ['description', 'id']),
  },
  'public-signup-token-created': {
    label: 'Public sign-up link created',
    text: did('created', 'public sign-up link', ['name']),
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
    text: plainly('deleted all users that came through SCIM'),
  },
  'scim-groups-deleted': {
    label: 'SCIM groups deleted',
    text: plainly('deleted all groups that came through SCIM'),
  },
} satisfies EventTexts;
