import axe from 'axe-core';
import { expect } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { loadDemoData } from '../../../src/demo/load-demo-data.js';
import { DEMO_TOKENS, type DemoTokenKey } from '../../../src/demo/tokens.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { createMigratedDatabase, type Engine, embeddedTemplate } from '../../testkit/database.js';
import { type Browser, type BrowserContext, type Page, startBrowser } from './browser.js';
import { DESK, isTooWide, NO_PROBLEMS, PHONE, visit } from './visit.js';

export const SIZES = [
  { size: 'a desk', viewport: DESK },
  { size: 'a phone', viewport: PHONE },
] as const;

export type ConsoleVisit = Omit<NonNullable<Parameters<typeof visit>[3]>, 'prepare'> & {
  /** The caller, as chosen in the menu of the demo. Default: the admin token. */
  role?: DemoTokenKey;
};

export const prepareConsole = async (context: BrowserContext, role: DemoTokenKey | undefined) => {
  if (role === undefined) return;
  const token = JSON.stringify(DEMO_TOKENS[role]);
  // The empty page before the first one has no storage.
  await context.addInitScript(`if (location.protocol === 'http:') {
    sessionStorage.getItem('flaggraph:token') ?? sessionStorage.setItem('flaggraph:token', ${token});
  }`);
};

/** Opens an address of the console; errors and warnings of the browser fail the test. */
export const openConsole = async (
  browser: Browser,
  address: string,
  work: (page: Page) => Promise<void>,
  { role, ...options }: ConsoleVisit = {},
): Promise<void> => {
  const problems = await visit(browser, address, work, {
    rejectsWarnings: true,
    ...options,
    prepare: (context) => prepareConsole(context, role),
  });
  expect(problems).toEqual(NO_PROBLEMS);
};

/** Accessibility violations of a page, each with its elements. */
export const violationsOf = async (page: Page, rules?: readonly string[]): Promise<string[]> => {
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  // Parsing it takes longer than most pages: only where it is used.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    `axe.run('html', ${JSON.stringify(options)})`,
  )) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
};

/** The content scrolls in its own area, so the page itself never becomes wider. */
const isContentTooWide = (page: Page): Promise<boolean> =>
  page.evaluate(
    "document.querySelector('main').scrollWidth > document.querySelector('main').clientWidth",
  );

/** No horizontal scrolling, and accessible. */
export const expectSound = async (page: Page): Promise<void> => {
  expect(await isTooWide(page)).toBe(false);
  expect(await isContentTooWide(page)).toBe(false);
  expect(await violationsOf(page)).toEqual([]);
};

/** The same on a desk, and on a phone in the dark theme. */
export const expectSoundEverywhere = async (page: Page): Promise<void> => {
  await expectSound(page);
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectSound(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(DESK);
};

const openEngine = async (
  engine: Engine,
): Promise<{ database: Database; close: () => Promise<void> }> => {
  if (engine === 'embedded') {
    const database = await openDatabase({
      dataDir: 'memory://',
      embeddedTemplate: embeddedTemplate(),
    });
    await loadDemoData(database.client, { now: new Date() });
    return { database, close: database.close };
  }
  const { url, drop } = await createMigratedDatabase('today');
  const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
  return {
    database,
    close: async () => {
      await database.close();
      await drop();
    },
  };
};

export type ConsoleWorld = {
  browser: Browser;
  database: Database;
  gateway: Gateway;
  stop: () => Promise<void>;
};

/** A browser, and a gateway with the console on the demo world of today. */
export const startConsole = async (engine: Engine = 'postgres'): Promise<ConsoleWorld> => {
  const { database, close } = await openEngine(engine);
  const gateway = await startGateway(database, { CONSOLE: 'on' });
  const browser = await startBrowser();
  return {
    browser,
    database,
    gateway,
    stop: async () => {
      await browser.close();
      await gateway.stop();
      await close();
    },
  };
};
