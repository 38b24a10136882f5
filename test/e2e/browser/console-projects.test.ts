import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, describeWithGateway } from '../../testkit/app.js';
import { seed } from '../../testkit/seed.js';
import { startBrowser } from './browser.js';
import { DESK, isTooWide, NO_PROBLEMS, PHONE, visit } from './visit.js';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
}, 600_000);
afterAll(() => browser.close());

/** Accessibility violations of a page, each with its elements. */
const faultsOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    "axe.run('html', { resultTypes: ['violations'] })",
  )) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
};

/** The content scrolls in its own area, so the page itself never becomes wider. */
const isContentTooWide = (page: Page): Promise<boolean> =>
  page.evaluate(
    "document.querySelector('main').scrollWidth > document.querySelector('main').clientWidth",
  );

/** Switches the caller, as the menu of the demo does. */
const signIn = async (page: Page, token: string): Promise<void> => {
  await page.evaluate(`sessionStorage.setItem('flaggraph:token', ${JSON.stringify(token)})`);
  await page.reload();
};

const rowsOf = (page: Page, table: RegExp) =>
  page.getByRole('table', { name: table }).getByRole('rowheader').getByRole('link');

const PROJECTS = /^Projects with/;
const FEATURES = /^Features of the project/;
const CANDIDATES = /^Features to clean up/;

const SCREENS = [
  ['/projects', PROJECTS],
  ['/projects/web-shop', FEATURES],
  ['/clean-up', CANDIDATES],
] as const;

const VIEWS = [
  { width: 'a desk', viewport: DESK },
  { width: 'a phone', viewport: PHONE },
].flatMap((view) => (['light', 'dark'] as const).map((colorScheme) => ({ ...view, colorScheme })));

