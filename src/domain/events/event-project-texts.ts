import { changesText, changeText } from './event-changes.js';
import { escapeMarkdown } from './event-markdown.js';
import { field, firstText, firstValue, idsText } from './event-payload.js';
import { actionOn, authorAction, type EventTexts, updated } from './event-phrases.js';
import { type EventTextParts, named } from './event-text-parts.js';

const USER_KEYS = ['name', 'username', 'email', 'userId', 'user', 'id'];
const GROUP_KEYS = ['groupName', 'name', 'groupId', 'group', 'id'];
const ROLE_KEYS = ['roleName', 'role', 'roleId'];

const user = (event: EventTextParts): string => named('user', event.now(...USER_KEYS));
const group = (event: EventTextParts): string => named('group', event.now(...GROUP_KEYS));

// Older events record the project only in the payload.
const project = (event: EventTextParts): string =>
  event.inProject === ''
    ? event.projectCalled(firstValue([event.data, event.preData], ['project', 'id', 'name']))
    : event.project;

const goneProject = (event: EventTextParts): string =>
  event.goneProject === 'a project'
    ? named('project', event.was('project', 'id', 'name'))
    : event.goneProject;

const environment = (event: EventTextParts): string =>
  event.environment || named('environment', event.now('environment', 'name'));

const asRole = (event: EventTextParts): string => {
  const role = event.now(...ROLE_KEYS);
  return role === '' ? '' : ` as ${role}`;
};

const roleChange = (event: EventTextParts): string => {
  const before = escapeMarkdown(firstText([event.preData], ROLE_KEYS));
  const after = escapeMarkdown(firstText([event.data], ROLE_KEYS));
  return `${before === '' ? '' : ` from ${before}`}${after === '' ? '' : ` to ${after}`}`;
};

const rolesChange = ({ data, preData }: EventTextParts): string => {
  const roles = changeText('roles', field(preData, 'roles'), field(data, 'roles'), {
    words: idsText,
    keys: ['name', 'id'],
  });
  return escapeMarkdown(changesText([roles]));
};

const granted = ({ data }: EventTextParts): string => {
  const list = (kind: string, key: string): string => {
    const ids = escapeMarkdown(idsText(field(data, key)));
    return ids === '' ? '' : `${kind} ${ids}`;
  };
  const grantees = [list('users', 'users'), list('groups', 'groups')].filter(Boolean);
  const roles = list('roles', 'roles');
  return `${grantees.join(' and ') || 'new members'}${roles === '' ? '' : ` with ${roles}`}`;
};

export const PROJECT_TEXTS = {
  'project-created': {
    label: 'Project created',
    text: (event) => `${event.who} created ${project(event)}`,
  },
  'project-updated': {
    label: 'Project updated',
    text: (event) => `${event.who} updated ${project(event)}`,
  },
  'project-deleted': {
    label: 'Project deleted',
    text: (event) => `${event.who} deleted ${goneProject(event)}`,
  },
  'project-archived': {
    label: 'Project archived',
    text: (event) => `${event.who} archived ${goneProject(event)}`,
  },
  'project-revived': {
    label: 'Project revived',
    text: (event) => `${event.who} revived ${project(event)}`,
  },
  'project-import': {
    label: 'Project imported',
    text: (event) => `${event.who} imported ${project(event)}`,
  },
  'drop-projects': { label: 'All projects removed', text: authorAction('removed all projects') },
  'project-favorited': {
    label: 'Project favorited',
    text: (event) => `${event.who} added ${project(event)} to the favorites`,
  },
  'project-unfavorited': {
    label: 'Project unfavorited',
    text: (event) => `${event.who} removed ${project(event)} from the favorites`,
  },
  'project-environment-added': {
    label: 'Project environment added',
    text: (event) => `${event.who} added ${environment(event)} to ${event.project}`,
  },
  'project-environment-removed': {
    label: 'Project environment removed',
    text: (event) => `${event.who} removed ${environment(event)} from ${event.project}`,
  },
  'project-access-added': {
    label: 'Project access added',
    text: (event) => `${event.who} granted access to ${event.project} to ${granted(event)}`,
  },
  'project-access-updated': {
    label: 'Project access updated',
    text: (event) => `${event.who} changed who has access to ${event.project}`,
  },
  'project-access-user-roles-updated': {
    label: 'Project roles of a user updated',
    text: (event) =>
      `${event.who} changed the roles of ${user(event)} in ${event.project}${rolesChange(event)}`,
  },
  'project-access-group-roles-updated': {
    label: 'Project roles of a group updated',
    text: (event) =>
      `${event.who} changed the roles of ${group(event)} in ${event.project}${rolesChange(event)}`,
  },
  'project-access-user-roles-deleted': {
    label: 'Project roles of a user removed',
    text: (event) => `${event.who} removed all roles of ${user(event)} in ${event.project}`,
  },
  'project-access-group-roles-deleted': {
    label: 'Project roles of a group removed',
    text: (event) => `${event.who} removed all roles of ${group(event)} in ${event.project}`,
  },
  'project-user-added': {
    label: 'User added to project',
    text: (event) => `${event.who} added ${user(event)} to ${event.project}${asRole(event)}`,
  },
  'project-user-removed': {
    label: 'User removed from project',
    text: (event) => `${event.who} removed ${user(event)} from ${event.project}`,
  },
  'project-user-role-changed': {
    label: 'Project role of a user changed',
    text: (event) =>
      `${event.who} changed the role of ${user(event)} in ${event.project}${roleChange(event)}`,
  },
  'project-group-added': {
    label: 'Group added to project',
    text: (event) => `${event.who} added ${group(event)} to ${event.project}${asRole(event)}`,
  },
  'project-group-removed': {
    label: 'Group removed from project',
    text: (event) => `${event.who} removed ${group(event)} from ${event.project}`,
  },
  'project-group-role-changed': {
    label: 'Project role of a group changed',
    text: (event) =>
      `${event.who} changed the role of ${group(event)} in ${event.project}${roleChange(event)}`,
  },
  'actions-created': { label: 'Actions created', text: actionOn('created', 'action set') },
  'actions-updated': { label: 'Actions updated', text: updated('action set') },
  'actions-deleted': { label: 'Actions deleted', text: actionOn('deleted', 'action set') },
} satisfies EventTexts;
