import { createTokenBuckets } from '../token-bucket.js';
import { SocketClose, TRY_AGAIN_LATER } from './socket-close.js';

/** WebSockets of authenticated clients. Others count as connections without valid credentials. */
export const MAX_SOCKETS = 1_000;
export const MAX_SOCKETS_PER_CLIENT = 50;
/** Messages and pings of a client, on all its connections: at once, and refilled in this time. */
const MESSAGES = { points: 1_000, windowMs: 5_000 };

/** Bounds the WebSockets of all clients, and the messages they send. */
export const createSocketRegistry = () => {
  const counts = new Map<string, number>();
  const messages = createTokenBuckets(MESSAGES);
  let total = 0;
  return {
    /** Counts a WebSocket until `closed` is aborted. Throws if there are too many. */
    enter: (owner: string, closed: AbortSignal): void => {
      const count = counts.get(owner) ?? 0;
      if (count >= MAX_SOCKETS_PER_CLIENT || total >= MAX_SOCKETS) {
        const limit =
          total >= MAX_SOCKETS
            ? `${MAX_SOCKETS} of this gateway`
            : `${MAX_SOCKETS_PER_CLIENT} of your client`;
        throw new SocketClose(TRY_AGAIN_LATER, `Too many WebSockets: ${limit} are open.`);
      }
      if (closed.aborted) return;
      counts.set(owner, count + 1);
      total += 1;
      closed.addEventListener('abort', () => {
        total -= 1;
        const left = (counts.get(owner) ?? 1) - 1;
        if (left > 0) counts.set(owner, left);
        else counts.delete(owner);
      });
    },
    /** Milliseconds until a client may send another message. 0: it is counted. */
    takeMessage: (owner: string): number => messages.take(owner, 1),
  };
};
