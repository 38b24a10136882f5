import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Check } from '../part.js';
import type { Operation } from '../request.js';
import { createAdminApi } from '../world/admin-api.js';
import { login } from '../world/people.js';
import { type Exchange, startProxy, type TestProxy } from './proxy.js';
import { watchTroubles } from './troubles.js';

const RESULTS = fileURLToPath(new URL('../../results/', import.meta.url));
const LIMIT_MS = 60_000;
/** What the original shows of its own answers is not judged, so it is not waited for either. */
const ALONE_LIMIT_MS = 3_000;
/** The check a walk that got stuck fails. */
export const WHOLE_WALK = 'the walk reaches its end';

const POLL_MS = 100;
const SHOWN_TEXT = 400;
const GREETED = '/api/admin/splash/personalDashboardKeyConcepts';

/** Of the world, for pages that think more than one project can be seen. */
const SECOND_PROJECT = { id: 'alpha', name: 'Alpha' };

/** Which edition the pages take the original for; some of them are only shown outside of its open source edition. */
export type Edition = 'open source' | 'pro' | 'enterprise';

/** One walk of a signed-in user through the original's pages. */
export type Visit = {
  version: string;
  /** Whether the gateway answers the four paths; else the original does. */
  hasGateway: boolean;
  page: Page;
  checks: Check[];
  open(path: string): Promise<void>;
  /** Waits for an answer to one of the four paths, the last one that fits; it must be no error. */
  answer(operation: Operation, fits?: (exchange: Exchange) => boolean): Promise<Exchange>;
  /** Checks that the page comes to show what is expected. */
  shows(what: string, expected: unknown, read: () => Promise<unknown>): Promise<void>;
  /** Keeps a picture of the page as the gateway makes it. */
  picture(name: string): Promise<void>;
};

export type Journey = {
  name: string;
  edition: Edition;
  /** Paths the gateway must have answered on the way. */
  operations: readonly Operation[];
  walk(visit: Visit): Promise<void>;
};

/** What was seen on a journey. */
export type Seen = {
  checks: Check[];
  troubles: string[];
  otherHosts: string[];
  exchanges: readonly Exchange[];
};

export type Place = { browser: Browser; version: string; original: string; gateway?: string };

/** A signed-in user's browser at one place; what it has loaded once it need not load again. */
export type Side = {
  place: Place;
  context: BrowserContext;
  proxy: TestProxy;
  close(): Promise<void>;
};

const signIn = async (context: BrowserContext, original: string, url: string): Promise<void> => {
  const cookie = await login(original, 'alice@example.com');
  // Or a greeting for newcomers covers the pages.
  await createAdminApi(original).post(GREETED, {}, { cookie });
  const cookies = cookie.split('; ').map((pair) => {
    const [name = '', ...value] = pair.split('=');
    return { name, value: value.join('='), url };
  });
  await context.addCookies(cookies);
};

type UiConfig = { versionInfo: { current: object } };
type ProjectList = { projects: { id: string }[] };

const inEdition = (config: UiConfig, edition: Edition, version: string): UiConfig => {
  const current = { ...config.versionInfo.current, enterprise: version };
  const versionInfo = { ...config.versionInfo, current };
  return { ...config, ...{ environment: edition }, versionInfo };
};

const withSecondProject = (list: ProjectList): ProjectList => {
  const second = list.projects.slice(0, 1).map((project) => ({ ...project, ...SECOND_PROJECT }));
  return { ...list, projects: [...list.projects, ...second] };
};

/** Changes two answers of the original as its paid editions have them; the pages show parts of theirs only then. */
const pretend = async (page: Page, edition: Edition, version: string): Promise<void> => {
  if (edition === 'open source') return;
  await page.route('**/api/admin/ui-config', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: inEdition(await response.json(), edition, version) });
  });
  // The open source edition lists the default project only, and the pages filter by project when there are more.
  await page.route('**/api/admin/projects', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: withSecondProject(await response.json()) });
  });
};

