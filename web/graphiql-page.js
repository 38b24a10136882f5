import { createAuthorizedFetch } from './authorized-fetch.js';
import { keepInView } from './keep-in-view.js';
import { createSession } from './session.js';
import { startTokenBox } from './token-box.js';

/**
 * @typedef {{
 *   endpoint: string, startPage: string, openIntrospection: boolean, hasSessions: boolean, demoToken: string | null, demoTokens: string[],
 *   workers: Record<string, string>, tabs: { query: string, variables?: string }[],
 * }} Settings
 */

/** @type {Settings} */
const settings = JSON.parse(document.getElementById('settings')?.textContent ?? '{}');

/** @type {any} Globals that the GraphiQL bundle reads and defines. */
const surroundings = globalThis;
surroundings.MonacoEnvironment = {
  globalAPI: false,
  /** @param {string} _module @param {string} label */
  getWorkerUrl: (_module, label) => settings.workers[label],
};

const plainFetch = globalThis.fetch.bind(globalThis);
const session = createSession(settings, plainFetch);
globalThis.fetch = createAuthorizedFetch(plainFetch, session, settings);
startTokenBox(session, settings);
void session.check();

const root = document.getElementById('root');

/** @param {string} text */
const showMessage = (text) => {
  const line = document.createElement('p');
  line.className = 'wait';
  line.setAttribute('role', 'alert');
  line.textContent = text;
  root?.replaceChildren(line);
};

/** Prefixed keys: other pages of this host may have a GraphiQL, too. */
const storage = {
  prefix: `flaggraph:${settings.endpoint}:`,
  /** @param {string} key */
  getItem: (key) => localStorage.getItem(storage.prefix + key),
  /** @param {string} key @param {string} value */
  setItem: (key, value) => localStorage.setItem(storage.prefix + key, value),
  /** @param {string} key */
  removeItem: (key) => localStorage.removeItem(storage.prefix + key),
  keys: () => Object.keys(localStorage).filter((key) => key.startsWith(storage.prefix)),
  get length() {
    return storage.keys().length;
  },
  clear: () => {
    for (const key of storage.keys()) localStorage.removeItem(key);
  },
};

/**
 * The documentation and the console pass an operation in the URL fragment, which is not sent to the server.
 * @returns {{ query: string, variables?: string } | null}
 */
const takeOperation = () => {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const query = parameters.get('query');
  if (!query) return null;
  history.replaceState(null, '', location.pathname);
  const variables = parameters.get('variables');
  return variables ? { query, variables } : { query };
};

const start = () => {
  if (!surroundings.YogaGraphiQL) {
    showMessage(
      'GraphiQL could not be loaded. Check that the gateway is running, then reload the page.',
    );
    return;
  }
  if (root) keepInView(root);
  const passed = takeOperation();
  surroundings.YogaGraphiQL.renderYogaGraphiQL(root, {
    endpoint: settings.endpoint,
    defaultTabs: passed ? [passed, ...settings.tabs] : settings.tabs,
    ...passed,
    title: 'GraphiQL',
    logo: '',
    storage,
    // A token under Headers must stay in this tab.
    shouldPersistHeaders: false,
    showPersistHeadersSettings: false,
    defaultEditorToolsVisibility: 'variables',
    // Otherwise the query would go into the URL, and a reload would return its result instead of this page.
    onEditQuery: () => {},
  });
};

// Runs after the bundle, which loads in document order.
document.addEventListener('DOMContentLoaded', start);
