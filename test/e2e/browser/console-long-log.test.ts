import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Db, Prisma } from '../../../src/data/db.js';
import { describeWithGateway } from '../../testkit/app.js';
import { type Browser, type Page, startBrowser } from './browser.js';
import { openConsole } from './console.js';

const ADDED = 3_000;
/** Rows of one screen, and those around it. */
const MAX_ROWS = 60;
const WHEEL_PX = 640;

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const addEvents = (db: Db, count: number, author: string) =>
  db.$queryRaw(Prisma.sql`
    insert into events (type, created_by, project, feature_name, data)
    select 'feature-updated', ${author} || '-' || n || '.', 'web-shop', 'scrolled', '{}'::json
    from generate_series(1, ${count}::int) n`);

/** Records, in every frame, how many rows exist and which authors they name. */
const RECORD = `
  window.seen = { most: 0, authors: {} };
  const record = () => {
    const rows = [...document.getElementsByClassName('event-row')];
    seen.most = Math.max(seen.most, rows.length);
    for (const row of rows) {
      const author = /scroller-\\d+\\./.exec(row.textContent)?.[0];
      if (author) seen.authors[author] = row.getAttribute('aria-posinset');
    }
    requestAnimationFrame(record);
  };
  requestAnimationFrame(record);`;

/** A turn of the wheel is scrolled in one frame and rendered by the next. */
const RENDERED =
  'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';

type Seen = { most: number; authors: Record<string, string> };

const scrollThrough = async (page: Page): Promise<Seen> => {
  await page.evaluate(RECORD);
  await page.locator('.event-scroller').hover();
  await expect
    .poll(
      async () => {
        for (let turn = 0; turn < 10; turn += 1) {
          await page.mouse.wheel(0, WHEEL_PX);
          await page.evaluate(RENDERED);
        }
        return page.evaluate('Object.keys(seen.authors).length');
      },
      { timeout: 60_000, interval: 1 },
    )
    .toBe(ADDED);
  return page.evaluate('seen') as Promise<Seen>;
};

describeWithGateway(
  'a long event log in the console',
  async (openDatabase) => {
    const database = await openDatabase({ world: 'demo' });
    await addEvents(database.client, ADDED, 'scroller');
    return database;
  },
  ({ gateway, database }) => {
    test('shows every event once and in order, with few rows in the page', () =>
      openConsole(browser, `${gateway().url}/`, async (page) => {
        await page.locator('.event-row').first().waitFor();
        const { most, authors } = await scrollThrough(page);
        expect(most).toBeLessThan(MAX_ROWS);
        const positions = Array.from(
          { length: ADDED },
          (_, index) => Number(authors[`scroller-${ADDED - index}.`]) - index,
        );
        expect(new Set(positions).size).toBe(1);
      }));

    test('keeps what is being read in its place while events are recorded', () =>
      openConsole(browser, `${gateway().url}/`, async (page) => {
        await page.locator('.live[data-state=open]').waitFor();
        await page.locator('.event-scroller').hover();
        await page.mouse.wheel(0, WHEEL_PX);
        const row = page.locator('.event-row', { hasText: `scroller-${ADDED - 12}.` });
        await row.waitFor();
        const place = () => row.boundingBox();
        const position = () => row.getAttribute('aria-posinset');
        await row.getByRole('button').focus();
        const [before, number] = [await place(), Number(await position())];
        await addEvents(database().client, 3, 'above');
        await expect.poll(position).toBe(String(number + 3));
        expect(await place()).toEqual(before);
        expect(await row.getByRole('button').evaluate((it) => it === document.activeElement)).toBe(
          true,
        );
      }));

    test('shows an event that is recorded while the first page is read', () =>
      openConsole(browser, `${gateway().url}/projects`, async (page) => {
        await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
        await page.route('**/graphql', async (route) => {
          const { operationName, variables } = route.request().postDataJSON();
          if (operationName !== 'EventPage' || variables.after !== null) return route.continue();
          const response = await route.fetch();
          await addEvents(database().client, 1, 'meanwhile');
          await route.fulfill({ response });
        });
        await page.getByRole('link', { name: 'Events' }).click();
        await page.getByText('meanwhile-1.').first().waitFor({ timeout: 5_000 });
        expect(await page.getByText('meanwhile-1.').count()).toBe(1);
      }));
  },
  { CONSOLE: 'on' },
);