const shorten = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_TEXT ? `${text.slice(0, SHOWN_TEXT)}…` : text;
};

/** Names the first element that differs, so that long lists stay readable. */
const describe = (expected: unknown, shown: unknown): string => {
  if (Array.isArray(expected) && Array.isArray(shown) && expected.length === shown.length) {
    const index = expected.findIndex((element, at) => !isDeepStrictEqual(element, shown[at]));
    return `number ${index + 1} should be ${shorten(expected[index])}, the page shows ${shorten(shown[index])}`;
  }
  return `should be ${shorten(expected)}, the page shows ${shorten(shown)}`;
};

const exchangesSince = ({ exchanges }: TestProxy, since: number) => exchanges.slice(since);

const createVisit = (
  page: Page,
  { place: { version, gateway }, proxy }: Side,
  since: number,
): Visit => {
  const checks: Check[] = [];

  const poll = async <Result>(
    limitMs: number,
    read: () => Promise<Result | undefined> | Result | undefined,
  ) => {
    for (const deadline = Date.now() + limitMs; ; ) {
      const result = await read();
      if (result !== undefined) return result;
      if (Date.now() > deadline) return undefined;
      await delay(POLL_MS);
    }
  };

  return {
    version,
    hasGateway: gateway !== undefined,
    page,
    checks,
    open: async (path) => {
      await page.goto(`${proxy.url}${path}`);
    },
    answer: async (operation, fits = () => true) => {
      const found = await poll(LIMIT_MS, () =>
        exchangesSince(proxy, since).findLast(
          (exchange) => exchange.operation === operation && fits(exchange),
        ),
      );
      if (!found) throw new Error(`no fitting request for ${operation} within ${LIMIT_MS} ms`);
      if (found.status >= 400) {
        throw new Error(`${found.method} ${found.path} was answered ${found.status}`);
      }
      return found;
    },
    shows: async (what, expected, read) => {
      let shown: unknown;
      const agrees = await poll(gateway === undefined ? ALONE_LIMIT_MS : LIMIT_MS, async () => {
        shown = await read();
        return isDeepStrictEqual(shown, expected) || undefined;
      });
      checks.push(agrees ? { what } : { what, difference: describe(expected, shown) });
    },
    picture: async (name) => {
      if (gateway === undefined) return;
      const folder = join(RESULTS, version, 'admin-ui');
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
    },
  };
};

export const openSide = async (place: Place): Promise<Side> => {
  const { browser, original, gateway } = place;
  const proxy = await startProxy({ original, ...(gateway !== undefined && { gateway }) });
  const context = await browser.newContext({
    viewport: { width: 1440, height: 1000 },
    locale: 'en-US',
    timezoneId: 'UTC',
  });
  context.setDefaultTimeout(LIMIT_MS);
  // Every page starts as on its first day: filters and switches are remembered otherwise.
  await context.addInitScript('localStorage.clear()');
  await signIn(context, original, proxy.url);
  return {
    place,
    context,
    proxy,
    close: async () => {
      await context.close();
      await proxy.close();
    },
  };
};

/** Walks a journey and tells what was seen; a walk that gets stuck is a failed check. */
export const take = async (side: Side, journey: Journey): Promise<Seen> => {
  const { place, context, proxy } = side;
  const since = proxy.exchanges.length;
  const page = await context.newPage();
  try {
    await pretend(page, journey.edition, place.version);
    const troubles = await watchTroubles(page, proxy.url);
    const visit = createVisit(page, side, since);
    await journey.walk(visit).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      visit.checks.push({ what: WHOLE_WALK, difference: reason.slice(0, 1_000) });
    });
    await troubles.settle();
    return {
      checks: visit.checks,
      troubles: troubles.list(),
      otherHosts: troubles.otherHosts(),
      exchanges: exchangesSince(proxy, since),
    };
  } finally {
    await page.close();
  }
};
