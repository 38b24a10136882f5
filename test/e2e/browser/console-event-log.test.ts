import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Prisma } from '../../../src/data/db.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import type { Gateway } from '../../testkit/app.js';
import { type ConsoleVisit, type ConsoleWorld, openConsole, startConsole } from './console.js';

let world: ConsoleWorld;
let gateway: Gateway;
beforeAll(async () => {
  world = await startConsole();
  gateway = world.gateway;
}, 600_000);
afterAll(() => world.stop());

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

const open = (work: (page: Page) => Promise<void>, options?: ConsoleVisit) =>
  openConsole(
    world.browser,
    gateway.url,
    async (page) => {
      await rows(page).first().waitFor();
      await work(page);
    },
    options,
  );

describe('the event log of the console', () => {
  test('shows the exact total, filters by what the log contains, and keeps the view in the URL', async () => {
    await open(async (page) => {
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
  });

  test('shows an object that was added as one row for each of its values', async () => {
    await open(async (page) => {
      await choose(page, 'Type', 'strategy added', 'Feature strategy added');
      await rows(page).filter({ hasText: 'Feature strategy added' }).first().waitFor();
      await rows(page).getByRole('button').first().click();
      const changes = page.getByRole('table', { name: 'What changed' });
      await changes.getByRole('rowheader', { name: 'name', exact: true }).waitFor();
      expect(await changes.getByRole('columnheader').allTextContents()).toEqual([
        'Property',
        'After',
      ]);
      expect(await changes.textContent()).not.toContain('{');
    });
  });

  test('says what a search without a match has searched', async () => {
    await open(async (page) => {
      await page.getByRole('searchbox', { name: 'Search' }).fill('disabled feature');
      await page.getByText('finds text in the recorded data').waitFor();
    });
  });

  test('loads further pages while it is scrolled, with few rows in the page', async () => {
    await open(async (page) => {
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
  });

  test('follows each filter from a cursor of its own', async () => {
    await open(async (page) => {
      const followed: { after: string; filter: string }[] = [];
      page.on('request', (request) => {
        const { variables = {} } = (request.postDataJSON() ?? {}) as { variables?: object };
        if (!('after' in variables) || 'first' in variables) return;
        const { after, filter } = variables as { after: string; filter: object };
        followed.push({ after, filter: JSON.stringify(filter) });
      });
      await page.locator('.live[data-state=open]').waitFor();
      await page.locator('.activity-day').last().click();
      await expect.poll(() => page.url()).toContain('from=');
      await page.getByRole('button', { name: 'Clear' }).click();
      await choose(page, 'Project', 'mobile', 'mobile');
      await expect.poll(() => followed.at(-1)?.filter).toContain('mobile');
      for (const { after, filter } of followed) {
        const filters = followed.filter((other) => other.after === after);
        expect(filters.map((other) => other.filter)).toEqual(filters.map(() => filter));
      }
    });
  });

  test('shows a new event within two seconds', async () => {
    await open(async (page) => {
      await page.locator('.live[data-state=open]').waitFor();
      await page.getByText(/^[\d,]+ events$/).waitFor();
      const before = await total(page);
      await world.database.client.$queryRaw(Prisma.sql`
        insert into events (type, created_by, project, feature_name, data)
        values ('feature-updated', 'a-live-author', 'web-shop', 'followed', '{}')`);
      await page.getByText('a-live-author').first().waitFor({ timeout: 2_000 });
      await expect.poll(() => total(page)).toBe(before + 1);
    });
  });

  test('is used with the keyboard', async () => {
    await open(async (page) => {
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
  });

  test('moves the focus with the keyboard, and back from the details', async () => {
    await open(async (page) => {
      const focusedRow = () =>
        page.evaluate(`document.activeElement?.closest('.event-row')?.dataset.event`);
      const openEvent = () => new URL(page.url()).searchParams.get('event');
      await page.keyboard.press('j');
      await page.locator('.details').waitFor();
      await expect.poll(focusedRow).toBe(openEvent());
      for (let step = 0; step < 30; step += 1) await page.keyboard.press('j');
      await expect.poll(focusedRow).toBe(openEvent());
      await page.keyboard.press('d');
      await page.keyboard.press('Tab');
      expect(await page.locator('.details :focus').count()).toBe(1);
      const row = openEvent();
      await page.keyboard.press('Escape');
      await page.locator('.details').waitFor({ state: 'detached' });
      await expect.poll(focusedRow).toBe(row);
    });
  });

  test('adds one step to the history for many events, and one for a typed day', async () => {
    await open(async (page) => {
      const steps = () => page.evaluate('history.length') as Promise<number>;
      const before = await steps();
      for (let step = 0; step < 8; step += 1) await page.keyboard.press('j');
      await page.locator('.details').waitFor();
      expect(await steps()).toBe(before + 1);
      await page.goBack();
      await page.locator('.details').waitFor({ state: 'detached' });
      await page.getByLabel('From').focus();
      await page.keyboard.type('05012026');
      await expect.poll(() => page.url()).toContain('?from=2026-05-01');
      expect(await steps()).toBe(before + 1);
      await page.goBack();
      await expect.poll(() => new URL(page.url()).search).toBe('');
    });
  });

  test('shows a viewer what a viewer may see, and offers other roles', async () => {
    await open(async (page) => {
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
  });
});
