import { setTimeout as delay } from 'node:timers/promises';
import type {
  APIRequestContext,
  Browser,
  BrowserContext,
} from '../../../test/e2e/browser/browser.js';
import { PASSWORD } from '../world/people.js';
import type { Person } from './person.js';
import { type RoutingProxy, startRoutingProxy } from './routing-proxy.js';

/** Longest wait for anything on a page. */
export const LIMIT_MS = 60_000;
const SESSION_LIMIT_MS = 5_000;
const POLL_MS = 50;

/** A running Unleash and, unless it serves alone, the gateway beside it. */
export type Servers = {
  browser: Browser;
  version: string;
  /** Addresses without the base path. */
  unleash: string;
  gateway?: string;
  basePath: string;
};

/** The browser of one signed-in person at one place; what it has loaded once stays in its HTTP cache. */
export type Side = {
  servers: Servers;
  person: Person;
  context: BrowserContext;
  proxy: RoutingProxy;
  /** Address of the start page, without a slash at its end. */
  root: string;
  close(): Promise<void>;
};

/** Signs in with the password; the browser keeps the cookie that Unleash sets. */
const signIn = async (request: APIRequestContext, root: string, person: Person): Promise<void> => {
  const data = { username: person.username, password: PASSWORD };
  const response = await request.post(`${root}/auth/simple/login`, { data });
  if (!response.ok()) throw new Error(`${person.role} could not sign in: ${response.status()}`);
};

/** Marks the greeting for new users as seen, which covers the pages otherwise. */
const dismissGreeting = async (request: APIRequestContext, root: string): Promise<void> => {
  const deadline = Date.now() + SESSION_LIMIT_MS;
  for (;;) {
    const response = await request.post(`${root}/api/admin/splash/personalDashboardKeyConcepts`);
    if (response.ok()) return;
    // Unleash stores a session shortly after it has answered the sign-in.
    if (response.status() !== 401 || Date.now() > deadline) {
      throw new Error(`the greeting could not be dismissed: ${response.status()}`);
    }
    await delay(POLL_MS);
  }
};

export const openSide = async (servers: Servers, person: Person): Promise<Side> => {
  const { browser, unleash, gateway, basePath } = servers;
  const proxy = await startRoutingProxy({
    unleash,
    basePath,
    ...(gateway !== undefined && { gateway }),
  });
  const root = `${proxy.url}${basePath}`;
  const context = await browser.newContext({
    viewport: { width: 1440, height: 1000 },
    locale: 'en-US',
    timezoneId: 'UTC',
  });
  context.setDefaultTimeout(LIMIT_MS);
  // Filters and switches are remembered otherwise.
  await context.addInitScript('localStorage.clear()');
  await signIn(context.request, root, person);
  await dismissGreeting(context.request, root);
  return {
    servers,
    person,
    context,
    proxy,
    root,
    close: async () => {
      await context.close();
      await proxy.close();
    },
  };
};
