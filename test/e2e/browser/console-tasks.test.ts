import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from './browser.js';
import { type ConsoleWorld, openConsole, SIZES, startConsole } from './console.js';

let world: ConsoleWorld;
beforeAll(async () => {
  world = await startConsole();
}, 600_000);
afterAll(() => world.stop());

const FEATURE = 'payments-3ds-frictionless';

/** Uses the box in the header, which is on every screen. */
const findFeature = async (page: Page, text: string, name: string) => {
  await page.getByRole('combobox', { name: 'Find a feature' }).fill(text);
  await page.getByRole('option', { name }).first().click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
};

describe.each(SIZES)('tasks of a newcomer on $size', ({ viewport }) => {
  const start = (work: (page: Page) => Promise<void>) =>
    openConsole(
      world.browser,
      world.gateway.url,
      async (page) => {
        await page.locator('.event-row').first().waitFor();
        await work(page);
      },
      { viewport },
    );

  test('who turned it off, and what changed', async () => {
    const { data } = await world.gateway.graphql(
      `query ($name: String!) { events(first: 1, filter: {
        featureName: { is: $name }, type: { is: FEATURE_ENVIRONMENT_DISABLED } }) { nodes { createdBy } } }`,
      { name: FEATURE },
    );
    await start(async (page) => {
      await findFeature(page, '3ds', FEATURE);
      await page.getByRole('link', { name: /events in the event log/ }).click();
      const row = page.locator('.event-row').filter({ hasText: `disabled feature ${FEATURE}` });
      await row.first().getByRole('button').click();
      const details = page.getByRole('complementary', { name: 'Event' });
      await details.getByRole('row', { name: 'enabled true false' }).waitFor();
      await details.getByText(data.events.nodes[0].createdBy).first().waitFor();
    });
  });

  test('what did it look like two weeks ago', () =>
    start(async (page) => {
      await findFeature(page, 'one-page', 'checkout-one-page');
      await page.getByRole('button', { name: '2 weeks ago' }).click();
      const then = page.getByRole('region', { name: /^As it stood on/ });
      await then.getByRole('heading', { name: 'Compared with now' }).waitFor();
      await then.getByText('Checkout on one page (spike)').first().waitFor();
    }));

  test('what should we delete', async () => {
    const { data } = await world.gateway.graphql(
      '{ cleanUp(first: 1) { nodes { feature { name } reasons { explanation } } } }',
    );
    const [first] = data.cleanUp.nodes;
    await start(async (page) => {
      await page.getByRole('link', { name: 'Clean-up' }).click();
      const row = page.locator('.rows tbody tr').first();
      await row.getByRole('link', { name: first.feature.name }).waitFor();
      for (const { explanation } of first.reasons) await row.getByText(explanation).waitFor();
    });
  });

  test('why was there no Slack message', () =>
    start(async (page) => {
      await findFeature(page, '3ds', FEATURE);
      await page.getByRole('link', { name: /events in the event log/ }).click();
      await page.locator('.event-row').first().getByRole('button').click();
      await page
        .getByRole('link', { name: 'Why was it not sent to What changes for customers?' })
        .click();
      await page.getByRole('heading', { name: 'It is not sent.' }).waitFor();
      const failed = page.getByRole('list', { name: 'Checks' }).getByRole('listitem');
      expect((await failed.allInnerTexts()).some((text) => text.startsWith('Fail'))).toBe(true);
    }));

  test('copy this flag to that project', () =>
    start(async (page) => {
      await findFeature(page, 'tour', 'welcome-tour');
      await page.getByRole('button', { name: 'Clone' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Ready to clone.').waitFor();
      await dialog.getByRole('combobox', { name: 'Project' }).fill('lab');
      await page.getByRole('option', { name: /Lab/ }).click();
      await dialog.getByText('Ready to clone.').waitFor();
      await dialog.getByRole('button', { name: 'Clone', exact: true }).click();
      await dialog.getByRole('link', { name: /^Open / }).click();
      await page.getByRole('main').getByRole('link', { name: 'Lab' }).waitFor();
    }));
});
