import type { IncomingMessage, ServerResponse } from 'node:http';

/** Limits for draining the rest of a body after the response is sent. */
const MAX_BYTES = 2_097_152;
const MAX_DRAIN_MS = 5_000;
/** How long a client that keeps sending has to read its response. */
const LINGER_MS = 1_000;
const CHECK_EVERY_MS = 10;

/**
 * Closes connections whose request body keeps arriving after the response: Node would read it to its end. A short rest
 * is drained, so that clients that read only after sending get their response, unless its reader stopped early.
 */
export const boundUnreadBody = (request: IncomingMessage, response: ServerResponse): void => {
  response.once('finish', () => {
    const { socket } = request;
    if (request.complete || socket.destroyed) return;

    const end = () => socket.destroy();
    if (request.readableFlowing !== true) {
      setTimeout(end, LINGER_MS).unref();
      return;
    }
    const before = socket.bytesRead;
    const tooLong = setTimeout(end, MAX_DRAIN_MS);
    const stopChecking = () => {
      clearInterval(timer);
      clearTimeout(tooLong);
      socket.off('close', stopChecking);
    };
    const timer = setInterval(() => {
      if (!request.complete && socket.bytesRead - before <= MAX_BYTES) return;
      stopChecking();
      if (request.complete) return;
      socket.pause();
      setTimeout(end, LINGER_MS);
    }, CHECK_EVERY_MS);
    socket.once('close', stopChecking);
  });
};
