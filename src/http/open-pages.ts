import { RateLimitError } from '../domain/errors.js';

/** For each client address. A proxy in front requests the pages of all its clients. */
const MAX_OPEN = 200;
const RETRY_AFTER_SECONDS = 1;

/**
 * Limits the pages that an address requests at the same time, until they are sent. When a client closes hundreds of
 * connections at once, the event loop is blocked until Node has ended all their responses.
 */
export const createOpenPages = (maxOpen = MAX_OPEN) => {
  const counts = new Map<string, number>();
  return {
    /** Throws if the address has too many. `ended` is aborted when the response is sent, or its client has left. */
    enter: (address: string, ended: AbortSignal): void => {
      const count = counts.get(address) ?? 0;
      if (count >= maxOpen) {
        throw new RateLimitError(
          `Too many concurrent requests: ${count} pages are being sent to your address. Retry later.`,
          RETRY_AFTER_SECONDS,
        );
      }
      if (ended.aborted) return;
      counts.set(address, count + 1);
      const leave = () => {
        const left = (counts.get(address) ?? 1) - 1;
        if (left === 0) counts.delete(address);
        else counts.set(address, left);
      };
      ended.addEventListener('abort', leave, { once: true });
    },
  };
};
