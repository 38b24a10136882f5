import { setTimeout as delay } from 'node:timers/promises';
import type { Page, Request } from 'playwright-core';

/** What went wrong on a page, as it would go wrong again: without ports, ids of requests or values of queries. */
export type Troubles = {
  /** Waits until nothing is under way any more, for a while. */
  settle(): Promise<void>;
  /** Errors in the console and failed requests, each once, sorted. */
  list(): string[];
  /** Other hosts the page asked for; none of them is reached. */
  otherHosts(): string[];
};

const SETTLE_LIMIT_MS = 5_000;
const POLL_MS = 100;
/** The page itself breaks off what it no longer needs. */
const GIVEN_UP = 'net::ERR_ABORTED';

/** Keeps a page from other hosts and notes its troubles. */
export const watchTroubles = async (page: Page, ownUrl: string): Promise<Troubles> => {
  const found = new Set<string>();
  const hosts = new Set<string>();
  const underWay = new Set<Request>();
  const isOwn = (url: string) => url.startsWith(ownUrl) || !/^https?:/.test(url);
  const place = (url: string) => (isOwn(url) && url ? new URL(url, ownUrl).pathname : url);

  await page.route(
    (url) => !isOwn(url.href),
    (route) => {
      hosts.add(new URL(route.request().url()).host);
      return route.abort();
    },
  );
  page.on('request', (request) => underWay.add(request));
  page.on('requestfinished', (request) => underWay.delete(request));
  page.on('requestfailed', (request) => underWay.delete(request));
  page.on('console', (message) => {
    const { url } = message.location();
    if (message.type() !== 'error' || !isOwn(url)) return;
    found.add(`console: ${message.text().replaceAll(ownUrl, '')} ${place(url)}`);
  });
  page.on('pageerror', (error) => found.add(`page: ${error.message}`));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    if (!isOwn(request.url()) || reason === GIVEN_UP) return;
    found.add(`network: ${request.method()} ${place(request.url())} ${reason}`);
  });
  page.on('response', (response) => {
    if (response.status() < 400 || !isOwn(response.url())) return;
    found.add(
      `network: ${response.request().method()} ${place(response.url())} ${response.status()}`,
    );
  });
  return {
    settle: async () => {
      const deadline = Date.now() + SETTLE_LIMIT_MS;
      while (underWay.size > 0 && Date.now() < deadline) await delay(POLL_MS);
    },
    list: () => [...found].sort(),
    otherHosts: () => [...hosts].sort(),
  };
};
