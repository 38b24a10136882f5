import type { WebSocket } from 'ws';
import { sleep } from '../sleep.js';

export type Received = { kind: 'message' | 'ping'; data: Buffer };

/** Shorter waits would wake every connection of a client for one message. */
const MIN_WAIT_MS = 50;

type Options = {
  /** Milliseconds until the client may send another message. 0: now. */
  waitMs: () => number;
  /** Aborted when the connection is closed. */
  signal: AbortSignal;
  /** The next message is handled after this one has resolved. */
  handle: (received: Received) => Promise<void> | void;
};

/**
 * Handles the messages and pings of a connection in order. The connection is not read while the client has to wait, so
 * a flood fills the buffers of its sender.
 */
export const createSocketInbox = (
  socket: WebSocket,
  { waitMs, signal, handle }: Options,
): ((received: Received) => void) => {
  const waiting: Received[] = [];
  let isRunning = false;

  const run = async (): Promise<void> => {
    isRunning = true;
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      for (let ms = waitMs(); ms > 0 && !signal.aborted; ms = waitMs()) {
        socket.pause();
        await sleep(Math.max(ms, MIN_WAIT_MS), signal);
      }
      const handling = handle(next);
      if (!handling) continue;
      socket.pause();
      await handling;
    }
    isRunning = false;
    if (socket.isPaused) socket.resume();
  };

  return (received) => {
    waiting.push(received);
    if (!isRunning) void run();
  };
};
