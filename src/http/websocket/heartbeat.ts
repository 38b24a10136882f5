import type { WebSocket } from 'ws';

/** Shorter than the timeouts of common proxies. */
const BEAT_MS = 20_000;
/** A client that neither sends nor takes anything for this time has disconnected. */
const MAX_SILENCE_MS = 60_000;

export type Heartbeat = {
  /** To be called when the client has sent something. */
  seen(): void;
};

/** Pings a client, so that proxies keep the connection open, and disconnects one that is gone. */
export const startHeartbeat = (
  socket: WebSocket,
  { signal, onBeat }: { signal: AbortSignal; onBeat: () => void },
): Heartbeat => {
  let lastSeen = performance.now();
  const beat = (): void => {
    if (performance.now() - lastSeen > MAX_SILENCE_MS) {
      socket.terminate();
      return;
    }
    // A ping behind unread data would only be read later.
    if (socket.readyState === socket.OPEN && socket.bufferedAmount === 0) socket.ping();
    onBeat();
  };
  const timer = setInterval(beat, BEAT_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
  return {
    seen: () => {
      lastSeen = performance.now();
    },
  };
};
