import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from '../../../test/e2e/browser/browser.js';
import { watchPageErrors } from '../admin-ui/page-errors.js';
import type { Person } from '../admin-ui/person.js';
import type { Check } from '../part.js';
import { PASSWORD } from '../world/people.js';
import type { Stage } from './stage.js';

const RESULTS = fileURLToPath(new URL('../../results/', import.meta.url));
const LIMIT_MS = 30_000;
/** A reader without a session is asked to sign in: the gateway returns 401, which the browser reports. */
const SIGNED_OUT = /401/;
/** Texts of unexpected failures. What a role may not see is explained in other words. */
const RAW_ERROR =
  /Something went wrong|Error ID|No connection|The gateway is busy|\[object Object\]|\bNaN\b|Invalid Date/;

/** The browser of one user. */
export type Visitor = {
  person: Person;
  page: Page;
  root: string;
  checks: Check[];
  /** Records a failed check if the work fails. */
  check(what: string, work: () => Promise<string | undefined>): Promise<void>;
  /** Opens a path of the console and waits until nothing is loaded any more. */
  open(path: string): Promise<void>;
  /** Waits until nothing is loaded any more, and checks that no raw error is shown. */
  settle(): Promise<void>;
  picture(name: string): Promise<void>;
  errors(): string[];
  close(): Promise<void>;
};

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 1_000);

const signIn = async (page: Page, root: string, { username }: Person): Promise<void> => {
  await page.goto(`${root}/`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByRole('link', { name: 'Sign in to Unleash' }).click();
  await page.locator('input[name=username]').fill(username);
  await page.locator('input[name=password]').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(({ pathname }) => pathname !== '/login');
};

/** Subscriptions stay open, so the network is never idle. */
const settled = async (page: Page): Promise<void> => {
  await page.locator('main .loading, main [aria-busy=true]').first().waitFor({ state: 'detached' });
  const text = await page.locator('main').innerText();
  const [found] = RAW_ERROR.exec(text) ?? [];
  if (found !== undefined) throw new Error(`the page shows: ${text.slice(0, 500)}`);
};

/** Opens the console signed out, follows its link to Unleash, signs in on the form of Unleash, and returns. */
export const openVisitor = async (
  browser: Browser,
  { root, proxy, unleash }: Stage,
  person: Person,
): Promise<Visitor> => {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 1500 },
    locale: 'en-US',
    timezoneId: 'UTC',
  });
  context.setDefaultTimeout(LIMIT_MS);
  const first = await context.newPage();
  await signIn(first, root, person);
  await first.close();

  const page = await context.newPage();
  const pageErrors = watchPageErrors(page, proxy.url);
  const checks: Check[] = [];
  return {
    person,
    page,
    root,
    checks,
    check: async (what, work) => {
      const difference = await work().catch(reasonOf);
      checks.push({ what: `${person.role}: ${what}`, ...(difference && { difference }) });
    },
    open: async (path) => {
      await page.goto(`${root}${path}`);
      await page.locator('main h1').first().waitFor();
      await settled(page);
    },
    settle: () => settled(page),
    picture: async (name) => {
      const folder = join(RESULTS, unleash.version, 'console', person.role);
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
    },
    errors: () => [
      ...pageErrors.list().filter((error) => !SIGNED_OUT.test(error)),
      ...pageErrors.otherHosts().map((host) => `requested ${host}`),
    ],
    close: () => context.close(),
  };
};
