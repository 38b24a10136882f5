import { useCallback, useEffect, useRef } from 'react';

/** A function that calls `run` at most once per interval, after it. */
export const useThrottled = (run: () => void, milliseconds: number): (() => void) => {
  const current = useRef(run);
  current.current = run;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      current.current();
    }, milliseconds);
  }, [milliseconds]);
};
