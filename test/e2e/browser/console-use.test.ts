import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway } from '../../testkit/app.js';
import type { Page } from './browser.js';
import {
  type ConsoleVisit,
  type ConsoleWorld,
  expectSound,
  openConsole,
  SIZES,
  startConsole,
} from './console.js';
import { PHONE } from './visit.js';

let world: ConsoleWorld;
beforeAll(async () => {
  world = await startConsole();
}, 600_000);
afterAll(() => world.stop());

const open = (path: string, work: (page: Page) => Promise<void>, options?: ConsoleVisit) =>
  openConsole(world.browser, `${world.gateway.url}${path}`, work, options);

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name });

const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.id');

describe('navigation in the console', () => {
  test('names every page, moves the focus to it, and announces it', () =>
    open('/', async (page) => {
      await heading(page, 'Events').waitFor();
      expect(await page.title()).toBe('Events · flaggraph');
      for (const name of ['Projects', 'Clean-up', 'Integrations']) {
        await page.getByRole('link', { name, exact: true }).click();
        await heading(page, name).waitFor();
        expect(await page.title()).toBe(`${name} · flaggraph`);
        expect(await focused(page)).toBe('main');
        await page
          .getByRole('status')
          .filter({ hasText: name })
          .first()
          .waitFor({ state: 'attached' });
      }
      await page.goBack();
      await heading(page, 'Clean-up').waitFor();
      expect(await focused(page)).toBe('main');
    }));

  test.each([
    ['/features/no-such-feature', 'Feature not found'],
    ['/projects/no-such-project', 'Project not found'],
    ['/integrations/999', 'Integration not found'],
  ])('%s is a page that says so', (path, title) =>
    open(path, async (page) => {
      await heading(page, title).waitFor();
      expect(await page.title()).toBe(`${title} · flaggraph`);
      await expectSound(page);
      await page.getByRole('main').getByRole('link').last().click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await heading(page, title).count()).toBe(0);
    }),
  );

  test('has a header of at most two lines on a phone, with all tools', () =>
    open(
      '/',
      async (page) => {
        await page.locator('.event-row').first().waitFor();
        const box = await page.getByRole('banner').boundingBox();
        expect(box?.height).toBeLessThanOrEqual(96);
        await page.getByRole('button', { name: /admin token/ }).click();
        await page.getByRole('menuitem', { name: 'Docs' }).waitFor();
        await page.getByRole('menuitem', { name: 'GraphiQL' }).click();
        await page.waitForURL(/\/graphql$/);
      },
      { viewport: PHONE },
    ));
});

