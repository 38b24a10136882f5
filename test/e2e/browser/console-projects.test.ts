import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, describeWithGateway } from '../../testkit/app.js';
import { seed } from '../../testkit/seed.js';
import { startBrowser } from './browser.js';
import { type ConsoleVisit, openConsole, violationsOf } from './console.js';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
}, 600_000);
afterAll(() => browser.close());

const rowsOf = (page: Page, table: RegExp) =>
  page.getByRole('table', { name: table }).getByRole('rowheader').getByRole('link');

const PROJECTS = /^Projects with/;
const FEATURES = /^Features of the project/;
const CANDIDATES = /^Features to clean up/;

describeWithDemo(
  'projects and clean-up in the console',
  ({ gateway }) => {
    const open = (path: string, work: (page: Page) => Promise<void>, options?: ConsoleVisit) =>
      openConsole(browser, `${gateway().url}${path}`, work, options);

    test('lists the projects with the lowest health first, and keeps the order in the URL', async () => {
      const { data } = await gateway().graphql(
        '{ projects(orderBy: { field: HEALTH }) { nodes { name health { score } } } }',
      );
      const byHealth = data.projects.nodes.map(({ name }: { name: string }) => name);
      await open('/projects', async (page) => {
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
    });

    test('finds a project by keyboard and opens it', async () => {
      await open('/projects', async (page) => {
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
    });

    test.each(['viewer', 'member'] as const)('a %s sees no private project', async (role) => {
      await open(
        '/projects',
        async (page) => {
          await page.getByText('5 projects').waitFor();
          await rowsOf(page, PROJECTS).first().waitFor();
          expect((await rowsOf(page, PROJECTS).allTextContents()).join()).not.toContain('Payments');
          await page.goto(`${gateway().url}/projects/payments`);
          await page.getByText('does not exist, or is not visible to you').waitFor();
          await page.goto(`${gateway().url}/clean-up?project=payments`);
          await page.getByText('Nothing needs to be cleaned up here').waitFor();
          expect(await violationsOf(page)).toEqual([]);
        },
        { role },
      );
    });

    test('an owner sees where the private project requires change requests', async () => {
      await open(
        '/projects',
        async (page) => {
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
        },
        { role: 'owner' },
      );
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
      await open('/projects/warehouse', async (page) => {
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
        expect(await violationsOf(page)).toEqual([]);
        await page.getByRole('link', { name: 'Events of this project' }).click();
        await page.waitForURL(`${gateway().url}/?project=warehouse`);
      });
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
      await open('/projects/web-shop', async (page) => {
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
    });

    test('shows what to clean up first, with the reasons', async () => {
      const { data } = await gateway().graphql(
        `{ cleanUp { counts { kind count } nodes { weight feature { name } reasons { explanation } } }
        unseen: cleanUp(filter: { kind: { is: NOT_SEEN } }, notSeenForDays: 3000) { totalCount }
        stale: cleanUp(filter: { kind: { anyOf: [STALE, COMPLETED] }, projectId: { is: "web-shop" } }) {
          nodes { feature { name } }
        } }`,
      );
      await open('/clean-up', async (page) => {
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
        expect(await violationsOf(page)).toEqual([]);
      });
    });

    test('opens the queries of the list and of the counts in GraphiQL', async () => {
      await open('/clean-up', async (page) => {
        const links = page.getByRole('link', { name: 'Show query' });
        for (const [index, name] of ['CleanUpList', 'CleanUpCounts'].entries()) {
          const href = await links.nth(index).getAttribute('href');
          expect(href).toContain('/graphql#query=');
          expect(decodeURIComponent(href ?? '')).toContain(name);
        }
        expect(await links.count()).toBe(2);
      });
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
      await openConsole(browser, `${gateway().url}${path}`, async (page) => {
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
      await openConsole(browser, `${gateway().url}${path}`, async (page) => {
        await page.getByText(text, { exact: true }).first().waitFor();
        expect(await violationsOf(page)).toEqual([]);
      });
    });
  },
  { CONSOLE: 'on' },
);
