import { useSyncExternalStore } from 'react';
import { settings } from '../settings.js';

const CHECK_MS = 2_000;

let isConnected = true;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

const change = (connected: boolean): void => {
  if (connected === isConnected) return;
  isConnected = connected;
  clearInterval(timer);
  if (!connected) timer = setInterval(() => void checkConnection(), CHECK_MS);
  for (const listener of listeners) listener();
};

/** Proxies answer in place of a gateway that is down, but not with JSON. */
export const isFromGateway = ({ status, headers }: Response): boolean =>
  status < 502 || (headers.get('content-type') ?? '').includes('json');

/** `fetch` that records whether the gateway can be reached. */
export const recordingFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init);
    change(isFromGateway(response));
    return response;
  } catch (error) {
    if (init?.signal?.aborted !== true) change(false);
    throw error;
  }
};

export const checkConnection = async (): Promise<void> => {
  const url = `${settings.basePath}/livez`;
  await recordingFetch(url, { cache: 'no-store' }).catch(() => undefined);
};

// A stream that is open does not notice that the network is gone.
addEventListener('offline', () => change(false));
addEventListener('online', () => void checkConnection());

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether the gateway answered the last request. While it does not, it is checked every other second. */
export const useIsConnected = (): boolean => useSyncExternalStore(subscribe, () => isConnected);
