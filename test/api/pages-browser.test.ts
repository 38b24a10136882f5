import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/data/connect.js';
import { loadDemoWorld } from '../../src/demo/load-demo-world.js';
import { DEMO_DAY, type Gateway, startGateway } from '../testkit/app.js';
import { startBrowser } from '../testkit/browser.js';
import { embeddedTemplate } from '../testkit/database.js';
import { expectState, untilReady } from '../testkit/graphiql.js';
import { DESK, isTooWide, NOTHING, PHONE, visit } from '../testkit/visit.js';

const cleanUps: (() => Promise<unknown>)[] = [];
let browser: Browser;
let gateway: Gateway;
beforeAll(async () => {
  browser = await startBrowser();
  cleanUps.push(() => browser.close());
  const database = await openDatabase({
    dataDir: 'memory://',
    embeddedTemplate: embeddedTemplate(),
  });
  cleanUps.push(database.close);
  await loadDemoWorld(database.client, { now: DEMO_DAY });
  gateway = await startGateway(database);
  cleanUps.push(gateway.stop);
}, 600_000);
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

/** Rules of accessibility that a page breaks, each with the places where it does. */
const faultsOf = async (page: Page, part: string): Promise<string[]> => {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify(part)}, { resultTypes: ['violations'] })`,
  )) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
};

const WIDTHS = [
  ['a desk', DESK],
  ['a phone', PHONE],
] as const;
const SCHEMES = ['light', 'dark'] as const;
const PAGES = ['/', '/docs/', '/docs/questions/who-turned-it-on', '/docs/readme', '/docs/nowhere'];
const views = WIDTHS.flatMap(([width, viewport]) =>
  SCHEMES.map((colorScheme) => ({ width, viewport, colorScheme })),
);

describe.each(views)('on $width, $colorScheme', ({ viewport, colorScheme }) => {
  test.each(PAGES)('%s fits, is readable by everybody, and calls no other host', async (path) => {
    const noticed = await visit(
      browser,
      `${gateway.url}${path}`,
      async (page) => {
        expect(await isTooWide(page)).toBe(false);
        expect(await faultsOf(page, 'html')).toEqual([]);
      },
      { viewport, colorScheme, expects: /status of 404/ },
    );
    expect(noticed).toEqual(NOTHING);
  });

  test('the commands of the first page are seen to their ends', async () => {
    const noticed = await visit(
      browser,
      `${gateway.url}/`,
      async (page) => {
        const cut = await page.evaluate(
          "[...document.querySelectorAll('pre')].map((block) => block.scrollWidth > block.clientWidth)",
        );
        expect(cut).toEqual([false, false]);
      },
      { viewport, colorScheme },
    );
    expect(noticed).toEqual(NOTHING);
  });

  test('the bar of GraphiQL is readable by everybody', async () => {
    const noticed = await visit(
      browser,
      `${gateway.url}/graphql`,
      async (page) => {
        await untilReady(page);
        await expectState(page, /^You are/);
        expect(await isTooWide(page)).toBe(false);
        expect(await faultsOf(page, '.bar')).toEqual([]);
        await page.getByRole('button', { name: 'Forget' }).click();
        await page.getByRole('button', { name: 'Use the demo token' }).waitFor();
        expect(await isTooWide(page)).toBe(false);
        expect(await faultsOf(page, '.bar')).toEqual([]);
      },
      { viewport, colorScheme },
    );
    expect(noticed).toEqual(NOTHING);
  });
});

describe('by keyboard', () => {
  const focused = (page: Page) => page.evaluate('document.activeElement.textContent.trim()');

  test('the pages are walked in the order in which they are read', async () => {
    const noticed = await visit(browser, `${gateway.url}/`, async (page) => {
      const reached: unknown[] = [];
      for (let times = 0; times < 10; times += 1) {
        await page.keyboard.press('Tab');
        reached.push(await focused(page));
      }
      expect(reached).toEqual([
        'Skip to the text',
        'flaggraph',
        'Start',
        'GraphiQL',
        'Docs',
        'GraphiQL',
        'Docs',
        'REST',
        'OpenAPI',
        'Metrics',
      ]);
    });
    expect(noticed).toEqual(NOTHING);
  });

  test('the links in front of the text can be skipped, and the focus is seen', async () => {
    const noticed = await visit(browser, `${gateway.url}/docs/`, async (page) => {
      await page.keyboard.press('Tab');
      expect(await page.locator('.skip').boundingBox()).toMatchObject({ y: 8 });
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe('README');
      const outline = "getComputedStyle(document.activeElement).outlineStyle !== 'none'";
      expect(await page.evaluate(outline)).toBe(true);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${gateway.url}/docs/readme`);
    });
    expect(noticed).toEqual(NOTHING);
  });
});
