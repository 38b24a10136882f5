import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './send.js';

/** An answer that goes on for as long as the caller listens. */
export type LiveAnswer = Omit<Answer, 'body'> & {
  stream: {
    /** The next piece, which ends where a message does; null at the end. */
    read(): Promise<Uint8Array | null>;
    /** Ends it at once, also while a piece is awaited. */
    cancel(): void;
  };
  /** Last words for a caller who does not read what he is sent. */
  farewell: string;
};

/** So long may what was sent lie unread. */
const PATIENCE_MS = 30_000;
const LAST_WORDS_MS = 30_000;
/** Who reads slowly is to be seen reading also while a large piece is sent. */
const CUT_BYTES = 65_536;

export type SendLiveOptions = { patienceMs?: number };

/** Resolves with whether the caller takes more: not when he has gone, nor when he does not read. */
const untilDrained = (response: ServerResponse, patienceMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (takesMore: boolean) => () => {
      clearTimeout(timer);
      response.off('drain', onDrain).off('close', onClose);
      resolve(takesMore);
    };
    const onDrain = end(true);
    const onClose = end(false);
    const timer = setTimeout(onClose, patienceMs);
    response.on('drain', onDrain).on('close', onClose);
  });

/**
 * Writes an answer piece by piece, no faster than the caller reads: what he has not read yet is not asked for, so a slow
 * one costs no memory, and one who stops reading is sent away.
 */
export const sendLive = async (
  response: ServerResponse,
  { status, headers, stream, farewell }: LiveAnswer,
  { patienceMs = PATIENCE_MS }: SendLiveOptions = {},
): Promise<void> => {
  response.writeHead(status, { 'x-content-type-options': 'nosniff', ...headers });
  response.socket?.setNoDelay(true);
  response.on('close', stream.cancel);

  let isListening = !response.destroyed;
  let unsent: Uint8Array = new Uint8Array();
  while (isListening) {
    const piece = await stream.read();
    if (piece === null) break;
    for (unsent = piece; unsent.length > 0 && isListening; ) {
      const hasRoom = response.write(unsent.subarray(0, CUT_BYTES));
      unsent = unsent.subarray(CUT_BYTES);
      isListening = hasRoom || (await untilDrained(response, patienceMs));
    }
  }
  stream.cancel();
  if (response.destroyed) return;
  if (isListening) {
    response.end();
    return;
  }
  // In the middle of a message the last words would be taken for a part of it.
  response.write(unsent);
  response.end(farewell);
  await delay(LAST_WORDS_MS);
  response.destroy();
};
