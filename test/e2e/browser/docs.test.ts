import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Gateway } from '../../testkit/app.js';
import { startDemoGateway } from '../../testkit/demo-gateway.js';
import { startBrowser } from './browser.js';
import { expectAnswer, runQuery, untilReady } from './graphiql.js';
import { DESK, isTooWide, NO_PROBLEMS, PHONE, visit } from './visit.js';

let browser: Browser;
let world: Awaited<ReturnType<typeof startDemoGateway>>;
let gateway: Gateway;
beforeAll(async () => {
  browser = await startBrowser();
  world = await startDemoGateway();
  gateway = world.gateway;
}, 600_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const faultsOf = async (page: Page, rules?: readonly string[]): Promise<string[]> => {
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    `axe.run('html', ${JSON.stringify(options)})`,
  )) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
};

const PAGES = [
  '/docs/',
  '/docs/quick-start',
  '/docs/guides/questions/who-turned-it-on',
  '/docs/reference/schema/events',
  '/docs/operations/troubleshooting',
  '/docs/nowhere',
];
const VIEWS = [
  { width: 'a desk', viewport: DESK },
  { width: 'a phone', viewport: PHONE },
] as const;

describe.each(VIEWS)('on $width', ({ viewport }) => {
  test.each(PAGES)(
    '%s fits, is accessible in both themes, and calls no other host',
    async (path) => {
      const problems = await visit(
        browser,
        `${gateway.url}${path}`,
        async (page) => {
          await page.locator('.VPNav').waitFor();
          expect(await isTooWide(page)).toBe(false);
          expect(await faultsOf(page)).toEqual([]);
          // The other theme changes nothing but colors, some of them over time.
          await page.emulateMedia({ colorScheme: 'dark' });
          await page.locator('html.dark').waitFor();
          await expect.poll(() => faultsOf(page, ['color-contrast'])).toEqual([]);
          expect(await isTooWide(page)).toBe(false);
        },
        { viewport, colorScheme: 'light', expects: /status of 404/ },
      );
      expect(problems).toEqual(NO_PROBLEMS);
    },
  );

  test('the OpenAPI viewer shows the REST paths and calls no other host', async () => {
    const problems = await visit(
      browser,
      `${gateway.url}/docs/openapi`,
      async (page) => {
        await page.getByText('/api/admin/search/events').first().waitFor();
        expect(await isTooWide(page)).toBe(false);
        await page.emulateMedia({ colorScheme: 'dark' });
        expect(await isTooWide(page)).toBe(false);
      },
      { viewport, colorScheme: 'light' },
    );
    expect(problems).toEqual(NO_PROBLEMS);
  });
});

test('search finds a field of the schema', async () => {
  const problems = await visit(browser, `${gateway.url}/docs/`, async (page) => {
    await page.getByRole('button', { name: /^Search/ }).click();
    await page.locator('#localsearch-input').fill('cleanUp candidates');
    await page.locator('.VPLocalSearchBox .result').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/.+#/);
  });
  expect(problems).toEqual(NO_PROBLEMS);
});

test('the color scheme can be switched', async () => {
  const problems = await visit(
    browser,
    `${gateway.url}/docs/`,
    async (page) => {
      const isDark = () => page.evaluate("document.documentElement.classList.contains('dark')");
      expect(await isDark()).toBe(false);
      await page.locator('.VPNavBarAppearance button').click();
      await expect.poll(isDark).toBe(true);
      await page.reload();
      expect(await isDark()).toBe(true);
    },
    { colorScheme: 'light' },
  );
  expect(problems).toEqual(NO_PROBLEMS);
});

test('a code block can be copied', async () => {
  const problems = await visit(
    browser,
    `${gateway.url}/docs/quick-start`,
    async (page) => {
      await page.locator('.language-graphql').first().hover();
      await page.locator('.language-graphql button.copy').first().click();
      await expect
        .poll(() => page.evaluate('navigator.clipboard.readText()'))
        .toContain('type: { is: FEATURE_ARCHIVED }');
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  );
  expect(problems).toEqual(NO_PROBLEMS);
});

test.each([{}, { BASE_PATH: '/flags' }])('a query opens in GraphiQL (%o)', async (settings) => {
  const own = await world.again(settings);
  const base = `${own.url}${settings.BASE_PATH ?? ''}`;
  const problems = await visit(browser, `${base}/docs/`, async (page) => {
    await page.locator('.VPFeature', { hasText: 'What should we clean up?' }).click();
    await page.waitForURL(`${base}/docs/guides/questions/what-to-clean-up`);
    await page.getByRole('link', { name: 'Open in GraphiQL' }).first().click();
    await untilReady(page);
    await runQuery(page);
    await expectAnswer(page, '"cleanUp":{"nodes":[{"feature":{"name":');
  });
  expect(problems).toEqual(NO_PROBLEMS);
});

test('without GraphiQL no page links to it', async () => {
  const without = await world.again({ GRAPHIQL: 'off' });
  const problems = await visit(browser, `${without.url}/docs/quick-start`, async (page) => {
    await page.locator('button.copy').first().waitFor({ state: 'attached' });
    expect(await page.locator('.graphiql-link').count()).toBe(0);
  });
  expect(problems).toEqual(NO_PROBLEMS);
});

test('the content can be reached by keyboard, skipping the navigation', async () => {
  const problems = await visit(browser, `${gateway.url}/docs/quick-start`, async (page) => {
    // Until its scripts have run, the page does not handle the link.
    await page.waitForLoadState('networkidle');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const focused = 'document.activeElement?.id';
    await expect.poll(() => page.evaluate(focused)).toBe('VPContent');
  });
  expect(problems).toEqual(NO_PROBLEMS);
});
