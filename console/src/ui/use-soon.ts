import { useCallback, useEffect, useRef } from 'react';

/** A function that runs `run` once after a while, however often it is called until then. */
export const useSoon = (run: () => void, milliseconds: number): (() => void) => {
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
