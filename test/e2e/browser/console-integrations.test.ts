import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ConsoleVisit,
  type ConsoleWorld,
  expectSoundEverywhere,
  openConsole,
  startConsole,
} from './console.js';

let world: ConsoleWorld;
beforeAll(async () => {
  world = await startConsole();
}, 600_000);
afterAll(() => world.stop());

const open = (path: string, work: (page: Page) => Promise<void>, options?: ConsoleVisit) =>
  openConsole(world.browser, `${world.gateway.url}${path}`, work, options);

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

describe('integrations in the console', () => {
  test('lists integrations with their failure rates', async () => {
    await open('/integrations', async (page) => {
      const row = page.getByRole('row', { name: /What changes for customers/ });
      await row.waitFor();
      expect(await row.innerText()).toMatch(/Slack\s+Enabled\s+24%\s+of 25/);
      const unused = page.getByRole('row', { name: /Nothing delivered so far/ });
      expect(await unused.innerText()).toContain('Never');
      await expectSoundEverywhere(page);
      await row.getByRole('link').click();
      await heading(page, 'What changes for customers').waitFor();
    });
  });

  test('shows deliveries by outcome, with details and a link to the event', async () => {
    await open('/integrations/2', async (page) => {
      await page.getByText('Some (1 of 2) Slack webhook requests failed.').first().waitFor();
      const list = page.getByRole('list', { name: 'Deliveries, newest first' });
      await page.getByRole('button', { name: /^Failed/ }).click();
      await page.waitForURL(/\?state=FAILED$/);
      await expect.poll(() => list.getByRole('listitem').count()).toBe(2);
      expect(await list.innerText()).not.toContain('Succeeded');
      const details = list.getByRole('button', { name: /^Details of delivery/ }).first();
      await details.click();
      expect(await details.getAttribute('aria-expanded')).toBe('true');
      await list.getByText('"username": "Feature bot"').waitFor();
      await expectSoundEverywhere(page);
      await list
        .getByRole('link', { name: /^Event \d+:/ })
        .first()
        .click();
      await page.waitForURL(/\/\?event=\d+$/);
    });
  });

  test('pages through the deliveries', async () => {
    await open('/integrations/1', async (page) => {
      const list = page.getByRole('list', { name: 'Deliveries, newest first' });
      await list.waitFor();
      const first = await list.innerText();
      const older = page.getByRole('button', { name: 'Older' });
      await older.click();
      await page.getByText('Page 2').waitFor();
      await expect.poll(() => list.innerText()).not.toBe(first);
      await older.click();
      await page.getByText('Page 3').waitFor();
      await expect.poll(() => older.isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'Newer' }).click();
      await page.getByRole('button', { name: 'Newer' }).click();
      await expect.poll(() => list.innerText()).toBe(first);
    });
  });

  test('explains why an event was not sent, check by check', async () => {
    await open('/integrations/2', async (page) => {
      const input = page.getByRole('textbox', { name: 'Event ID' });
      await input.fill('first');
      await input.press('Enter');
      await page.getByText('Enter the ID of an event').waitFor();
      await expectSoundEverywhere(page);
      await input.fill('100');
      await input.press('Enter');
      await page.waitForURL(/\?explain=100$/);
      await heading(page, 'It is not sent.').waitFor();
      const checks = page.getByRole('list', { name: 'Checks' }).getByRole('listitem');
      const texts = await checks.allInnerTexts();
      expect(texts.map((text) => text.split(/\s/, 1)[0])).toEqual([
        'Pass',
        'Fail',
        'Pass',
        'Pass',
        'Fail',
        'Pass',
      ]);
      expect(texts[1]).toContain("this one is 'feature-tagged'");
      await expectSoundEverywhere(page);
    });
  });

  test('finds an event by its text and explains it, and one that does not exist', async () => {
    await open('/integrations/6', async (page) => {
      const found = page.getByRole('region', { name: 'Choose an event' }).getByRole('listitem');
      // An author is not part of the data of events, a feature sometimes.
      for (const text of ['goran.petrovic', 'picking-by-voice']) {
        await page.getByLabel('Or find the event').fill(text);
        await expect
          .poll(async () => {
            const texts = await found.allInnerTexts();
            return texts.length > 3 && texts.every((one) => one.includes(text));
          })
          .toBe(true);
      }
      await found.first().getByRole('button').click();
      await page.getByRole('list', { name: 'Checks' }).waitFor();
      await page.getByRole('button', { name: 'Explain another event' }).click();
      await found.first().waitFor();
      await page.getByRole('textbox', { name: 'Event ID' }).fill('99999999');
      await page.getByRole('button', { name: 'Explain', exact: true }).click();
      await page.getByText('Event 99999999 does not exist, or is not visible to you.').waitFor();
      await page.getByText('No delivery is on record.').waitFor();
    });
  });
});

test.each(['/integrations/999', '/integrations/none'])('%s is not found', async (path) => {
  await open(path, async (page) => {
    await heading(page, 'Integration not found').waitFor();
  });
});

test('opens the query of a panel in GraphiQL, with its variables', async () => {
  await open('/integrations/2', async (page) => {
    await page
      .getByRole('region', { name: 'Deliveries' })
      .getByRole('link', { name: 'Show query' })
      .click();
    await page.getByText('IntegrationDeliveries').first().waitFor();
    await page.getByText('"first"').first().waitFor();
    await page.getByRole('link', { name: 'Console' }).click();
    await heading(page, 'Events').waitFor();
  });
});
