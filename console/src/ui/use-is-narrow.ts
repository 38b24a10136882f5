import { useSyncExternalStore } from 'react';

/** The width at which `base.css` changes to one column. */
const NARROW = matchMedia('(max-width: 900px)');

const subscribe = (listener: () => void): (() => void) => {
  NARROW.addEventListener('change', listener);
  return () => NARROW.removeEventListener('change', listener);
};

/** Whether the page has the width of a phone. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => NARROW.matches);
