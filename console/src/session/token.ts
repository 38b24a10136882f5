import { settings } from '../settings.js';

/** GraphiQL uses the same key. The token is kept while the tab is open. */
const KEY = 'flaggraph:token';

/** The role of the demo that was chosen last, for new tabs. Its tokens are no secrets. */
const DEMO_KEY = 'flaggraph:demo-role';

/** What browsers accept as the value of a header, without spaces. */
export const canBeToken = (text: string): boolean => /^[\x21-\x7e]*$/.test(text);

const isDemoToken = (text: string | null): text is string =>
  settings.demoRoles.some((role) => role.token === text);

const storedToken = (): string | null => {
  const stored = sessionStorage.getItem(KEY);
  return stored !== null && canBeToken(stored) ? stored : null;
};

const demoToken = (): string => {
  const chosen = localStorage.getItem(DEMO_KEY);
  return isDemoToken(chosen) ? chosen : (settings.demoRoles[0]?.token ?? '');
};

let token = storedToken() ?? demoToken();
// A reload keeps the role of the tab, even if another tab has chosen another one.
if (token !== '') sessionStorage.setItem(KEY, token);
const listeners = new Set<() => void>();

export const readToken = (): string => token;

export const changeToken = (newToken: string): void => {
  token = newToken.trim();
  sessionStorage.setItem(KEY, token);
  if (isDemoToken(token)) localStorage.setItem(DEMO_KEY, token);
  for (const listener of listeners) listener();
};

/** For `useSyncExternalStore`. */
export const subscribeToToken = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