describeWithDemo(
  'projects and clean-up in the console',
  ({ gateway }) => {
    const open = (path: string, work: (page: Page) => Promise<void>, options = {}) =>
      visit(browser, `${gateway().url}${path}`, work, options);

    describe.each(VIEWS)('on $width, $colorScheme', ({ viewport, colorScheme }) => {
      test.each(SCREENS)('%s fits and is accessible', async (path, table) => {
        const problems = await open(
          path,
          async (page) => {
            await rowsOf(page, table).first().waitFor();
            expect(await isTooWide(page)).toBe(false);
            expect(await isContentTooWide(page)).toBe(false);
            expect(await faultsOf(page)).toEqual([]);
          },
          { viewport, colorScheme },
        );
        expect(problems).toEqual(NO_PROBLEMS);
      });
    });

    test('lists the projects with the lowest health first, and keeps the order in the URL', async () => {
      const { data } = await gateway().graphql(
        '{ projects(orderBy: { field: HEALTH }) { nodes { name health { score } } } }',
      );
      const byHealth = data.projects.nodes.map(({ name }: { name: string }) => name);
      const problems = await open('/projects', async (page) => {
        await rowsOf(page, PROJECTS).first().waitFor();
        expect(await rowsOf(page, PROJECTS).allTextContents()).toEqual(byHealth);
        await page.getByRole('button', { name: 'Project' }).click();
        await page.waitForURL(/sort=name/);
        const byName = [...byHealth].sort();
        await expect.poll(() => rowsOf(page, PROJECTS).allTextContents()).toEqual(byName);
        await page.reload();
        await expect.poll(() => rowsOf(page, PROJECTS).allTextContents()).toEqual(byName);
        const header = page.getByRole('columnheader', { name: 'Project' });
        expect(await header.getAttribute('aria-sort')).toBe('ascending');
      });
      expect(problems).toEqual(NO_PROBLEMS);
    });

    test('finds a project by keyboard and opens it', async () => {
      const problems = await open('/projects', async (page) => {
        await rowsOf(page, PROJECTS).first().waitFor();
        await page.keyboard.press('/');
        await page.keyboard.type('shop');
        await expect.poll(() => rowsOf(page, PROJECTS).allTextContents()).toEqual(['Web shop']);
        await page.getByText('1 project', { exact: true }).waitFor();
        await page.getByRole('heading', { name: 'Projects' }).click();
        await page.keyboard.press('j');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Web shop', level: 1 }).waitFor();
        expect(new URL(page.url()).pathname).toBe('/projects/web-shop');
      });
      expect(problems).toEqual(NO_PROBLEMS);
    });

    test.each(['viewer', 'member'] as const)('a %s sees no private project', async (role) => {
      const problems = await open('/projects', async (page) => {
        await signIn(page, DEMO_TOKENS[role]);
        await page.getByText('5 projects').waitFor();
        await rowsOf(page, PROJECTS).first().waitFor();
        expect((await rowsOf(page, PROJECTS).allTextContents()).join()).not.toContain('Payments');
        await page.goto(`${gateway().url}/projects/payments`);
        await page.getByText('does not exist, or is not visible to you').waitFor();
        await page.goto(`${gateway().url}/clean-up?project=payments`);
        await page.getByText('Nothing needs to be cleaned up here').waitFor();
        expect(await faultsOf(page)).toEqual([]);
      });
      expect(problems).toEqual(NO_PROBLEMS);
    });

    test('an owner sees where the private project requires change requests', async () => {
      const problems = await open('/projects', async (page) => {
        await signIn(page, DEMO_TOKENS.owner);
        await page.getByRole('link', { name: /^Payments/ }).click();
        const environments = page.getByRole('table', { name: 'Environments of the project' });
        const rows = environments.getByRole('row').filter({ has: page.getByRole('rowheader') });
        await rows.first().waitFor();
        const texts = await rows.allInnerTexts();
        expect(texts.map((text) => text.split(/\s*\t\s*/))).toEqual([
          ['development', 'development', 'Not required'],
          ['staging', 'preproduction', 'Not required'],
          ['production', 'production', 'Required'],
        ]);
      });
      expect(problems).toEqual(NO_PROBLEMS);
    });

    test('explains the health of a project, and shows its activity as a table', async () => {
      const { data } = await gateway().graphql(
        `{ project(id: "warehouse") {
        health { score technicalDebt staleCount potentiallyStaleCount activeCount }
        activity(by: WEEK) { buckets { count } }
      } }`,
      );
      const { health, activity } = data.project;
      const due = health.staleCount + health.potentiallyStaleCount;
      const problems = await open('/projects/warehouse', async (page) => {
        const card = page.getByRole('region', { name: 'Health' });
        await card
          .getByText(`${due} of ${health.activeCount + health.staleCount} features`)
          .waitFor();
        const figures = await card.getByRole('definition').allInnerTexts();
        expect(figures.map(Number)).toEqual([health.score, health.technicalDebt]);
        expect(
          await page.getByRole('group', { name: 'Events per week' }).getByRole('link').count(),
        ).toBe(activity.buckets.length);
        await page.getByText('Show as a table').click();
        const cells = page.getByRole('table', { name: 'Events per week' }).getByRole('cell');
        expect((await cells.allInnerTexts()).map(Number)).toEqual(
          activity.buckets.map(({ count }: { count: number }) => count),
        );
        expect(await faultsOf(page)).toEqual([]);
        await page.getByRole('link', { name: 'Events of this project' }).click();
        await page.waitForURL(`${gateway().url}/?project=warehouse`);
      });
      expect(problems).toEqual(NO_PROBLEMS);
    });

    test('filters the features of a project, and keeps the filters in the URL', async () => {
      const { data } = await gateway().graphql(
        `{ project(id: "web-shop") {
        stale: features(filter: { stale: true }) { nodes { name } }
        enabled: features(filter: { enabledEnvironmentName: "staging", lifecycleStage: { is: LIVE } },
          orderBy: { field: CREATED_AT, direction: DESC }) { nodes { name } }
      } }`,
      );
      const namesOf = ({ nodes }: { nodes: { name: string }[] }) => nodes.map(({ name }) => name);
      const problems = await open('/projects/web-shop', async (page) => {
        const shown = () => rowsOf(page, FEATURES).allTextContents();
        await page.getByLabel('State').selectOption('Stale');
        await expect.poll(shown).toEqual(namesOf(data.project.stale));
        await page.getByRole('button', { name: 'Clear' }).click();
        await page.getByLabel('Enabled in').selectOption('staging');
        await page.getByLabel('Lifecycle stage').selectOption('Live');
        await page.getByRole('button', { name: 'Created' }).click();
        await page.getByRole('button', { name: 'Created' }).click();
        await expect.poll(shown).toEqual(namesOf(data.project.enabled));
        expect(new URL(page.url()).search).toBe('?stage=live&enabled=staging&sort=-created-at');
        await page.reload();
        await expect.poll(shown).toEqual(namesOf(data.project.enabled));
        await page.getByLabel('Search features').fill('no such feature');
        await page.getByText('No feature matches').waitFor();
      });
      expect(problems).toEqual(NO_PROBLEMS);
    });

    test('shows what to clean up first, with the reasons', async () => {
      const { data } = await gateway().graphql(
        `{ cleanUp { counts { kind count } nodes { weight feature { name } reasons { explanation } } }
        unseen: cleanUp(filter: { kind: { is: NOT_SEEN } }, notSeenForDays: 3000) { totalCount }
        stale: cleanUp(filter: { kind: { anyOf: [STALE, COMPLETED] }, projectId: { is: "web-shop" } }) {
          nodes { feature { name } }
        } }`,
      );
      const problems = await open('/clean-up', async (page) => {
        const shown = () => rowsOf(page, CANDIDATES).allTextContents();
        const namesOf = ({ nodes }: { nodes: { feature: { name: string } }[] }) =>
          nodes.map(({ feature }) => feature.name);
        await expect.poll(shown).toEqual(namesOf(data.cleanUp));
        for (const { explanation } of data.cleanUp.nodes[0].reasons) {
          await page.getByText(explanation).first().waitFor();
        }
        const stale = data.cleanUp.counts.find(({ kind }: { kind: string }) => kind === 'STALE');
        const reasons = page.getByRole('group', { name: 'Reasons' });
        await reasons.getByRole('button', { name: `${stale.count} Stale` }).click();
        await reasons.getByRole('button', { name: /Completed/ }).click();
        await page.getByRole('combobox', { name: 'Project' }).click();
        await page.getByRole('option', { name: /Web shop/ }).click();
        await expect.poll(shown).toEqual(namesOf(data.stale));
        expect(new URL(page.url()).searchParams.get('reasons')).toBe('stale,completed');
        await page.reload();
        await expect.poll(shown).toEqual(namesOf(data.stale));
        await page.getByRole('button', { name: 'Clear' }).click();
        await page.getByLabel('Days without use').fill('3000');
        await reasons.getByRole('button', { name: `${data.unseen.totalCount} Not seen` }).waitFor();
        await page.getByLabel('Days without use').fill('0');
        await page.getByText('From 1 to 3,650').waitFor();
        expect(await faultsOf(page)).toEqual([]);
      });
      expect(problems).toEqual(NO_PROBLEMS);
    });

    test('explains a lost connection, and tries again', async () => {
      const problems = await open(
        '/clean-up',
        async (page) => {
          await rowsOf(page, CANDIDATES).first().waitFor();
          await page.route('**/graphql', (route) => route.abort());
          await page.getByLabel('Sort by').selectOption('Name');
          await page.getByRole('alert').getByText('The gateway cannot be reached.').waitFor();
          await page.unroute('**/graphql');
          await page.getByRole('button', { name: 'Try again' }).click();
          await rowsOf(page, CANDIDATES).first().waitFor();
          expect(await page.getByRole('alert').count()).toBe(0);
        },
        { expects: /ERR_FAILED/ },
      );
      expect(problems).toEqual(NO_PROBLEMS);
    });

    test('opens the query of a screen in GraphiQL', async () => {
      const problems = await open('/clean-up', async (page) => {
        const href = await page.getByRole('link', { name: 'Show query' }).getAttribute('href');
        expect(href).toContain('/graphql#query=');
        expect(decodeURIComponent(href ?? '')).toContain('CleanUpList');
      });
      expect(problems).toEqual(NO_PROBLEMS);
    });
  },
  { CONSOLE: 'on' },
);

