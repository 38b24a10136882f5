import { useEffect, useRef } from 'react';

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

const isInDialog = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest('[role=dialog]') !== null;

/** Single keys, ignored while the reader types. A handler returns false if the key is not for it. */
export const useShortcuts = (shortcuts: Readonly<Record<string, () => unknown>>): void => {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isInDialog(event) || (isTyping(event) && event.key !== 'Escape')) return;
      const run = current.current[event.key];
      if (run && run() !== false) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
};
