import { useEffect, useSyncExternalStore } from 'react';

let current = '';
const listeners = new Set<() => void>();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Names the page in the tab, in the history of the browser, and to screen readers. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    current = title;
    document.title = `${title} · flaggraph`;
    for (const listener of listeners) listener();
  }, [title]);
};

/** Browsers do not announce pages that were not loaded as documents. */
export const usePageTitle = (): string => useSyncExternalStore(subscribe, () => current);
