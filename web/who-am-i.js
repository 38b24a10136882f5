/**
 * @typedef {{ permission: string, projectId: string | null, environmentName: string | null }} Grant
 * @typedef {{ kind: string, name: string | null, authorName: string, isAdmin: boolean, seesAllEvents: boolean, grants: Grant[] }} Viewer
 * @typedef {{ state: 'none' | 'malformed' | 'refused' | 'down' }
 *   | { state: 'forbidden' | 'trouble', message: string }
 *   | { state: 'known', viewer: Viewer, bySession: boolean }} Identity
 */

const QUERY =
  'query WhoAmI { viewer { kind name authorName isAdmin seesAllEvents grants { permission projectId environmentName } } }';

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
 * Queries the caller's identity: the owner of the token, or without one the user signed in to Unleash.
 * @param {typeof globalThis.fetch} fetch
 * @param {string} endpoint
 * @param {string} token
 * @param {{ hasSessions: boolean }} settings
 * @returns {Promise<Identity>}
 */
export const whoAmI = async (fetch, endpoint, token, { hasSessions }) => {
  const bySession = token === '';
  if (bySession && !hasSessions) return { state: 'none' };
  if (!isSendable(token)) return { state: 'malformed' };
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(!bySession && { authorization: token }),
      },
      body: JSON.stringify({ query: QUERY }),
    });
    const body = await response.json().catch(() => null);
    const viewer = body?.data?.viewer;
    if (viewer) return { state: 'known', viewer, bySession };
    if (response.status === 401) return { state: bySession ? 'none' : 'refused' };
    const message = body?.errors?.[0]?.message ?? `The gateway answered ${response.status}.`;
    return { state: response.status === 403 ? 'forbidden' : 'trouble', message };
  } catch {
    return { state: 'down' };
  }
};
