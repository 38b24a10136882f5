import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';

/** Filters and order of a screen, as texts. The empty text is the default. */
export type View = Readonly<Record<string, string>>;

/** The query of a URL that shows a view, with its question mark. */
export const searchOf = (view: View): string => {
  const query = new URLSearchParams(Object.entries(view).filter(([, value]) => value !== ''));
  return query.size === 0 ? '' : `?${query}`;
};

/** The view in the URL, so that a link shows the same. `empty` must be stable. */
export const useView = <Shown extends View>(empty: Shown) => {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const view = useMemo(() => {
    const parameters = new URLSearchParams(search);
    const entries = Object.keys(empty).map((key) => [key, parameters.get(key) ?? '']);
    return Object.fromEntries(entries) as Shown;
  }, [search, empty]);
  const change = useCallback(
    (changes: Partial<Shown>) =>
      navigate(`${path}${searchOf({ ...view, ...changes })}`, { replace: true }),
    [view, path, navigate],
  );
  return { view, change };
};
