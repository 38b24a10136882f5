import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { Prisma } from '../../../src/data/db.js';
import { loadDemoData } from '../../../src/demo/load-demo-data.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { embeddedTemplate } from '../../testkit/database.js';
import { startBrowser } from './browser.js';
import { DESK, isTooWide, NO_PROBLEMS, PHONE, visit } from './visit.js';

const cleanUps: (() => Promise<unknown>)[] = [];
let browser: Browser;
let database: Database;
let gateway: Gateway;
beforeAll(async () => {
  browser = await startBrowser();
  cleanUps.push(() => browser.close());
  database = await openDatabase({ dataDir: 'memory://', embeddedTemplate: embeddedTemplate() });
  cleanUps.push(database.close);
  await loadDemoData(database.client, { now: new Date() });
  gateway = await startGateway(database, { CONSOLE: 'on' });
  cleanUps.push(gateway.stop);
}, 600_000);
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

const faultsOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    `axe.run('html', { resultTypes: ['violations'] })`,
  )) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
};

const rows = (page: Page) => page.locator('.event-row');
const total = async (page: Page): Promise<number> =>
  Number((await page.locator('.total').innerText()).replaceAll(/\D/g, ''));
const countOf = async (filter: object): Promise<number> =>
  (
    await gateway.graphql(
      'query ($filter: EventFilter) { events(filter: $filter) { totalCount } }',
      {
        filter,
      },
    )
  ).data.events.totalCount;

const choose = async (page: Page, label: string, text: string, option: string) => {
  await page.getByRole('combobox', { name: label }).fill(text);
  await page.getByRole('option', { name: option }).first().click();
};

const open = (
  work: (page: Page) => Promise<void>,
  { path = '/', ...options }: { path?: string } & Parameters<typeof visit>[3] = {},
) =>
  visit(
    browser,
    `${gateway.url}${path}`,
    async (page) => {
      await rows(page).first().waitFor();
      await work(page);
    },
    options,
  );

describe('the event log of the console', () => {
  test.each([
    ['a desk, light', DESK, 'light'],
    ['a desk, dark', DESK, 'dark'],
    ['a phone, light', PHONE, 'light'],
    ['a phone, dark', PHONE, 'dark'],
  ] as const)('fits and is accessible on %s', async (_title, viewport, colorScheme) => {
    const problems = await open(
      async (page) => {
        await page.locator('.activity-day').first().waitFor();
        expect(await isTooWide(page)).toBe(false);
        expect(await faultsOf(page)).toEqual([]);
        await page.locator('.event-open').first().click();
        await page.locator('.details h2').waitFor();
        await page.locator('.details p').first().waitFor();
        expect(await isTooWide(page)).toBe(false);
        expect(await faultsOf(page)).toEqual([]);
      },
      { viewport, colorScheme },
    );
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('shows the exact total, filters by what the log contains, and keeps the view in the URL', async () => {
    const problems = await open(async (page) => {
      await expect.poll(() => total(page)).toBe(await countOf({}));
      await choose(page, 'Project', 'mobile', 'mobile');
      await expect.poll(() => total(page)).toBe(await countOf({ projectId: { is: 'mobile' } }));
      await choose(page, 'Author', 'olu', 'olu');
      const filter = { projectId: { is: 'mobile' }, createdBy: { is: 'olu' } };
      await expect.poll(() => total(page)).toBe(await countOf(filter));
      expect(new URL(page.url()).search).toBe('?author=olu&project=mobile');

      await page.reload();
      await rows(page).first().waitFor();
      await expect.poll(() => total(page)).toBe(await countOf(filter));
      await page.getByRole('button', { name: 'Clear' }).click();
      await expect.poll(() => total(page)).toBe(await countOf({}));
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('loads further pages while it is scrolled, with few rows in the page', async () => {
    const problems = await open(async (page) => {
      const scroller = page.locator('.event-scroller');
      await expect
        .poll(
          async () => {
            await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
            return Math.max(
              ...(await rows(page).evaluateAll((list) =>
                list.map((row) => Number(row.getAttribute('aria-posinset'))),
              )),
            );
          },
          { timeout: 30_000 },
        )
        .toBeGreaterThan(500);
      expect(await rows(page).count()).toBeLessThan(60);
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('shows a new event within two seconds', async () => {
    const problems = await open(async (page) => {
      await page.locator('.live[data-state=open]').waitFor();
      const before = await total(page);
      await database.client.$queryRaw(Prisma.sql`
        insert into events (type, created_by, project, feature_name, data)
        values ('feature-updated', 'a-live-author', 'web-shop', 'followed', '{}')`);
      await page.getByText('a-live-author').first().waitFor({ timeout: 2_000 });
      await expect.poll(() => total(page)).toBe(before + 1);
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('is used with the keyboard', async () => {
    const problems = await open(async (page) => {
      await page.keyboard.press('j');
      await page.locator('.details').waitFor();
      const first = new URL(page.url()).searchParams.get('event');
      await page.keyboard.press('j');
      await expect.poll(() => new URL(page.url()).searchParams.get('event')).not.toBe(first);
      await page.keyboard.press('k');
      await expect.poll(() => new URL(page.url()).searchParams.get('event')).toBe(first);
      await page.keyboard.press('Escape');
      await expect.poll(() => page.locator('.details').count()).toBe(0);
      await page.keyboard.press('/');
      await page.keyboard.type('zzzz-no-such-text');
      await page.getByText('No events match.').waitFor();
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('shows a viewer what a viewer may see, and offers other roles', async () => {
    const problems = await open(async (page) => {
      await page.getByRole('button', { name: /admin token/ }).click();
      await page.getByRole('menuitemradio', { name: /viewer/ }).click();
      await page.getByRole('button', { name: 'Vera Nyström' }).waitFor();
      const { data } = await gateway.graphql(
        '{ events { totalCount } }',
        {},
        { token: DEMO_TOKENS.viewer },
      );
      await expect.poll(() => total(page)).toBe(data.events.totalCount);
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });
});
