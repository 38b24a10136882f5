/** @import { Grant, Identity, Viewer } from './who-am-i.js' */

/** @type {Readonly<Record<string, string>>} */
const KINDS = {
  ADMIN_TOKEN: 'an admin token',
  USER: 'a user',
  SERVICE_ACCOUNT: 'a service account',
};

// READ_PROJECT_API_TOKEN, RELEASE_PLAN_TEMPLATE_VIEW_OVERVIEW
const READS = /^READ_|_VIEW(_|$)/;

/** @param {Viewer} viewer */
const describePermissions = ({ isAdmin, grants }) => {
  if (isAdmin) return 'You can do everything.';
  const changes = grants.filter(({ permission }) => !READS.test(permission)).length;
  const permissionCount = changes === 1 ? 'one permission' : `${changes} permissions`;
  const reach =
    changes === 0
      ? 'You can read the projects visible to you, but you cannot change anything.'
      : `You can read the projects visible to you, and have ${permissionCount} to make changes.`;
  return `${reach} Integrations need an admin token.`;
};

/**
 * The message for an identity, and what to do next.
 * @param {Identity} identity
 * @param {{ openIntrospection: boolean, hasSessions: boolean }} settings
 * @returns {{ tone: 'good' | 'quiet' | 'bad', text: string, needsToken: boolean }}
 */
export const identityMessage = (identity, { openIntrospection, hasSessions }) => {
  switch (identity.state) {
    case 'known': {
      const { name, authorName, kind } = identity.viewer;
      const who = identity.bySession
        ? `Signed in to Unleash as ${name ?? authorName}.`
        : `You are ${name ?? authorName}, ${KINDS[kind] ?? 'a caller'}.`;
      return {
        tone: 'good',
        text: `${who} ${describePermissions(identity.viewer)}`,
        needsToken: false,
      };
    }
    case 'none':
      if (hasSessions) {
        return {
          tone: 'quiet',
          text: 'Not signed in to Unleash. Sign in there and reload this page, or paste a token and press Use.',
          needsToken: true,
        };
      }
      return {
        tone: 'quiet',
        text: openIntrospection
          ? 'No token yet: the graph can be explored, but no query runs. Paste a token and press Use.'
          : 'No token yet. Paste one and press Use; then the graph can be explored and queries run.',
        needsToken: true,
      };
    case 'malformed':
      return {
        tone: 'bad',
        text: 'This is not a token: it contains characters that headers do not allow. Copy it again.',
        needsToken: true,
      };
    case 'refused':
      return {
        tone: 'bad',
        text: 'This token is unknown, has expired or belongs to a deleted user. Paste another one.',
        needsToken: true,
      };
    case 'forbidden':
      return {
        tone: 'bad',
        text: `${identity.message} Paste an admin token or a personal token.`,
        needsToken: true,
      };
    case 'down':
      return {
        tone: 'bad',
        text: 'The gateway does not respond. Check that it is running (npm start), then press Use to retry.',
        needsToken: false,
      };
    case 'trouble':
      return {
        tone: 'bad',
        text: `${identity.message} Press Use to retry.`,
        needsToken: false,
      };
  }
};

/** @param {string | null} name */
const isEverywhere = (name) => name === null || name === '*';

/**
 * `mobile (development, production), web-shop`
 * @param {Grant[]} grants
 */
const placesOf = (grants) => {
  /** @type {Map<string, string[]>} */
  const environments = new Map();
  for (const { projectId, environmentName } of grants) {
    const place = projectId === null || isEverywhere(projectId) ? 'every project' : projectId;
    const known = environments.get(place) ?? [];
    if (environmentName !== null && !isEverywhere(environmentName)) known.push(environmentName);
    environments.set(place, known);
  }
  return [...environments]
    .map(([place, names]) => (names.length === 0 ? place : `${place} (${names.join(', ')})`))
    .join(', ');
};

/**
 * Permissions and where they apply: one line per set of permissions held together.
 * @param {Viewer} viewer
 * @returns {string[]}
 */
export const grantLines = ({ isAdmin, seesAllEvents, grants }) => {
  const visibleGrants = isAdmin ? [] : grants;
  /** @param {Grant} grant */
  const keyOf = ({ projectId, environmentName }) => JSON.stringify([projectId, environmentName]);
  /** @type {Map<string, Grant[]>} */
  const atPlace = new Map();
  for (const grant of visibleGrants) {
    atPlace.set(keyOf(grant), [...(atPlace.get(keyOf(grant)) ?? []), grant]);
  }
  /** @type {Map<string, Grant[]>} */
  const together = new Map();
  for (const group of atPlace.values()) {
    const names = [...new Set(group.map(({ permission }) => permission))].sort().join(', ');
    together.set(names, [...(together.get(names) ?? []), ...group.slice(0, 1)]);
  }
  return [
    ...[...together].map(([names, places]) => `in ${placesOf(places)}: ${names}`),
    ...(seesAllEvents ? [] : ['events that belong to no project are not shown to you']),
  ];
};
