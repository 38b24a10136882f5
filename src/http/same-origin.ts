import { isRead } from './is-read.js';

type OriginRequest = {
  method?: string | undefined;
  headers: { 'sec-fetch-site'?: string | string[] | undefined; origin?: string | undefined };
};

// Browsers send host names in ASCII. A URL parser would convert others, which takes up to 50 ms for a long one.
const ORIGIN = /^(https?):\/\/([\w.:[\]-]{1,300})$/i;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };

/** Whether an origin matches the requested host. The default port may be omitted. */
const isHost = (origin: string, host: string): boolean => {
  const [, protocol = '', own = ''] = ORIGIN.exec(origin.toLowerCase()) ?? [];
  const port = DEFAULT_PORTS[protocol];
  if (port === undefined) return false;
  const withPort = (name: string) => (/:\d+$/.test(name) ? name : `${name}${port}`);
  return withPort(own) === withPort(host.toLowerCase());
};

/**
 * Whether a request with browser-managed credentials was sent by a page of the same origin, or typed into the address
 * bar. SameSite=Lax alone lets sibling subdomains through. Browsers without `Sec-Fetch-Site` send `Origin` with every
 * POST.
 */
export const isSameOrigin = (request: OriginRequest, host: string | null): boolean => {
  const { 'sec-fetch-site': site, origin } = request.headers;
  if (site !== undefined) {
    return site === 'same-origin' || (site === 'none' && isRead({ method: request.method ?? '' }));
  }
  return origin === undefined || (host !== null && isHost(origin, host));
};
