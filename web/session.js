import { whoAmI } from './who-am-i.js';

/** @import { Identity } from './who-am-i.js' */

const KEY = 'flaggraph:token';

/** The role of the demo that was chosen last in the console, for new tabs. */
const ROLE_KEY = 'flaggraph:demo-role';

/** @param {readonly string[]} demoTokens */
const chosenRole = (demoTokens) => {
  const chosen = localStorage.getItem(ROLE_KEY);
  return chosen !== null && demoTokens.includes(chosen) ? chosen : null;
};

/**
 * The tab's token and its owner, or the user signed in to Unleash. A token is kept while the tab is open.
 * @param {{ endpoint: string, demoToken: string | null, demoTokens: readonly string[], hasSessions: boolean }} settings
 * @param {typeof globalThis.fetch} fetch
 */
export const createSession = ({ endpoint, demoToken, demoTokens, hasSessions }, fetch) => {
  let token = sessionStorage.getItem(KEY) ?? chosenRole(demoTokens) ?? demoToken ?? '';
  /** @type {Identity} */
  let identity = { state: 'none' };
  let round = 0;
  /** @type {((identity: Identity) => void)[]} */
  const listeners = [];

  const check = async () => {
    round += 1;
    const mine = round;
    const found = await whoAmI(fetch, endpoint, token, { hasSessions });
    if (mine !== round) return;
    identity = found;
    for (const listener of [...listeners]) listener(identity);
  };

  return {
    token: () => token,
    identity: () => identity,
    check,
    /** @param {string} newToken */
    use: (newToken) => {
      token = newToken.trim();
      sessionStorage.setItem(KEY, token);
      return check();
    },
    /** @param {(identity: Identity) => void} listener */
    onIdentity: (listener) => {
      listeners.push(listener);
    },
    /** @returns {Promise<void>} */
    nextIdentity: () =>
      new Promise((resolve) => {
        const once = () => {
          listeners.splice(listeners.indexOf(once), 1);
          resolve();
        };
        listeners.push(once);
      }),
  };
};

/** @typedef {ReturnType<typeof createSession>} Session */
