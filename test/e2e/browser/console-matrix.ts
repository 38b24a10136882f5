import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import type { Engine } from '../../testkit/database.js';
import type { Page } from './browser.js';
import {
  type ConsoleWorld,
  expectSound,
  prepareConsole,
  SIZES,
  startConsole,
  violationsOf,
} from './console.js';
import { NO_PROBLEMS, type PageProblems, recordProblems } from './visit.js';

const FEATURE = 'checkout-one-page';
const TWO_WEEKS = 14 * 86_400_000;
const ROLES = ['admin', 'viewer', 'member'] as const;

type Role = (typeof ROLES)[number];

/** Answers of the graph for the role. */
// biome-ignore lint/suspicious/noExplicitAny: responses are compared with what the page shows.
type Ask = (query: string) => Promise<any>;

type Screen = {
  name: string;
  path: string;
  /** Waits for the content, and compares it with what the role may see. */
  check: (page: Page, role: Role, ask: Ask) => Promise<void>;
};

const onlyAdministrators = (page: Page) =>
  page.getByText('Only administrators can see integrations').waitFor();

const shownNames = (page: Page): Promise<string[]> =>
  page.locator('.rows tbody th a').allTextContents();

const SCREENS: readonly Screen[] = [
  {
    name: 'the event log',
    path: '/',
    check: async (page, _role, ask) => {
      const { events } = await ask('{ events(first: 1) { totalCount nodes { label } } }');
      await page.getByText(`${events.totalCount.toLocaleString('en')} events`).waitFor();
      await page.locator('.live[data-state=open]').waitFor();
      await page.locator('.event-row').nth(4).waitFor();
      const first = page.locator('.event-open').first();
      expect(await first.getAttribute('aria-label')).toBe(`${events.nodes[0].label}: what changed`);
    },
  },
  {
    name: 'an event',
    path: `/?feature=${FEATURE}&type=FEATURE_ENVIRONMENT_ENABLED`,
    check: async (page, role) => {
      await page.locator('.event-open').first().click();
      await page.getByRole('row', { name: 'enabled false true' }).waitFor();
      const sent = page.getByRole('heading', { name: /^(Sent|Not sent) to/ });
      if (role === 'admin') await sent.first().waitFor();
      else expect(await sent.count()).toBe(0);
    },
  },
  {
    name: 'a feature',
    path: `/features/${FEATURE}`,
    check: async (page, role) => {
      await page.getByRole('img', { name: /^production: on since/ }).waitFor();
      await page.getByText(/events in the event log/).waitFor();
      await page.getByText('Variants: roomy 50 % and tight 50 %').first().waitFor();
      const clone = page.getByRole('button', { name: 'Clone' });
      await expect.poll(() => clone.isDisabled()).toBe(role === 'viewer');
    },
  },
  {
    name: 'a feature two weeks ago',
    path: `/features/${FEATURE}?at=${new Date(Date.now() - TWO_WEEKS).toISOString()}`,
    check: async (page) => {
      const then = page.getByRole('region', { name: /^As it stood on/ });
      await then.getByText('Checkout on one page (spike)').first().waitFor();
      await then.getByRole('row', { name: /^description/i }).waitFor();
      await page.getByText(/events in the event log/).waitFor();
    },
  },
  {
    name: 'the clone dialog',
    path: `/features/${FEATURE}`,
    check: async (page, role) => {
      if (role === 'viewer') {
        await page.getByText(/you need permission to create features/).waitFor();
        return;
      }
      await page.getByRole('button', { name: 'Clone' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Ready to clone.').waitFor();
      await dialog.getByRole('heading', { name: 'Left behind' }).waitFor();
    },
  },
  {
    name: 'the projects',
    path: '/projects',
    check: async (page, role, ask) => {
      const { projects } = await ask('{ projects(orderBy: { field: HEALTH }) { nodes { name } } }');
      const names = projects.nodes.map(({ name }: { name: string }) => name);
      await expect.poll(() => shownNames(page)).toEqual(names);
      expect(names.some((name: string) => name.startsWith('Payments'))).toBe(role === 'admin');
    },
  },
  {
    name: 'a project',
    path: '/projects/web-shop',
    check: async (page, _role, ask) => {
      const { project } = await ask('{ project(id: "web-shop") { features { nodes { name } } } }');
      const names = project.features.nodes.map(({ name }: { name: string }) => name);
      await expect.poll(() => shownNames(page)).toEqual(names);
      await page.getByRole('group', { name: 'Events per week' }).waitFor();
    },
  },
  {
    name: 'a private project',
    path: '/projects/payments',
    check: async (page, role) => {
      const title = role === 'admin' ? /^Payments/ : 'Project not found';
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      if (role === 'admin') await page.locator('.rows tbody tr').first().waitFor();
    },
  },
  {
    name: 'the clean-up board',
    path: '/clean-up',
    check: async (page, _role, ask) => {
      const { cleanUp } = await ask('{ cleanUp { nodes { feature { name } reasons { kind } } } }');
      const names = cleanUp.nodes.map(({ feature }: { feature: { name: string } }) => feature.name);
      await expect.poll(() => shownNames(page)).toEqual(names);
      await expect.poll(() => page.locator('.reason-count').first().innerText()).toMatch(/^\d+$/);
    },
  },
  {
    name: 'the integrations',
    path: '/integrations',
    check: async (page, role) => {
      if (role !== 'admin') return onlyAdministrators(page);
      await page.getByRole('row', { name: /What changes for customers/ }).waitFor();
      expect(await page.getByRole('row').count()).toBe(7);
    },
  },
  {
    name: 'why an integration did not fire',
    path: '/integrations/2?explain=100',
    check: async (page, role) => {
      if (role !== 'admin') return onlyAdministrators(page);
      await page.getByRole('heading', { name: 'It is not sent.' }).waitFor();
      expect(await page.getByRole('list', { name: 'Checks' }).getByText('Fail').count()).toBe(2);
      await page.getByRole('list', { name: 'Deliveries, newest first' }).waitFor();
    },
  },
];

const CALLERS = SIZES.flatMap((size) => ROLES.map((role) => ({ ...size, role })));

/** Every screen as every role at every size; on PostgreSQL also its accessibility, in both themes. The screens of a role share a page, as for a reader. */
export const describeMatrix = (engine: Engine): void => {
  describe(`the console on ${engine}`, () => {
    let world: ConsoleWorld;
    beforeAll(async () => {
      world = await startConsole(engine);
    });
    afterAll(() => world.stop());

    describe.each(CALLERS)('for the role $role on $size', ({ role, viewport }) => {
      let page: Page;
      let problems: PageProblems;
      beforeAll(async () => {
        const context = await world.browser.newContext({ viewport });
        problems = recordProblems(context, world.gateway.url, { rejectsWarnings: true });
        await prepareConsole(context, role);
        page = await context.newPage();
      });
      afterAll(() => page.context().close());

      const ask: Ask = async (query) => {
        const token = DEMO_TOKENS[role];
        const { data, errors } = await world.gateway.graphql(query, {}, { token });
        expect(errors).toBeUndefined();
        return data;
      };

      test.each(SCREENS)('shows $name', async ({ path, check }) => {
        await page.emulateMedia({ colorScheme: 'light' });
        await page.goto(`${world.gateway.url}${path}`);
        await check(page, role, ask);
        expect(await page.title()).toMatch(/^\S.* · flaggraph$/);
        expect(problems).toEqual(NO_PROBLEMS);
        // The engine changes the data at most; layout and colors are the same.
        if (engine === 'embedded') return;
        await expectSound(page);
        // Another theme changes nothing but colours.
        await page.emulateMedia({ colorScheme: 'dark' });
        expect(await violationsOf(page, ['color-contrast'])).toEqual([]);
        expect(problems).toEqual(NO_PROBLEMS);
      });
    });
  });
};
