import { setTimeout as delay } from 'node:timers/promises';
import type {
  APIRequestContext,
  Browser,
  BrowserContext,
} from '../../../test/e2e/browser/browser.js';
import { PASSWORD } from '../world/people.js';
import type { Person } from './person.js';
import { type RoutingProxy, startRoutingProxy } from './routing-proxy.js';

/** Timeout for anything on a page. */
export const LIMIT_MS = 60_000;
const SESSION_LIMIT_MS = 5_000;
const POLL_MS = 50;

/** A running Unleash and, optionally, the gateway in front of the four paths. */
export type Servers = {
  browser: Browser;
  version: string;
  /** URLs without the base path. */
  unleash: string;
  gateway?: string;
  basePath: string;
};

/** The browser of one signed-in user on one side. Its HTTP cache persists between journeys. */
export type Side = {
  servers: Servers;
  person: Person;
  context: BrowserContext;
  proxy: RoutingProxy;
  /** URL of the start page, without a trailing slash. */
  root: string;
  close(): Promise<void>;
};

/** Signs in with the password. The browser keeps the cookie that Unleash sets. */
const signIn = async (request: APIRequestContext, root: string, person: Person): Promise<void> => {
  const data = { username: person.username, password: PASSWORD };
  const response = await request.post(`${root}/auth/simple/login`, { data });
  if (!response.ok()) throw new Error(`${person.role} could not sign in: ${response.status()}`);
};

/** Marks the greeting for new users as seen; otherwise it covers the pages. */
const dismissGreeting = async (request: APIRequestContext, root: string): Promise<void> => {
  const deadline = Date.now() + SESSION_LIMIT_MS;
  for (;;) {
    const response = await request.post(`${root}/api/admin/splash/personalDashboardKeyConcepts`);
    if (response.ok()) return;
    // Unleash stores the session shortly after its response to the login.
    if (response.status() !== 401 || Date.now() > deadline) {
      throw new Error(`could not dismiss the greeting: ${response.status()}`);
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
  // The pages persist filters and toggles in local storage.
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
