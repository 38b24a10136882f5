import { useEffect, useRef } from 'react';
import { useIsConnected } from './connection.js';

/** Runs when the gateway can be reached again. */
export const useOnReconnect = (run: () => void): void => {
  const isConnected = useIsConnected();
  const wasConnected = useRef(isConnected);
  const current = useRef(run);
  current.current = run;
  useEffect(() => {
    const isBack = isConnected && !wasConnected.current;
    wasConnected.current = isConnected;
    if (isBack) current.current();
  }, [isConnected]);
};
