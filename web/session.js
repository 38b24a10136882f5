import { whoAmI } from './who-am-i.js';

/** @import { Verdict } from './who-am-i.js' */

const KEY = 'flaggraph:token';

/**
 * The token of this tab and whose it is. It is kept for as long as the tab is open, and nowhere else.
 * @param {{ endpoint: string, demoToken: string | null }} settings
 * @param {typeof globalThis.fetch} fetch
 */
export const createSession = ({ endpoint, demoToken }, fetch) => {
  let token = sessionStorage.getItem(KEY) ?? demoToken ?? '';
  /** @type {Verdict} */
  let verdict = { state: 'none' };
  let round = 0;
  /** @type {((verdict: Verdict) => void)[]} */
  const listeners = [];

  const check = async () => {
    round += 1;
    const mine = round;
    const found = await whoAmI(fetch, endpoint, token);
    if (mine !== round) return;
    verdict = found;
    for (const listener of [...listeners]) listener(verdict);
  };

  return {
    token: () => token,
    verdict: () => verdict,
    check,
    /** @param {string} given */
    use: (given) => {
      token = given.trim();
      sessionStorage.setItem(KEY, token);
      return check();
    },
    /** @param {(verdict: Verdict) => void} listener */
    onVerdict: (listener) => {
      listeners.push(listener);
    },
    /** @returns {Promise<void>} */
    nextVerdict: () =>
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
