import { whoAmI } from './who-am-i.js';

const container = document.getElementById('signed-in');

/** @param {HTMLElement} element */
const show = async (element) => {
  const endpoint = element.dataset['endpoint'] ?? '';
  const identity = await whoAmI(globalThis.fetch.bind(globalThis), endpoint, '', {
    hasSessions: true,
  });
  if (identity.state === 'known') {
    const { name, authorName } = identity.viewer;
    element.textContent = `Signed in to Unleash as ${name ?? authorName}. Requests from this browser need no token.`;
    return;
  }
  element.textContent =
    identity.state === 'none'
      ? 'Not signed in to Unleash. Sign in there and reload this page, or use a token.'
      : 'Could not check whether you are signed in. Reload this page to try again.';
};

if (container) void show(container);
