import { type RefObject, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

/** Moves the focus to the start of a new screen, where keyboards and screen readers continue. */
export const useFocusOnNavigation = (): RefObject<HTMLElement | null> => {
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    main.current?.focus({ preventScroll: true });
    main.current?.scrollTo(0, 0);
  }, [path]);
  return main;
};
