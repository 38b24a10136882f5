import { settings } from '../settings.js';

/** GraphiQL uses the same key. The token is kept while the tab is open. */
const KEY = 'flaggraph:token';

let token = sessionStorage.getItem(KEY) ?? settings.demoRoles[0]?.token ?? '';
const listeners = new Set<() => void>();

export const readToken = (): string => token;

export const changeToken = (newToken: string): void => {
  token = newToken.trim();
  sessionStorage.setItem(KEY, token);
  for (const listener of listeners) listener();
};

/** For `useSyncExternalStore`. */
export const subscribeToToken = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
