import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { HttpResponse } from './send.js';

/** A streamed response: a subscription, which lasts as long as the client listens, or an export. */
export type LiveResponse = Omit<HttpResponse, 'body'> & {
  stream: {
    /** The next chunk, which ends at a message boundary. Null at the end. Rejects if the rest is missing. */
    read(): Promise<Uint8Array | null>;
    /** Ends the stream at once, even while a chunk is awaited. */
    cancel(): void;
  };
  /** Final message for a client that reads too slowly. Without one, the connection is closed. */
  closeMessage?: string;
};

/** How long sent data may stay unread. */
const STALL_TIMEOUT_MS = 30_000;
const CLOSE_MESSAGE_LIMIT_MS = 30_000;
/** Large chunks are split, so that a slow reader is seen to make progress. */
const CUT_BYTES = 65_536;

export type SendLiveOptions = {
  stallTimeoutMs?: number;
  /** Called when the client does not keep up. Returns what to call when it does again, or is disconnected. */
  onStall?: () => (isDisconnected: boolean) => void;
};

/** Resolves to whether the client accepts more: false if it has disconnected or does not read. */
const untilDrained = (response: ServerResponse, stallTimeoutMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (takesMore: boolean) => () => {
      clearTimeout(timer);
      response.off('drain', onDrain).off('close', onClose);
      resolve(takesMore);
    };
    const onDrain = end(true);
    const onClose = end(false);
    const timer = setTimeout(onClose, stallTimeoutMs);
    response.on('drain', onDrain).on('close', onClose);
  });

/** Closes the connection after what was written, but before the end of the response: clients see that it is incomplete. */
const closeEarly = (response: ServerResponse, stallTimeoutMs: number): Promise<void> =>
  new Promise((resolve) => {
    const close = () => {
      clearTimeout(timer);
      response.destroy();
      resolve();
    };
    const timer = setTimeout(close, stallTimeoutMs);
    response.once('close', close);
    if (response.socket) response.socket.end(close);
    else close();
  });

/** Stands for a chunk when the rest of the response is missing. */
const MISSING: unique symbol = Symbol('missing');

/**
 * Writes a response with backpressure: nothing is read ahead of the client, so a slow one costs no memory, and one that
 * stops reading is disconnected.
 */
export const sendLive = async (
  response: ServerResponse,
  { status, headers, stream, closeMessage }: LiveResponse,
  { stallTimeoutMs = STALL_TIMEOUT_MS, onStall }: SendLiveOptions = {},
): Promise<void> => {
  response.writeHead(status, { 'x-content-type-options': 'nosniff', ...headers });
  response.socket?.setNoDelay(true);
  response.on('close', stream.cancel);

  let isListening = !response.destroyed;
  let unsent: Uint8Array = new Uint8Array();
  while (isListening) {
    const chunk = await stream.read().catch((): typeof MISSING => MISSING);
    if (typeof chunk === 'symbol') {
      stream.cancel();
      return closeEarly(response, stallTimeoutMs);
    }
    if (chunk === null) break;
    for (unsent = chunk; unsent.length > 0 && isListening; ) {
      const isWithinQuota = response.write(unsent.subarray(0, CUT_BYTES));
      unsent = unsent.subarray(CUT_BYTES);
      if (isWithinQuota) continue;
      const onResume = onStall?.();
      isListening = await untilDrained(response, stallTimeoutMs);
      onResume?.(!isListening && !response.destroyed);
    }
  }
  stream.cancel();
  if (response.destroyed) return;
  if (isListening) {
    response.end();
    return;
  }
  if (closeMessage === undefined) {
    response.destroy();
    return;
  }
  // Completes the current message, or the final message would be taken for a part of it.
  response.write(unsent);
  response.end(closeMessage);
  await delay(CLOSE_MESSAGE_LIMIT_MS);
  response.destroy();
};
