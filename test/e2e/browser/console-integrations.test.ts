import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import type { Gateway } from '../../testkit/app.js';
import { startDemoGateway } from '../../testkit/demo-gateway.js';
import { startBrowser } from './browser.js';
import { DESK, isTooWide, NO_PROBLEMS, PHONE, visit } from './visit.js';

const cleanUps: (() => Promise<unknown>)[] = [];
let browser: Browser;
let gateway: Gateway;
beforeAll(async () => {
  browser = await startBrowser();
  cleanUps.push(() => browser.close());
  const world = await startDemoGateway({ CONSOLE: 'on' });
  cleanUps.push(world.stop);
  gateway = world.gateway;
}, 600_000);
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

/** Accessibility violations, each with its elements. */
const faultsOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    "axe.run('html', { resultTypes: ['violations'] })",
  )) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
};

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

const expectSound = async (page: Page) => {
  expect(await isTooWide(page)).toBe(false);
  expect(await faultsOf(page)).toEqual([]);
};

describe.each([
  { size: 'a desk', viewport: DESK, colorScheme: 'light' },
  { size: 'a phone', viewport: PHONE, colorScheme: 'dark' },
] as const)('on $size, $colorScheme', ({ viewport, colorScheme }) => {
  const open = (path: string, work: (page: Page) => Promise<void>) =>
    visit(browser, `${gateway.url}${path}`, work, { viewport, colorScheme });

  test('lists integrations with their failure rates', async () => {
    const problems = await open('/integrations', async (page) => {
      const row = page.getByRole('row', { name: /What changes for customers/ });
      await row.waitFor();
      expect(await row.innerText()).toMatch(/Slack\s+Enabled\s+24%\s+of 25/);
      const unused = page.getByRole('row', { name: /Nothing delivered so far/ });
      expect(await unused.innerText()).toContain('Never');
      await expectSound(page);
      await row.getByRole('link').click();
      await heading(page, 'What changes for customers').waitFor();
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('shows deliveries by outcome, with details and a link to the event', async () => {
    const problems = await open('/integrations/2', async (page) => {
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
      await expectSound(page);
      await list
        .getByRole('link', { name: /^Event \d+:/ })
        .first()
        .click();
      await page.waitForURL(/\/\?event=\d+$/);
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('pages through the deliveries', async () => {
    const problems = await open('/integrations/1', async (page) => {
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
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('explains why an event was not sent, check by check', async () => {
    const problems = await open('/integrations/2', async (page) => {
      const input = page.getByRole('textbox', { name: 'Event ID' });
      await input.fill('first');
      await input.press('Enter');
      await page.getByText('Enter the ID of an event').waitFor();
      await expectSound(page);
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
      await expectSound(page);
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('explains one of the newest events, and one that does not exist', async () => {
    const problems = await open('/integrations/6', async (page) => {
      await page.getByText('Choose one of the newest events').click();
      await page
        .getByRole('button', { name: /^Explain event/ })
        .first()
        .click();
      await page.getByRole('list', { name: 'Checks' }).waitFor();
      await page.getByRole('textbox', { name: 'Event ID' }).fill('99999999');
      await page.getByRole('button', { name: 'Explain', exact: true }).click();
      await page.getByText('Event 99999999 does not exist, or is not visible to you.').waitFor();
      await page.getByText('No delivery is on record.').waitFor();
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test.each(['viewer', 'member'] as const)(
    'shows a %s that only administrators see them',
    async (role) => {
      const problems = await visit(
        browser,
        `${gateway.url}/docs/`,
        async (page) => {
          await page.evaluate(`sessionStorage.setItem('flaggraph:token', '${DEMO_TOKENS[role]}')`);
          for (const path of ['/integrations', '/integrations/2']) {
            await page.goto(`${gateway.url}${path}`);
            await page.getByText('Only administrators can see integrations').waitFor();
            await expectSound(page);
          }
        },
        { viewport, colorScheme, expects: /404/ },
      );
      expect(problems).toEqual(NO_PROBLEMS);
    },
  );
});

test.each(['/integrations/999', '/integrations/none'])('%s is not found', async (path) => {
  const problems = await visit(browser, `${gateway.url}${path}`, async (page) => {
    await heading(page, 'Integration not found').waitFor();
  });
  expect(problems).toEqual(NO_PROBLEMS);
});

test('opens the query of a panel in GraphiQL, with its variables', async () => {
  const problems = await visit(browser, `${gateway.url}/integrations/2`, async (page) => {
    await page
      .getByRole('region', { name: 'Deliveries' })
      .getByRole('link', { name: 'Show query' })
      .click();
    await page.getByText('IntegrationDeliveries').first().waitFor();
    await page.getByText('"first"').first().waitFor();
    await page.getByRole('link', { name: 'Console' }).click();
    await heading(page, 'Events').waitFor();
  });
  expect(problems).toEqual(NO_PROBLEMS);
});
