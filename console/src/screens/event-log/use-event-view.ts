import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { type EventView, readView, writeView } from './event-view.js';

/** The view in the URL, so that a link shows the same events. */
export const useEventView = () => {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const view = useMemo(() => readView(search), [search]);
  const change = useCallback(
    (changes: Partial<EventView>) => {
      const query = writeView({ ...view, ...changes });
      // Opening the details or choosing days is a step back; typing in a filter, or showing the next event, is not.
      const showsNext = changes.event !== undefined && changes.event !== '' && view.event !== '';
      const isStep = !showsNext && ['event', 'from', 'to'].some((key) => key in changes);
      navigate(query === '' ? path : `${path}?${query}`, { replace: !isStep });
    },
    [view, path, navigate],
  );
  return { view, change };
};