const MANY = 130;

describeWithGateway(
  'lists of many pages in the console',
  async (openDatabase) => {
    const database = await openDatabase({ world: 'demo' });
    const numbers = Array.from({ length: MANY }, (_, index) => String(index).padStart(3, '0'));
    await seed(database.client, {
      projects: Object.fromEntries(numbers.map((number) => [`team-${number}`, { health: 100 }])),
      features: numbers.map((number) => ({
        name: `old-${number}`,
        project: 'team-000',
        stale: true,
      })),
    });
    return database;
  },
  ({ gateway }) => {
    test.each([
      ['/projects?text=team-', PROJECTS, 100],
      ['/projects/team-000', FEATURES, 50],
      ['/clean-up?project=team-000', CANDIDATES, 50],
    ] as const)('%s shows more on request', async (path, table, pageSize) => {
      const problems = await visit(browser, `${gateway().url}${path}`, async (page) => {
        const shown = () => rowsOf(page, table).count();
        await expect.poll(shown).toBe(pageSize);
        for (let size = pageSize + pageSize; size < MANY + pageSize; size += pageSize) {
          await page.getByText(`Showing ${size - pageSize} of ${MANY}.`).waitFor();
          await page.getByRole('button', { name: 'Show more' }).click();
          await expect.poll(shown).toBe(Math.min(size, MANY));
        }
        await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
        const names = await rowsOf(page, table).allTextContents();
        expect(new Set(names).size).toBe(MANY);
      });
      expect(problems).toEqual(NO_PROBLEMS);
    });
  },
  { CONSOLE: 'on' },
);

describeWithGateway(
  'a new installation in the console',
  async (openDatabase) => {
    const database = await openDatabase();
    await seed(database.client, {
      apiTokens: [
        { secret: DEMO_TOKENS.admin, type: 'admin', username: 'admin', tokenName: 'admin' },
      ],
    });
    return database;
  },
  ({ gateway }) => {
    test.each([
      ['/clean-up', 'Nothing needs to be cleaned up.'],
      ['/projects/default', 'The project has no features.'],
    ])('%s says that nothing is there', async (path, text) => {
      const problems = await visit(browser, `${gateway().url}${path}`, async (page) => {
        await page.getByText(text, { exact: true }).first().waitFor();
        expect(await faultsOf(page)).toEqual([]);
      });
      expect(problems).toEqual(NO_PROBLEMS);
    });
  },
  { CONSOLE: 'on' },
);