describe('keys of the console', () => {
  test('lists them, and Esc closes the list', () =>
    open('/projects', async (page) => {
      await heading(page, 'Projects').waitFor();
      await page.keyboard.press('?');
      const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await dialog.waitFor();
      await expectSound(page);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }));

  test('finds a feature from every screen', () =>
    open('/integrations', async (page) => {
      await heading(page, 'Integrations').waitFor();
      // The screen has no search of its own.
      await page.keyboard.press('/');
      await page.keyboard.type('gift-cards');
      await page.getByRole('option', { name: /checkout-gift-cards/ }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await heading(page, 'checkout-gift-cards').waitFor();
      await page.keyboard.press('f');
      await page.keyboard.type('no such feature');
      await page.getByText('No feature matches').waitFor();
    }));

  test.each(['/projects', '/clean-up', '/integrations', '/projects/web-shop'])(
    'j and k move through the rows of %s',
    (path) =>
      open(path, async (page) => {
        const links = page.locator('table:is(.rows, .integration-table) tbody th[scope=row] a');
        await links.nth(2).waitFor();
        const current = () => page.evaluate('document.activeElement.textContent');
        for (const [key, row] of [
          ['j', 0],
          ['j', 1],
          ['k', 0],
        ] as const) {
          await page.keyboard.press(key);
          expect(await current()).toBe(await links.nth(row).textContent());
        }
      }),
  );

  test.each([
    ['/integrations/2', '.delivery-open'],
    ['/features/checkout-one-page', '.event-line a'],
  ])('j and k move through the list of %s', (path, selector) =>
    open(path, async (page) => {
      const rows = page.locator(selector);
      await rows.nth(1).waitFor();
      const current = () => page.evaluate('document.activeElement.ariaLabel');
      for (const [key, row] of [
        ['j', 0],
        ['j', 1],
        ['k', 0],
      ] as const) {
        await page.keyboard.press(key);
        expect(await current()).toBe(await rows.nth(row).getAttribute('aria-label'));
      }
    }),
  );

  test('Esc clears a search and then leaves it', () =>
    open('/projects', async (page) => {
      await heading(page, 'Projects').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('shop');
      const search = page.getByRole('searchbox');
      await page.keyboard.press('Escape');
      expect(await search.inputValue()).toBe('');
      await page.keyboard.press('Escape');
      await page.locator('tbody tr').nth(2).waitFor();
      await page.keyboard.press('j');
      expect(await search.inputValue()).toBe('');
    }));
});

describe('addresses of the console that were cut or written by hand', () => {
  test.each([
    'to=2026-13-99',
    'from=0000-01-01',
    'to=9999-12-31',
    'from=2030-01-01&to=2001-01-01',
    'event=abc',
    'event=99999999999',
    'text=%20%20',
  ])('/?%s shows the events', (query) =>
    open(`/?${query}`, async (page) => {
      await page.locator('.event-row').first().waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      await expect.poll(() => page.locator('.total').textContent()).toMatch(/[0-9] event/);
    }),
  );

  test.each(['type=not-a-type', 'category=NOPE'])('/?%s offers to remove the filters', (query) =>
    open(
      `/?${query}`,
      async (page) => {
        await page.getByText('a filter that does not exist').waitFor();
        await expectSound(page);
        await page.getByRole('button', { name: 'Remove all filters' }).click();
        await page.locator('.event-row').first().waitFor();
        expect(new URL(page.url()).search).toBe('');
      },
      { expects: /status of 400/ },
    ),
  );
});

describe('what is typed in the console', () => {
  test('is chosen with Enter if it names one option', () =>
    open('/', async (page) => {
      await page.locator('.activity-day').first().waitFor();
      await page.getByRole('combobox', { name: 'Author' }).fill('olu');
      await page.getByRole('option', { name: /^olu/ }).waitFor();
      await page.keyboard.press('Enter');
      await expect.poll(() => page.url()).toContain('author=olu');
    }));

  test('opens the feature whose name matches best', () =>
    open('/', async (page) => {
      await page.locator('.event-row').first().waitFor();
      await page.keyboard.press('f');
      await page.keyboard.type('checkout');
      await page
        .getByRole('option', { name: /^checkout/ })
        .first()
        .waitFor();
      await page.keyboard.press('Enter');
      await heading(page, /^checkout/).waitFor();
    }));

  test('is no token if a browser cannot send it', () =>
    open(
      '/',
      async (page) => {
        await page.locator('.event-row').first().waitFor();
        await page.locator('button.account').click();
        await page.getByRole('menuitem', { name: 'Sign out' }).click();
        await heading(page, 'Sign in').waitFor();
        await page.getByLabel('Token').fill('token–with a dash');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByText('A token has no spaces').waitFor();
        await expectSound(page);
      },
      { expects: /status of 401/ },
    ));
});

describe('a lost connection in the console', () => {
  const FAILED = { expects: /ERR_|Failed to load/ };

  test('keeps what is shown, and continues by itself', async () => {
    const gateway = await startGateway(world.database, { CONSOLE: 'on' });
    const { port } = new URL(gateway.url);
    await openConsole(
      world.browser,
      `${gateway.url}/clean-up`,
      async (page) => {
        const names = page.locator('.rows tbody th a');
        await names.first().waitFor();
        const before = await names.allTextContents();
        await gateway.stop();
        await page.getByLabel('Sort by').selectOption('Name');
        await page.getByText('No connection to the gateway.').waitFor();
        expect(await names.allTextContents()).toEqual(before);
        await expectSound(page);

        const again = await startGateway(world.database, { CONSOLE: 'on', PORT: port });
        try {
          const byName = [...before].sort();
          expect(byName).not.toEqual(before);
          await expect.poll(() => names.allTextContents()).toEqual(byName);
          await page.getByText('No connection').waitFor({ state: 'detached' });
        } finally {
          await again.stop();
        }
      },
      FAILED,
    );
  });

  test('is noticed by the event log without a click', async () => {
    const gateway = await startGateway(world.database, { CONSOLE: 'on' });
    const { port } = new URL(gateway.url);
    await openConsole(
      world.browser,
      gateway.url,
      async (page) => {
        await page.locator('.live[data-state=open]').waitFor();
        await gateway.stop();
        await page.getByText('No connection to the gateway.').waitFor();
        expect(await page.locator('.event-row').count()).toBeGreaterThan(4);
        const again = await startGateway(world.database, { CONSOLE: 'on', PORT: port });
        try {
          await page.locator('.live[data-state=open]').waitFor();
          await page.getByText('No connection').waitFor({ state: 'detached' });
        } finally {
          await again.stop();
        }
      },
      FAILED,
    );
  });
});

test('a browser without a network is not live', () =>
  openConsole(
    world.browser,
    world.gateway.url,
    async (page) => {
      await page.locator('.live[data-state=open]').waitFor();
      await page.context().setOffline(true);
      await page.locator('.live[data-state=waiting]').waitFor();
      await page.getByText('No connection to the gateway.').waitFor();
      await page.context().setOffline(false);
      await page.locator('.live[data-state=open]').waitFor();
      await page.getByText('No connection to the gateway.').waitFor({ state: 'detached' });
    },
    { expects: /ERR_|Failed to load/ },
  ));

describe('a page of the console that fails', () => {
  const FAILED = { expects: /status of 500|Failed to load|could not be loaded/ };
  const screens = '**/assets/console/assets/projects-screen-*.js';

  test('can be loaded again, and the others stay usable', () =>
    open(
      '/clean-up',
      async (page) => {
        await page.locator('.rows tbody tr').first().waitFor();
        await page.route(screens, (route) => route.fulfill({ status: 404, body: '' }));
        await page.getByRole('link', { name: 'Projects', exact: true }).click();
        await page.getByText('This page could not be loaded').waitFor();
        await expectSound(page);
        await page.getByRole('link', { name: 'Clean-up', exact: true }).click();
        await page.locator('.rows tbody tr').first().waitFor();
        await page.getByRole('link', { name: 'Projects', exact: true }).click();
        await page.unroute(screens);
        await page.getByRole('button', { name: 'Reload' }).click();
        await page.locator('.rows tbody tr').first().waitFor();
        await heading(page, 'Projects').waitFor();
      },
      FAILED,
    ));

  test('is loaded at the next visit', () =>
    open(
      '/clean-up',
      async (page) => {
        await page.locator('.rows tbody tr').first().waitFor();
        await page.route(screens, (route) => route.abort());
        await page.getByRole('link', { name: 'Projects', exact: true }).click();
        await page.getByText('This page could not be loaded').waitFor();
        await page.unroute(screens);
        await page.getByRole('link', { name: 'Clean-up', exact: true }).click();
        await page.getByRole('link', { name: 'Projects', exact: true }).click();
        await heading(page, 'Projects').waitFor();
        await page.locator('.rows tbody tr').first().waitFor();
      },
      FAILED,
    ));

  test('names the status of a response that is not of GraphQL, and tries again', () =>
    open(
      '/clean-up',
      async (page) => {
        await page.locator('.rows tbody tr').first().waitFor();
        await page.route('**/graphql', (route) => route.fulfill({ status: 500, body: 'no' }));
        await page.getByRole('link', { name: 'Projects', exact: true }).click();
        await page.getByText('The gateway answered with status 500.').waitFor();
        await page.unroute('**/graphql');
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.locator('.rows tbody tr').first().waitFor();
      },
      FAILED,
    ));
});

describe('loading in the console', () => {
  /** Shifts of the layout that were not caused by the reader, as browsers report them. */
  const SHIFTS = `new Promise((resolve) => new PerformanceObserver((list) => resolve(
    list.getEntries().reduce((sum, { value }) => sum + value, 0)
  )).observe({ type: 'layout-shift', buffered: true }) ?? setTimeout(() => resolve(0), 500))`;

  describe.each(SIZES)('on $size', ({ viewport }) => {
    test.each([
      ['/', '.event-row'],
      ['/features/checkout-one-page', '.timeline-bar'],
      ['/projects', '.rows tbody tr'],
      ['/projects/web-shop', '.rows tbody tr'],
      ['/clean-up', '.rows tbody tr'],
      ['/integrations', '.integration-table tbody tr'],
      ['/integrations/2', '.delivery'],
    ])('%s does not move what is shown', (path, content) =>
      open(
        path,
        async (page) => {
          await page.locator(content).first().waitFor();
          await page.waitForLoadState('load');
          expect(await page.evaluate(SHIFTS)).toBeLessThan(0.005);
        },
        { viewport },
      ),
    );
  });

  test('does not animate for readers who prefer less motion', async () => {
    const animationOf = async (reducedMotion: 'reduce' | 'no-preference') => {
      let name: unknown;
      await open(
        '/',
        async (page) => {
          await page.locator('.event-row').first().waitFor();
          name = await page.evaluate(`(() => {
            const row = document.createElement('span');
            row.className = 'loading-row';
            document.body.append(row);
            return getComputedStyle(row).animationName;
          })()`);
        },
        { reducedMotion },
      );
      return name;
    };
    expect(await animationOf('no-preference')).toBe('pulse');
    expect(await animationOf('reduce')).toBe('none');
  });
});

test('shows times in the zone of the reader, with UTC on hover', async () => {
  const { data } = await world.gateway.graphql('{ events(first: 1) { nodes { createdAt } } }');
  const { createdAt } = data.events.nodes[0];
  await open(
    '/',
    async (page) => {
      const time = page.locator('.event-row time').first();
      await time.waitFor();
      const expected = new Intl.DateTimeFormat('en-GB', {
        dateStyle: 'medium',
        timeStyle: 'medium',
        timeZone: 'Asia/Tokyo',
      }).format(new Date(createdAt));
      expect(await time.innerText()).toBe(expected);
      expect(await time.getAttribute('title')).toBe(
        `${createdAt.replace('T', ' ').replace(/(\.000)?Z$/, '')} UTC`,
      );
    },
    { timezoneId: 'Asia/Tokyo', locale: 'en-GB' },
  );
});
