import type { IncomingMessage } from 'node:http';

const METHODS = 'GET, HEAD, POST, OPTIONS';
const REQUEST_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, Traceparent, Tracestate, X-GraphQL-Cost, X-Request-Id';
const RESPONSE_HEADERS =
  'ETag, Export-Up-To, Link, Deprecation, Sunset, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';

export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined;

/** Allows pages of the configured origins to read responses. Other origins get no CORS headers. */
export const corsHeaders = (
  request: IncomingMessage,
  allowed: readonly string[],
): Record<string, string> => {
  if (allowed.length === 0) return {};
  const { origin } = request.headers;
  if (origin === undefined || !allowed.includes(origin)) return { vary: 'Origin' };
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': RESPONSE_HEADERS,
    ...(isPreflight(request) && {
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': REQUEST_HEADERS,
      'access-control-max-age': '600',
    }),
  };
};
