import { useEffect, useState } from 'react';
import { useLocation, useSearch } from 'wouter';

/** The years that the graph accepts. */
const [FIRST_TIME, LAST_TIME] = [Date.parse('0001-01-01'), Date.parse('9999-12-31')];

const timeIn = (search: string): number | null => {
  const time = Date.parse(new URLSearchParams(search).get('at') ?? '');
  return time >= FIRST_TIME && time <= LAST_TIME ? time : null;
};

/** Browsers limit how often the URL may change. */
const SETTLED_MS = 300;

/** The timestamp of time travel: null for now. A link with it shows the same state. */
export const useTimeTravel = (now: number) => {
  const search = useSearch();
  const [path, navigate] = useLocation();
  /** Not in the URL yet; undefined for none. */
  const [chosen, travelTo] = useState<number | null>();
  useEffect(() => {
    if (chosen === undefined) return;
    const timer = setTimeout(() => {
      const query = chosen === null ? '' : `?at=${new Date(chosen).toISOString()}`;
      navigate(`${path}${query}`, { replace: true });
      travelTo(undefined);
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [chosen, path, navigate]);

  const time = chosen === undefined ? timeIn(search) : chosen;
  return { time: time !== null && time >= now ? null : time, travelTo };
};
