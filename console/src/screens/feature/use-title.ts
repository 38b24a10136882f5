import { useEffect } from 'react';

/** Names the page in the tab and in the history of the browser. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    const before = document.title;
    document.title = `${title} · flaggraph`;
    return () => {
      document.title = before;
    };
  }, [title]);
};
