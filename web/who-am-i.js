/**
 * @typedef {{ permission: string, project: string | null, environment: string | null }} Grant
 * @typedef {{ kind: string, name: string | null, author: string, isAdmin: boolean, seesAllEvents: boolean, grants: Grant[] }} Viewer
 * @typedef {{ state: 'none' | 'malformed' | 'refused' | 'down' }
 *   | { state: 'forbidden' | 'trouble', message: string }
 *   | { state: 'known', viewer: Viewer }} Verdict
 */

const QUERY =
  'query WhoAmI { viewer { kind name author isAdmin seesAllEvents grants { permission project environment } } }';

/** @param {string} token */
const isSendable = (token) => {
  try {
    new Headers({ authorization: token });
    return true;
  } catch {
    return false;
  }
};

/**
 * Asks the gateway whose a token is.
 * @param {typeof globalThis.fetch} fetch
 * @param {string} endpoint
 * @param {string} token
 * @returns {Promise<Verdict>}
 */
export const whoAmI = async (fetch, endpoint, token) => {
  if (token === '') return { state: 'none' };
  if (!isSendable(token)) return { state: 'malformed' };
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: token },
      body: JSON.stringify({ query: QUERY }),
    });
    const body = await response.json().catch(() => null);
    const viewer = body?.data?.viewer;
    if (viewer) return { state: 'known', viewer };
    if (response.status === 401) return { state: 'refused' };
    const message = body?.errors?.[0]?.message ?? `The gateway answered ${response.status}.`;
    return { state: response.status === 403 ? 'forbidden' : 'trouble', message };
  } catch {
    return { state: 'down' };
  }
};
