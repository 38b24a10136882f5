import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from './browser.js';
import { type ConsoleVisit, type ConsoleWorld, openConsole, startConsole } from './console.js';

let world: ConsoleWorld;
beforeAll(async () => {
  world = await startConsole();
}, 600_000);
afterAll(() => world.stop());

const open = (path: string, work: (page: Page) => Promise<void>, options?: ConsoleVisit) =>
  openConsole(world.browser, `${world.gateway.url}${path}`, work, options);

const rows = (page: Page) => page.locator('.event-row');
const offsetOf = (page: Page): Promise<number> =>
  page.evaluate("document.querySelector('.event-scroller').scrollTop");
const eventOf = (page: Page) => Number(new URL(page.url()).searchParams.get('event'));

describe('the browser back from a feature to the event log', () => {
  test('shows the same place of the list, and loads on', () =>
    open('/', async (page) => {
      await rows(page).first().waitFor();
      for (let page_ = 0; page_ < 4; page_ += 1) {
        await page.evaluate("document.querySelector('.event-scroller').scrollTop += 1200");
        await page.waitForTimeout(200);
      }
      const before = await offsetOf(page);
      expect(before).toBeGreaterThan(3_000);
      await page.locator('.event-row a[href*="/features/"]').nth(6).click();
      await page.locator('.event-scroller').waitFor({ state: 'detached' });

      await page.goBack();
      await rows(page).first().waitFor();
      expect(await offsetOf(page)).toBe(before);
      await page.locator('.live[data-state=open]').waitFor();
      await page.evaluate("document.querySelector('.event-scroller').scrollTop = 1e9");
      await expect.poll(() => offsetOf(page)).toBeGreaterThan(before + 2_000);
    }));

  test('a link to the event log starts at the newest event', () =>
    open('/', async (page) => {
      await rows(page).first().waitFor();
      await page.evaluate("document.querySelector('.event-scroller').scrollTop = 1200");
      await page.getByRole('link', { name: 'Projects', exact: true }).click();
      await page.locator('.event-scroller').waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Events', exact: true }).click();
      await rows(page).first().waitFor();
      expect(await offsetOf(page)).toBe(0);
    }));
});

describe('j and k', () => {
  test('go on from an event that a link has opened', () =>
    open('/', async (page) => {
      await rows(page).first().waitFor();
      await page.keyboard.press('j');
      const newest = eventOf(page);
      for (let step = 0; step < 3; step += 1) await page.keyboard.press('j');
      const [older] = [eventOf(page)];
      // Not among the rows of this filter, but between two of them.
      await page.goto(`${world.gateway.url}/?event=${older}`);
      await rows(page).first().waitFor();
      await page.keyboard.press('j');
      expect(eventOf(page)).toBeLessThan(older);
      await page.keyboard.press('k');
      expect(eventOf(page)).toBe(older);
      expect(older).toBeLessThan(newest);
    }));

  test('stay at an event that is older than all that is loaded', () =>
    open('/?event=1', async (page) => {
      await rows(page).first().waitFor();
      await page.keyboard.press('j');
      expect(eventOf(page)).toBe(1);
    }));
});

describe('the activity of the event log', () => {
  const counts = (page: Page) =>
    page
      .locator('.activity-day')
      .evaluateAll((days: { ariaLabel: string | null }[]) => days.map((day) => day.ariaLabel));

  test('shows all days while one is chosen', () =>
    open('/', async (page) => {
      await page.locator('.activity-day').first().waitFor();
      const before = await counts(page);
      const busy = before.flatMap((label, index) => (/: 0 events$/.test(label ?? '') ? [] : index));
      expect(busy.length).toBeGreaterThan(2);
      await page
        .locator('.activity-day')
        .nth(busy.at(-2) ?? 0)
        .click();
      await expect.poll(() => page.url()).toContain('from=');
      await page.locator('.activity-day[data-chosen]').waitFor();
      const [, count] = /: ([\d,]+) event/.exec(before[busy.at(-2) ?? 0] ?? '') ?? [];
      await expect
        .poll(() => page.locator('.total').textContent())
        .toMatch(new RegExp(`^${count} event`));
      expect(await counts(page)).toEqual(before);
    }));

  test('is one stop of the Tab key, and arrow keys move between its days', () =>
    open('/', async (page) => {
      await page.locator('.activity-day').first().waitFor();
      const stops = page.locator('.activity-day[tabindex="0"]');
      expect(await stops.count()).toBe(1);
      await stops.focus();
      const label = () => page.evaluate('document.activeElement.ariaLabel');
      const last = await label();
      await page.keyboard.press('ArrowLeft');
      expect(await label()).not.toBe(last);
      await page.keyboard.press('ArrowRight');
      expect(await label()).toBe(last);
      await page.keyboard.press('Home');
      expect(await label()).toBe((await counts(page))[0]);
      expect(await stops.count()).toBe(1);
    }));
});

