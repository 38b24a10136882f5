import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { ByteBudget } from '../../domain/work.js';
import { feedInSlices } from '../feed-in-slices.js';
import type { Received } from './socket-inbox.js';

/** Bytes of a client that is not authenticated yet. */
const MAX_EARLY_BYTES = 16_384;
/** Messages, pings and pongs that clients may have sent before they know that their connection is being closed. */
const MAX_LATE = 20;
/** Incomplete messages above this size count as bytes in flight. */
const UNCOUNTED_BYTES = 16_384;

type Options = {
  budget: Pick<ByteBudget, 'take' | 'release'>;
  /** Null until the client is authenticated. */
  ownerOf: () => string | null;
  receive: (received: Received) => void;
  /** Called if there is no memory for a message, or if it is too large for its sender. */
  onExcess: () => void;
  onSeen: () => void;
};

/** Reads messages by turns and in slices, like HTTP requests, and counts the bytes of incomplete ones. */
export const receiveFrames = (
  connection: Socket,
  socket: WebSocket,
  { budget, ownerOf, receive, onExcess, onSeen }: Options,
): void => {
  let isRefused = false;
  let late = 0;
  let early = 0;
  let incomplete = 0;
  let held: { owner: string; bytes: number } | null = null;
  const expected = () => (isRefused || late > MAX_LATE ? 'nothing' : 'body');
  const feeding = feedInSlices(connection, expected);

  const release = (): void => {
    if (held) budget.release(held.owner, held.bytes);
    held = null;
    incomplete = 0;
  };
  const refuse = (): void => {
    isRefused = true;
    onExcess();
  };
  const hold = (owner: string): void => {
    const bytes = held ? incomplete - held.bytes : incomplete;
    if (!budget.take(held?.owner ?? owner, bytes, incomplete)) {
      refuse();
      return;
    }
    held = { owner: held?.owner ?? owner, bytes: incomplete };
  };
  const onComplete = (received: Received): void => {
    release();
    if (socket.readyState !== socket.OPEN) {
      late += 1;
      return;
    }
    // Many small messages are not slow ones.
    feeding.proceed();
    receive(received);
  };

  // Before any of it is parsed.
  connection.prependListener('data', ({ length }: Buffer) => {
    onSeen();
    if (isRefused) return;
    const owner = ownerOf();
    if (owner === null) {
      early += length;
      if (early > MAX_EARLY_BYTES) refuse();
      return;
    }
    incomplete += length;
    if (incomplete > UNCOUNTED_BYTES) hold(owner);
  });
  connection.prependOnceListener('close', () => {
    release();
    // The library would parse the rest at once.
    connection.read(connection.readableLength);
  });
  socket.on('message', (data) => onComplete({ kind: 'message', data: data as Buffer }));
  socket.on('ping', (data) => onComplete({ kind: 'ping', data }));
  socket.on('pong', (data) => onComplete({ kind: 'pong', data }));
  socket.on('error', () => {
    // Of a malformed frame: the rest cannot be parsed.
    isRefused = true;
  });
};
