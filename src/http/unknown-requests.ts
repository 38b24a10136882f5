import { RateLimitError } from '../domain/errors.js';

/** For each client address. A proxy in front requests the pages of all its clients. */
const MAX_IN_FLIGHT = 200;
const RETRY_AFTER_SECONDS = 1;

/**
 * Limits the requests without known credentials that an address has in flight: from their headers until their responses
 * are sent, so also those whose bodies do not arrive. When a client closes hundreds of connections at once, the event
 * loop is blocked until Node has ended all their requests.
 */
export const createUnknownRequests = (maxInFlight = MAX_IN_FLIGHT) => {
  const byAddress = new Map<string, Set<AbortSignal>>();
  return {
    /**
     * Throws if the address has too many. `ended` is aborted when the response is sent, or its client has left. The
     * returned function stops counting the request before that.
     */
    enter: (address: string, ended: AbortSignal): (() => void) => {
      const inFlight = byAddress.get(address) ?? new Set();
      if (inFlight.size >= maxInFlight) {
        throw new RateLimitError(
          `Too many concurrent requests: ${inFlight.size} from your address are in progress without known credentials. Retry later.`,
          RETRY_AFTER_SECONDS,
        );
      }
      if (ended.aborted) return () => undefined;
      byAddress.set(address, inFlight.add(ended));
      const leave = () => {
        ended.removeEventListener('abort', leave);
        if (inFlight.delete(ended) && inFlight.size === 0) byAddress.delete(address);
      };
      ended.addEventListener('abort', leave);
      return leave;
    },
  };
};
