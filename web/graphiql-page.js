import { createAuthorizedFetch } from './authorized-fetch.js';
import { keepInView } from './keep-in-view.js';
import { createSession } from './session.js';
import { startTokenBox } from './token-box.js';

/**
 * @typedef {{
 *   endpoint: string, startPage: string, openIntrospection: boolean, demoToken: string | null,
 *   workers: Record<string, string>, tabs: { query: string, variables?: string }[],
 * }} Settings
 */

/** @type {Settings} */
const settings = JSON.parse(document.getElementById('settings')?.textContent ?? '{}');

/** @type {any} What the bundle of GraphiQL reads and leaves behind. */
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
const say = (text) => {
  const line = document.createElement('p');
  line.className = 'wait';
  line.setAttribute('role', 'alert');
  line.textContent = text;
  root?.replaceChildren(line);
};

/** Names of our own: other pages of this host may have a GraphiQL, too. */
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

/** A page of the documentation may bring a query along; behind `#`, where it is sent to nobody. */
const takeQuery = () => {
  const query = new URLSearchParams(location.hash.slice(1)).get('query');
  if (query) history.replaceState(null, '', location.pathname);
  return query;
};

const start = () => {
  if (!surroundings.YogaGraphiQL) {
    say('GraphiQL could not be loaded. See that the gateway runs, and load this page again.');
    return;
  }
  if (root) keepInView(root);
  const query = takeQuery();
  surroundings.YogaGraphiQL.renderYogaGraphiQL(root, {
    endpoint: settings.endpoint,
    defaultTabs: query ? [{ query }, ...settings.tabs] : settings.tabs,
    ...(query && { query }),
    title: 'GraphiQL',
    logo: '',
    storage,
    // A token under Headers is nobody's business but this tab's.
    shouldPersistHeaders: false,
    showPersistHeadersSettings: false,
    defaultEditorToolsVisibility: 'variables',
    // Otherwise the query would go into the address, where a reload asks for its answer instead of this page.
    onEditQuery: () => {},
  });
};

// After the bundle, which is loaded in the order of the page.
document.addEventListener('DOMContentLoaded', start);
