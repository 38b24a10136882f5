import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Gateway } from '../../testkit/app.js';
import { startDemoGateway } from '../../testkit/demo-gateway.js';
import { startBrowser } from './browser.js';
import { expectState, untilReady } from './graphiql.js';
import { DESK, isTooWide, NO_PROBLEMS, PHONE, visit } from './visit.js';

const cleanUps: (() => Promise<unknown>)[] = [];
let browser: Browser;
let gateway: Gateway;
beforeAll(async () => {
  browser = await startBrowser();
  cleanUps.push(() => browser.close());
  const world = await startDemoGateway({ CONSOLE: 'off' });
  cleanUps.push(world.stop);
  gateway = world.gateway;
}, 600_000);
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

/** Accessibility violations of a page, each with its elements. */
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
const PAGES = ['/'];
const views = WIDTHS.flatMap(([width, viewport]) =>
  SCHEMES.map((colorScheme) => ({ width, viewport, colorScheme })),
);

describe.each(views)('on $width, $colorScheme', ({ viewport, colorScheme }) => {
  test.each(PAGES)('%s fits, is accessible, and calls no other host', async (path) => {
    const problems = await visit(
      browser,
      `${gateway.url}${path}`,
      async (page) => {
        expect(await isTooWide(page)).toBe(false);
        expect(await faultsOf(page, 'html')).toEqual([]);
      },
      { viewport, colorScheme },
    );
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('the commands of the first page are fully visible', async () => {
    const problems = await visit(
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
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('the toolbar of GraphiQL is accessible', async () => {
    const problems = await visit(
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
    expect(problems).toEqual(NO_PROBLEMS);
  });
});

describe('by keyboard', () => {
  const focused = (page: Page) => page.evaluate('document.activeElement.textContent.trim()');

  test('the pages have a tab order that follows their text', async () => {
    const problems = await visit(browser, `${gateway.url}/`, async (page) => {
      const reached: unknown[] = [];
      for (let times = 0; times < 10; times += 1) {
        await page.keyboard.press('Tab');
        reached.push(await focused(page));
      }
      expect(reached).toEqual([
        'Skip to content',
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
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('the links before the content can be skipped, and the focus is visible', async () => {
    const problems = await visit(browser, `${gateway.url}/`, async (page) => {
      await page.keyboard.press('Tab');
      expect(await page.locator('.skip').boundingBox()).toMatchObject({ y: 8 });
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe('GraphiQL');
      const outline = "getComputedStyle(document.activeElement).outlineStyle !== 'none'";
      expect(await page.evaluate(outline)).toBe(true);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${gateway.url}/graphql`);
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });
});
