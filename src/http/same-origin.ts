import { isRead } from './is-read.js';

type OriginRequest = {
  method?: string | undefined;
  headers: { 'sec-fetch-site'?: string | string[] | undefined; origin?: string | undefined };
};

/** Whether an origin matches the requested host. The default port may be omitted. */
const isHost = (origin: string, host: string): boolean => {
  const { protocol, host: own } = URL.canParse(origin)
    ? new URL(origin)
    : { protocol: '', host: '' };
  const target = `${protocol}//${host}`;
  return own !== '' && URL.canParse(target) && new URL(target).host === own;
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