describe('a panel that fails', () => {
  const FAILED = {
    data: { feature: null },
    errors: [{ message: 'Timeout.', path: ['feature', 'events'], extensions: { code: 'TIMEOUT' } }],
  };

  test('leaves the rest of the page as it is', () =>
    open('/', async (page) => {
      await rows(page).first().waitFor();
      await page.route('**/graphql', async (route) => {
        const isPanel = route.request().postData()?.includes('"FeatureEvents"') ?? false;
        await (isPanel ? route.fulfill({ json: FAILED }) : route.continue());
      });
      await page.goto(`${world.gateway.url}/features/welcome-tour`);
      await page.getByRole('heading', { level: 1, name: 'welcome-tour' }).waitFor();
      await page.getByRole('alert').first().waitFor();
      await page.waitForTimeout(1_000);
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('welcome-tour');
    }));

  test.each(['0000-01-01', '-271820-01-01T00:00:00Z', '99999-01-01'])(
    'is not caused by the year of at=%s',
    (at) =>
      open(`/features/welcome-tour?at=${at}`, async (page) => {
        await page.getByRole('heading', { level: 1, name: 'welcome-tour' }).waitFor();
        await page.locator('.event-line').first().waitFor();
        expect(await page.getByRole('alert').count()).toBe(0);
      }),
  );
});

describe('what is typed quickly', () => {
  test.each([
    ['/clean-up?text=returns%20', '.rows tbody tr'],
    ['/projects/default?text=welcome%20', '.rows tbody tr'],
  ])('is searched without the space at its end in %s', (path, row) =>
    open(path, async (page) => {
      await page.locator(row).first().waitFor();
      expect(await page.locator(row).first().textContent()).toMatch(/returns|welcome/);
    }),
  );

  test('is cleared with the filters', () =>
    open('/?author=olu', async (page) => {
      await page.locator('.activity-day').first().waitFor();
      await page.getByRole('searchbox').fill('rollout');
      await page.getByRole('button', { name: 'Clear', exact: true }).click();
      await page.waitForTimeout(600);
      expect(new URL(page.url()).search).toBe('');
      expect(await page.getByRole('searchbox').inputValue()).toBe('');
    }));

  test('opens a feature once it is found', () =>
    open('/', async (page) => {
      await rows(page).first().waitFor();
      await page.keyboard.press('f');
      await page.keyboard.type('checkout-one-page');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'checkout-one-page' }).waitFor();
    }));

  test('chooses the first option that starts with it', () =>
    open('/', async (page) => {
      await page.locator('.activity-day').first().waitFor();
      await page.getByRole('combobox', { name: 'Project' }).fill('web');
      await page.getByRole('option', { name: /^web/ }).first().waitFor();
      await page.keyboard.press('Enter');
      await expect.poll(() => page.url()).toContain('project=web-shop');
    }));
});

test('an export without a connection says so, until the gateway is back', () =>
  open(
    '/',
    async (page) => {
      await rows(page).first().waitFor();
      await page.route('**/export/**', (route) => route.abort());
      await page.getByRole('button', { name: /^Export/ }).click();
      await page.getByRole('menuitem', { name: /CSV/ }).click();
      await page.getByText('The gateway cannot be reached.').waitFor();
      await page.getByRole('searchbox').fill('rollout');
      await page.getByText('The gateway cannot be reached.').waitFor({ state: 'detached' });
    },
    { expects: /ERR_|Failed to load/ },
  ));

test('GraphiQL in a new tab has the role that was chosen', () =>
  open('/', async (page) => {
    await rows(page).first().waitFor();
    await page.locator('button.account').click();
    await page.getByRole('menuitemradio', { name: /viewer/ }).click();
    await page.getByRole('button', { name: 'Vera Nyström' }).waitFor();
    const graphiql = await page.context().newPage();
    await graphiql.goto(`${world.gateway.url}/graphql`);
    await graphiql.getByText(/You are Vera Nyström/).waitFor();
    await graphiql.close();
  }));

test('a reload keeps the role of a tab although another tab has chosen another', () =>
  open('/', async (page) => {
    await rows(page).first().waitFor();
    const role = () => page.locator('button.account').textContent();
    const before = await role();
    const other = await page.context().newPage();
    await other.goto(world.gateway.url);
    await other.locator('button.account').click();
    await other.getByRole('menuitemradio').last().click();
    await expect.poll(() => other.locator('button.account').textContent()).not.toBe(before);
    await other.close();
    await page.reload();
    await rows(page).first().waitFor();
    expect(await role()).toBe(before);
  }));
