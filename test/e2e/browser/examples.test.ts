import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeWithDemo } from '../../testkit/app.js';
import { freePort } from '../../testkit/free-port.js';
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

  describe.each(['apollo', 'urql'])('with %s', (client) => {
    /** Opens the page; any error in it fails the test. */
    const visit = async (
      work: (page: Page) => Promise<void>,
      { address } = examples,
    ): Promise<void> => {
      const context = await browser.newContext();
      const faults: string[] = [];
      try {
        const page = await context.newPage();
        page.on('pageerror', (error) => faults.push(error.message));
        await page.goto(`${address}/${client}/`);
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

    const idsOf = async (selection: string): Promise<number[]> => {
      const { data } = await gateway().graphql(`{ events(${selection}) { nodes { id } } }`);
      return data.events.nodes.map(({ id }: { id: number }) => id);
    };

    test('the event log loads page by page, without missing or repeated events', async () => {
      const expected = await idsOf('first: 150');
      await visit(async (page) => {
        for (const count of [50, 100, 150]) {
          await expect.poll(() => shownIds(page)).toEqual(expected.slice(0, count));
          await page.getByRole('button', { name: 'Load more' }).click();
        }
      });
    });

    test('the event log of a project is filtered', async () => {
      const expected = await idsOf('first: 50, filter: { projectId: { is: "mobile" } }');
      expect(expected.length).toBeGreaterThan(0);
      await visit(async (page) => {
        await page.getByLabel('Project').selectOption('mobile');
        await expect.poll(() => shownIds(page)).toEqual(expected);
      });
    });

    test('a new event appears live, once and at the top', async () => {
      await visit(async (page) => {
        await page.locator('[data-event]').first().waitFor();
        const before = await shownIds(page);
        const name = `live-with-${client}-${kind}`;
        const cloned = await gateway().rest(
          '/api/admin/projects/default/features/checkout-one-page/clone',
          { body: { name } },
        );
        expect(cloned.status).toBe(200);
        await page.getByRole('listitem').filter({ hasText: name }).first().waitFor();
        const after = await shownIds(page);
        expect(new Set(after).size).toBe(after.length);
        expect(after[0]).toBeGreaterThan(before[0] ?? 0);
        expect(after.slice(-before.length)).toEqual(before);
      });
    });

    test('a failed request is reported', async () => {
      const unreachable = await serveExamples(`http://127.0.0.1:${await freePort()}`);
      try {
        await visit(async (page) => {
          await page.getByRole('alert').waitFor();
          expect(await shownIds(page)).toEqual([]);
        }, unreachable);
      } finally {
        await unreachable.stop();
      }
    });
  });
});
