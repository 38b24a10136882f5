import type { WebSocket } from 'ws';
import { sleep } from '../sleep.js';
import { inTurns } from '../turns.js';

export type Received = { kind: 'message' | 'ping' | 'pong'; data: Buffer };

/** Shorter waits would wake every connection of a client for one message. */
const MIN_WAIT_MS = 50;
/** Per turn of the event loop, for the messages of all connections. */
const TURN_MS = 1;
const runInTurn = inTurns(TURN_MS);

type Options = {
  /** Milliseconds until the client may send another message. 0: now. */
  waitMs: () => number;
  /** Aborted when the connection is closed. */
  signal: AbortSignal;
  /** The next message is handled after this one has resolved. */
  handle: (received: Received) => Promise<void>;
};

/**
 * Handles the messages, pings and pongs of a connection in order. The connection is not read while the client has to
 * wait, so a flood fills the buffers of its sender.
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
      const received = next;
      socket.pause();
      await new Promise<void>((resolve) => runInTurn(() => resolve(handle(received))));
    }
    isRunning = false;
    if (socket.isPaused) socket.resume();
  };

  return (received) => {
    waiting.push(received);
    if (!isRunning) void run();
  };
};
