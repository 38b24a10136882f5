/** @import { Grant, Verdict, Viewer } from './who-am-i.js' */

/** @type {Readonly<Record<string, string>>} */
const KINDS = {
  ADMIN_TOKEN: 'an admin token',
  OTHER_TOKEN: 'an API token',
  USER: 'a user',
  SERVICE_ACCOUNT: 'a service account',
};

// READ_PROJECT_API_TOKEN, RELEASE_PLAN_TEMPLATE_VIEW_OVERVIEW
const READS = /^READ_|_VIEW(_|$)/;

/** @param {Viewer} viewer */
const powers = ({ isAdmin, grants }) => {
  if (isAdmin) return 'You may do everything.';
  const changes = grants.filter(({ permission }) => !READS.test(permission)).length;
  const held = changes === 1 ? 'one permission' : `${changes} permissions`;
  const reach =
    changes === 0
      ? 'You may read all projects; you may not change anything.'
      : `You may read all projects, and hold ${held} to change things.`;
  return `${reach} Integrations need an admin token.`;
};

/**
 * What a verdict means to the person in front of the page, and what to do next.
 * @param {Verdict} verdict
 * @param {{ openIntrospection: boolean }} settings
 * @returns {{ tone: 'good' | 'quiet' | 'bad', text: string, needsToken: boolean }}
 */
export const verdictWords = (verdict, { openIntrospection }) => {
  switch (verdict.state) {
    case 'known': {
      const { name, author, kind } = verdict.viewer;
      const who = `You are ${name ?? author}, ${KINDS[kind] ?? 'somebody'}.`;
      return { tone: 'good', text: `${who} ${powers(verdict.viewer)}`, needsToken: false };
    }
    case 'none':
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
        text: 'This is no token: it holds characters no header can carry. Copy it again.',
        needsToken: true,
      };
    case 'refused':
      return {
        tone: 'bad',
        text: 'This token is unknown, has expired or belongs to nobody any more. Paste another one.',
        needsToken: true,
      };
    case 'forbidden':
      return {
        tone: 'bad',
        text: `${verdict.message} Paste an admin token or a personal token.`,
        needsToken: true,
      };
    case 'down':
      return {
        tone: 'bad',
        text: 'The gateway does not answer. See that it runs (npm start) and press Use to try again.',
        needsToken: false,
      };
    case 'trouble':
      return {
        tone: 'bad',
        text: `${verdict.message} Press Use to try again.`,
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
  for (const { project, environment } of grants) {
    const place = project === null || isEverywhere(project) ? 'every project' : project;
    const known = environments.get(place) ?? [];
    if (environment !== null && !isEverywhere(environment)) known.push(environment);
    environments.set(place, known);
  }
  return [...environments]
    .map(([place, names]) => (names.length === 0 ? place : `${place} (${names.join(', ')})`))
    .join(', ');
};

/**
 * What is allowed, and where: a line for each set of permissions that is held together.
 * @param {Viewer} viewer
 * @returns {string[]}
 */
export const grantLines = ({ isAdmin, seesAllEvents, grants }) => {
  const held = isAdmin ? [] : grants;
  /** @param {Grant} grant */
  const keyOf = ({ project, environment }) => JSON.stringify([project, environment]);
  /** @type {Map<string, Grant[]>} */
  const atPlace = new Map();
  for (const grant of held) {
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
