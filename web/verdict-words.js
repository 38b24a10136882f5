/** @import { Grant, Verdict, Viewer } from './who-am-i.js' */

/** @type {Readonly<Record<string, string>>} */
const KINDS = {
  ADMIN_TOKEN: 'an admin token',
  OTHER_TOKEN: 'an API token',
  USER: 'a user',
  SERVICE_ACCOUNT: 'a service account',
};

/** @param {Viewer} viewer */
const powers = ({ isAdmin, grants }) => {
  if (isAdmin) return 'You may do everything.';
  if (grants.length === 0) return 'You may read.';
  return `You may read, and hold ${grants.length === 1 ? 'one permission' : `${grants.length} permissions`}.`;
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

/** @param {Grant} grant */
const placeOf = ({ project, environment }) => {
  const inProject = isEverywhere(project) ? 'in every project' : `in ${project}`;
  return isEverywhere(environment) ? inProject : `${inProject}, ${environment}`;
};

/**
 * One line for each place in which something is allowed.
 * @param {Viewer} viewer
 * @returns {string[]}
 */
export const grantLines = ({ isAdmin, seesAllEvents, grants }) => {
  /** @type {Map<string, string[]>} */
  const places = new Map();
  for (const grant of isAdmin ? [] : grants) {
    const place = placeOf(grant);
    places.set(place, [...(places.get(place) ?? []), grant.permission]);
  }
  return [
    ...[...places].map(([place, permissions]) => `${place}: ${permissions.sort().join(', ')}`),
    ...(seesAllEvents ? [] : ['events that belong to no project are not shown to you']),
  ];
};
