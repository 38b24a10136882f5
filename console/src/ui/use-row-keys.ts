import { type RefObject, useRef } from 'react';
import { useShortcuts } from './use-shortcuts.js';

/** `j` and `k` move the focus to the link of the next or previous row. */
export const useRowKeys = <Container extends HTMLElement>(): RefObject<Container | null> => {
  const container = useRef<Container>(null);
  const step = (by: number) => {
    const links = [
      ...(container.current?.querySelectorAll<HTMLElement>('tbody th[scope=row] a') ?? []),
    ];
    const current = links.indexOf(document.activeElement as HTMLElement);
    links[Math.min(Math.max(current + by, 0), links.length - 1)]?.focus();
  };
  useShortcuts({ j: () => step(1), k: () => step(-1) });
  return container;
};
