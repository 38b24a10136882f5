import { type RefObject, useRef } from 'react';
import { useShortcuts } from './use-shortcuts.js';

const OF_TABLES = 'tbody th[scope=row] a';

/** `j` and `k` move the focus to the next or previous row: to its link, or to what `selector` finds. */
export const useRowKeys = <Container extends HTMLElement>(
  selector = OF_TABLES,
): RefObject<Container | null> => {
  const container = useRef<Container>(null);
  const step = (by: number) => {
    const links = [...(container.current?.querySelectorAll<HTMLElement>(selector) ?? [])];
    const current = links.indexOf(document.activeElement as HTMLElement);
    links[Math.min(Math.max(current + by, 0), links.length - 1)]?.focus();
  };
  useShortcuts({ j: () => step(1), k: () => step(-1) });
  return container;
};
