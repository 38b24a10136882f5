import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo } from '../../testkit/app.js';
import { startBrowser } from './browser.js';
import { buildExamples, serveExamples } from './examples.js';

describeWithDemo('in the examples', ({ gateway, kind }) => {
  let browser: Browser;
  let examples: Awaited<ReturnType<typeof serveExamples>>;
  beforeAll(async () => {
    await buildExamples();
    browser = await startBrowser();
    examples = await serveExamples(gateway().url);
  }, 900_000);
  afterAll(async () => {
    await examples.stop();
    await browser.close();
  });

  describe.each(['apollo', 'urql'])('on %s', (client) => {
    /** Opens a view as a user; any error in the page fails the test. */
    const visit = async (
      view: string,
      work: (page: Page) => Promise<void>,
      token: string = DEMO_TOKENS.admin,
    ) => {
      const context = await browser.newContext();
      const faults: string[] = [];
      try {
        const page = await context.newPage();
        page.on('pageerror', (error) => faults.push(error.message));
        await page.goto(`${examples.address}/${client}/#${view}`);
        await page.getByLabel('Token').fill(token);
        await page.getByRole('button', { name: 'Use it' }).click();
        await work(page);
      } finally {
        await context.close();
      }
      expect(faults).toEqual([]);
    };

    const shownIds = (page: Page) =>
      page
        .locator('[data-event]')
        .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('data-event'))));

    test('the event log loads page by page while scrolling, without missing or repeated events', async () => {
      const { data } = await gateway().graphql('{ events(first: 60) { nodes { id } } }');
      const expected = data.events.nodes.map(({ id }: { id: number }) => id);
      await visit('events', async (page) => {
        await page.locator('[data-event]').first().waitFor();
        await expect
          .poll(async () => {
            await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
            return (await shownIds(page)).length;
          })
          .toBeGreaterThanOrEqual(60);
        expect((await shownIds(page)).slice(0, 60)).toEqual(expected);
      });
    });

    test('the event log applies its filters', async () => {
      const query = `{ events(first: 20, filter: { projectId: { is: "mobile" }, type: { category: [PROJECT] } }) { nodes { id } } }`;
      const { data } = await gateway().graphql(query);
      const expected = data.events.nodes.map(({ id }: { id: number }) => id);
      expect(expected.length).toBeGreaterThan(0);
      await visit('events', async (page) => {
        await page.getByRole('option', { name: 'Mobile' }).waitFor({ state: 'attached' });
        await page.locator('select[name=project]').selectOption('mobile');
        await page.locator('select[name=category]').selectOption('PROJECT');
        await expect
          .poll(async () => (await shownIds(page)).slice(0, expected.length))
          .toEqual(expected);
      });
    });

    test('a new event appears live, once and at the top', async () => {
      await visit('events', async (page) => {
        await page.locator('[data-event]').first().waitFor();
        const before = await shownIds(page);
        await page.getByLabel('Follow live').check();
        const name = `live-on-${client}-${kind}`;
        const cloned = await gateway().rest(
          '/api/admin/projects/default/features/checkout-one-page/clone',
          { body: { name } },
        );
        expect(cloned.status).toBe(200);
        await page.getByRole('cell', { name }).first().waitFor();
        const after = await shownIds(page);
        expect(new Set(after).size).toBe(after.length);
        expect(after[0]).toBeGreaterThan(before[0] ?? 0);
      });
    });

    test('the timeline of a feature shows who toggled it', async () => {
      await visit('timeline', async (page) => {
        await page.getByRole('button', { name: 'Show' }).click();
        const periods = page.getByRole('list', { name: 'Timeline of yearly-survey' });
        await periods.waitFor();
        const texts = await periods.getByRole('listitem').allInnerTexts();
        expect(texts.map((text) => text.split(' ')[0])).toEqual([
          'DISABLED',
          'ENABLED',
          'DISABLED',
        ]);
        expect(texts[1]).toContain('goran.petrovic@harbour-pine.example');

        await page.getByLabel('Environment').fill('moon');
        await page.getByRole('button', { name: 'Show' }).click();
        expect(await page.getByRole('alert').textContent()).toContain('moon');
      });
    });

    test('the clean-up list shows the most important candidates first', async () => {
      const { data } = await gateway().graphql(
        '{ project(id: "web-shop") { health { cleanUp(first: 10) { nodes { feature { name } } } } } }',
      );
      const expected = data.project.health.cleanUp.nodes.map(
        ({ feature }: { feature: { name: string } }) => feature.name,
      );
      expect(expected.length).toBeGreaterThan(1);
      await visit('clean-up', async (page) => {
        await page.getByRole('button', { name: 'Show' }).click();
        const list = page.getByRole('list', { name: 'What to remove first' });
        await list.waitFor();
        expect(await list.locator('strong').allInnerTexts()).toEqual(expected);
      });
    });

    test('a clone can be planned, is rejected with its reason, and is created', async () => {
      const name = `cloned-on-${client}-${kind}`;
      await visit('clone', async (page) => {
        const nameBox = page.getByLabel('Name of the copy');
        await nameBox.fill(name);
        await page.getByRole('button', { name: 'Try' }).click();
        await page.getByText('It would work, in web-shop.').waitFor();

        await nameBox.fill('checkout-one-page');
        await page.getByRole('button', { name: 'Try' }).click();
        await page.getByText('NameExistsError').waitFor();
        await page.getByRole('button', { name: 'Clone', exact: true }).click();
        expect(await page.getByRole('alert').textContent()).toContain('checkout-one-page');

        await nameBox.fill(name);
        await page.getByRole('button', { name: 'Clone', exact: true }).click();
        await page.getByText(`${name} is there, in web-shop`).waitFor();
      });
      const { data } = await gateway().graphql(`{ feature(name: "${name}") { projectId } }`);
      expect(data.feature).toEqual({ projectId: 'web-shop' });
    });

    test('an invalid token is reported', async () => {
      await visit(
        'events',
        async (page) => expect(await page.getByRole('alert').textContent()).toMatch(/token/i),
        'no-such-token',
      );
    });
  });
});
