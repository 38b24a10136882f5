import { joinVary } from './vary.js';

/**
 * Headers of a response that depends on the caller. Shared caches may store responses to requests with a cookie, so
 * those are not stored at all. Pages of other origins may not embed either kind.
 */
export const withPrivateHeaders = (
  headers: Record<string, string>,
  { hasCookie }: { hasCookie: boolean },
): Record<string, string> => ({
  ...headers,
  vary: joinVary('Cookie, Authorization', headers['vary']),
  'cache-control': hasCookie ? 'private, no-store' : 'private, no-cache',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
});
