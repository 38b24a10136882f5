import { setTimeout as delay } from 'node:timers/promises';
import type { Page, Request } from '../../../test/e2e/browser/browser.js';

/** Errors of a page, without parts that differ between runs: ports, request IDs and query values. */
export type PageErrors = {
  /** Waits until no request is in flight, up to a limit. */
  settle(): Promise<void>;
  /** Console errors and failed requests, deduplicated and sorted. */
  list(): string[];
  /** Other hosts the page requested. The browser resolves none of their names. */
  otherHosts(): string[];
};

const SETTLE_LIMIT_MS = 5_000;
const POLL_MS = 100;
/** Pages abort requests they no longer need. */
const ABORTED = 'net::ERR_ABORTED';

/** Records page errors. Only listens: intercepting requests would disable the HTTP cache. */
export const watchPageErrors = (page: Page, ownUrl: string): PageErrors => {
  const found = new Set<string>();
  const hosts = new Set<string>();
  const inFlight = new Set<Request>();
  const isOwn = (url: string) => url.startsWith(ownUrl) || !/^https?:/.test(url);
  const displayUrl = (url: string) => (isOwn(url) && url ? new URL(url, ownUrl).pathname : url);

  page.on('request', (request) => {
    inFlight.add(request);
    if (!isOwn(request.url())) hosts.add(new URL(request.url()).host);
  });
  page.on('requestfinished', (request) => inFlight.delete(request));
  page.on('requestfailed', (request) => inFlight.delete(request));
  page.on('console', (message) => {
    const { url } = message.location();
    if (message.type() !== 'error' || !isOwn(url)) return;
    found.add(`console: ${message.text().replaceAll(ownUrl, '')} ${displayUrl(url)}`);
  });
  page.on('pageerror', (error) => found.add(`page: ${error.message}`));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    if (!isOwn(request.url()) || reason === ABORTED) return;
    found.add(`network: ${request.method()} ${displayUrl(request.url())} ${reason}`);
  });
  page.on('response', (response) => {
    if (response.status() < 400 || !isOwn(response.url())) return;
    found.add(
      `network: ${response.request().method()} ${displayUrl(response.url())} ${response.status()}`,
    );
  });
  return {
    settle: async () => {
      const deadline = Date.now() + SETTLE_LIMIT_MS;
      while (inFlight.size > 0 && Date.now() < deadline) await delay(POLL_MS);
    },
    list: () => [...found].sort(),
    otherHosts: () => [...hosts].sort(),
  };
};
