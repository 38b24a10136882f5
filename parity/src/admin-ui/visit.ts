import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from '../../../test/e2e/browser/browser.js';
import type { Check } from '../part.js';
import type { Operation } from '../request.js';
import { type Edition, pretendEdition } from './edition.js';
import { type PageErrors, watchPageErrors } from './page-errors.js';
import type { Person } from './person.js';
import { poll } from './poll.js';
import type { Exchange } from './routing-proxy.js';
import { settledText } from './settled-text.js';
import { LIMIT_MS, type Side } from './side.js';

const RESULTS = fileURLToPath(new URL('../../results/', import.meta.url));
/** Shorter than `LIMIT_MS`: with Unleash alone, what the page shows is not checked. */
const ALONE_LIMIT_MS = 3_000;
/** The check that fails if a journey does not complete. */
export const JOURNEY_COMPLETE = 'the journey completes';

const SHOWN_TEXT = 400;

/** One journey of a signed-in person through the admin UI. */
export type Visit = {
  version: string;
  person: Person;
  /** Whether the gateway serves the four paths; otherwise Unleash does. */
  hasGateway: boolean;
  basePath: string;
  /** URL of the start page, without a trailing slash. */
  root: string;
  page: Page;
  checks: Check[];
  open(path: string): Promise<void>;
  /** Waits for a response to one of the four paths; returns the latest match. */
  exchange(operation: Operation, fits?: (exchange: Exchange) => boolean): Promise<Exchange>;
  /** Like `exchange`, but rejects error responses. */
  response(operation: Operation, fits?: (exchange: Exchange) => boolean): Promise<Exchange>;
  /** Checks that the page eventually shows the expected value. */
  shows(what: string, expected: unknown, read: () => Promise<unknown>): Promise<void>;
  /** Records a value that must be the same with Unleash alone. */
  compares(what: string, found: unknown): void;
  /** Records the settled text of the page, which must be the same with Unleash alone except for one part. */
  comparesText(what: string, butFor?: string): Promise<void>;
  /** Saves a screenshot of the page with the gateway. */
  picture(name: string): Promise<void>;
};

export type Journey = {
  name: string;
  edition: Edition;
  /** Operations the gateway must have served during the journey. */
  operations: readonly Operation[];
  /** True: with Unleash alone first, then with the gateway. Default: both concurrently. */
  takesTurns?: boolean;
  walk(visit: Visit): Promise<void>;
};

export type Compared = { what: string; found: unknown };

/** The results of a journey. */
export type Seen = {
  checks: Check[];
  compared: readonly Compared[];
  pageErrors: string[];
  otherHosts: string[];
  exchanges: readonly Exchange[];
};

const shorten = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_TEXT ? `${text.slice(0, SHOWN_TEXT)}…` : text;
};

/** Reports only the first element that differs, to keep long lists readable. */
const describe = (expected: unknown, actual: unknown): string => {
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    const index = expected.findIndex((element, at) => !isDeepStrictEqual(element, actual[at]));
    return `item ${index + 1} should be ${shorten(expected[index])}, the page shows ${shorten(actual[index])}`;
  }
  return `should be ${shorten(expected)}, the page shows ${shorten(actual)}`;
};

const createVisit = (page: Page, side: Side, pageErrors: PageErrors, since: number) => {
  const { servers: place, person, proxy, root } = side;
  const { version, gateway, basePath } = place;
  const checks: Check[] = [];
  const compared: Compared[] = [];

  const exchange: Visit['exchange'] = async (operation, fits = () => true) => {
    const found = await poll(LIMIT_MS, () =>
      proxy.exchanges.slice(since).findLast((sent) => sent.operation === operation && fits(sent)),
    );
    if (!found) throw new Error(`no matching request for ${operation} within ${LIMIT_MS} ms`);
    return found;
  };

  const visit: Visit = {
    version,
    person,
    hasGateway: gateway !== undefined,
    basePath,
    root,
    page,
    checks,
    exchange,
    open: async (path) => {
      await page.goto(`${root}${path}`);
    },
    response: async (operation, fits) => {
      const found = await exchange(operation, fits);
      if (found.status < 400) return found;
      throw new Error(`${found.method} ${found.path} returned ${found.status}`);
    },
    shows: async (what, expected, read) => {
      let actual: unknown;
      const agrees = await poll(gateway === undefined ? ALONE_LIMIT_MS : LIMIT_MS, async () => {
        actual = await read();
        return isDeepStrictEqual(actual, expected) || undefined;
      });
      checks.push(agrees ? { what } : { what, difference: describe(expected, actual) });
    },
    compares: (what, found) => compared.push({ what, found }),
    comparesText: async (what, butFor) => {
      const texts = await settledText(page, pageErrors);
      const found = texts.map((text) => (butFor ? text.replaceAll(butFor, '…') : text));
      compared.push({ what, found });
    },
    picture: async (name) => {
      if (gateway === undefined) return;
      const folder = join(RESULTS, version, 'admin-ui', person.role);
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
    },
  };
  return { visit, compared };
};

/** Walks a journey and returns its results. A journey that does not complete is a failed check. */
export const take = async (side: Side, journey: Journey): Promise<Seen> => {
  const { servers: place, context, proxy } = side;
  const since = proxy.exchanges.length;
  const page = await context.newPage();
  try {
    await pretendEdition(page, journey.edition, place.version);
    const pageErrors = watchPageErrors(page, proxy.url);
    const { visit, compared } = createVisit(page, side, pageErrors, since);
    await journey.walk(visit).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      visit.checks.push({ what: JOURNEY_COMPLETE, difference: reason.slice(0, 1_000) });
    });
    await pageErrors.settle();
    return {
      checks: visit.checks,
      compared,
      pageErrors: pageErrors.list(),
      otherHosts: pageErrors.otherHosts(),
      exchanges: proxy.exchanges.slice(since),
    };
  } finally {
    await page.close();
  }
};
