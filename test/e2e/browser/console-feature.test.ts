import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo } from '../../testkit/app.js';
import { startBrowser } from './browser.js';
import { type ConsoleVisit, expectSoundEverywhere, openConsole, violationsOf } from './console.js';

const FEATURE = 'checkout-one-page';
/** Two days after the feature was created. */
const EARLY = '2025-12-08T00:00:00.000Z';

describeWithDemo(
  'the feature screen of the console',
  ({ gateway }) => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await startBrowser();
    });
    afterAll(() => browser.close());

    const open = (path: string, work: (page: Page) => Promise<void>, options?: ConsoleVisit) =>
      openConsole(browser, `${gateway().url}${path}`, work, options);

    const openFeature = (work: (page: Page) => Promise<void>, options?: ConsoleVisit) =>
      open(
        `/features/${FEATURE}`,
        async (page) => {
          await page.getByRole('heading', { level: 1, name: FEATURE }).waitFor();
          await page.getByRole('slider').waitFor({ state: 'attached' });
          await page.getByText(/events in the event log/).waitFor();
          await work(page);
        },
        options,
      );

    const openDialog = async (page: Page) => {
      await page.getByRole('button', { name: 'Clone' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Ready to clone.').waitFor();
      return dialog;
    };

    // The matrix of screens checks sizes, themes and accessibility of the feature and the clone dialog.
    test('shows the feature and its clone dialog', () =>
      openFeature(async (page) => {
        await page.getByText('The whole checkout on one page').waitFor();
        await page.getByText('All users, step by step:').waitFor();
        await page.getByText('Variants: roomy 50 % and tight 50 %').waitFor();
        expect(await page.getByRole('img', { name: /^production: on since/ }).count()).toBe(1);
        expect(await page.title()).toBe(`${FEATURE} · flaggraph`);

        const dialog = await openDialog(page);
        expect(await dialog.getByLabel('Name of the copy').inputValue()).toBe(`${FEATURE}-copy`);
        await dialog.getByText('Its 2 tags.').waitFor();
      }));

    test('shows an earlier state and what differs from now', () =>
      open(`/features/${FEATURE}?at=${EARLY}`, async (page) => {
        const then = page.getByRole('region', { name: /^As it stood on/ });
        await then.getByText('Checkout on one page (spike)').first().waitFor();
        await then.getByRole('row', { name: /^production: on or off Off On/ }).waitFor();
        await then.getByText(/^Not compared, because/).waitFor();
        await expectSoundEverywhere(page);
      }));

    test('moving the slider by keyboard is debounced and kept in the URL', () =>
      openFeature(async (page) => {
        const read: unknown[] = [];
        page.on('request', (request) => {
          const { operationName, variables } = JSON.parse(request.postData() ?? '{}');
          if (operationName === 'FeatureAsOf') read.push(variables.time);
        });
        await page.getByRole('slider').focus();
        for (let times = 0; times < 20; times += 1) await page.keyboard.press('ArrowLeft');
        await page.getByRole('region', { name: /^As it stood on/ }).waitFor();
        await page.waitForURL(/\?at=/);
        await page.getByText('Compared with now').waitFor();
        expect(read.at(-1)).toBe(new URL(page.url()).searchParams.get('at'));
        expect(read.length).toBeLessThan(5);
        await page.getByRole('button', { name: 'Now', exact: true }).click();
        await page.waitForURL((url) => url.search === '');
      }));

    test('says that the feature did not exist yet', () =>
      open(`/features/${FEATURE}?at=2025-12-01T00:00:00Z`, async (page) => {
        await page
          .getByText(/^(The feature did not exist yet|Whether the feature existed)/)
          .waitFor();
      }));

    test('links to the events of the feature', () =>
      openFeature(async (page) => {
        await page.getByRole('link', { name: /events in the event log/ }).click();
        await page.waitForURL(`${gateway().url}/?feature=${FEATURE}`);
      }));

    test('shows a page for unknown features', () =>
      open('/features/no-such-feature', async (page) => {
        await page.getByRole('heading', { name: 'Feature not found' }).waitFor();
        expect(await violationsOf(page)).toEqual([]);
        await page.getByRole('link', { name: 'Back to all events' }).click();
        await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
      }));

    test('shows problems beside their field, clones, and links to the copy', () =>
      openFeature(async (page) => {
        const dialog = await openDialog(page);
        const name = dialog.getByLabel('Name of the copy');
        await name.fill('checkout gift-cards');
        await dialog.getByText(/is not URL-friendly/).waitFor();
        expect(await name.getAttribute('aria-invalid')).toBe('true');
        expect(await dialog.getByRole('button', { name: 'Clone', exact: true }).isDisabled()).toBe(
          true,
        );
        await name.fill('checkout-gift-cards');
        await dialog.getByText(/already belongs to another feature/).waitFor();

        await dialog.getByRole('combobox', { name: 'Project' }).fill('mobile');
        await page.getByRole('option', { name: /Mobile apps/ }).click();
        await dialog.getByText(/Names in this project must match/).waitFor();
        await name.fill('mobile.checkout');
        await dialog.getByText('Copy tags (2)').click();
        await dialog.getByText('Tags: ').waitFor();
        await dialog.getByText('Ready to clone.').waitFor();
        await dialog.getByRole('button', { name: 'Clone', exact: true }).click();
        await dialog.getByText(/^mobile.checkout now exists/).waitFor();
        expect(await violationsOf(page)).toEqual([]);
        await dialog.getByRole('link', { name: 'Open mobile.checkout' }).click();
        await page.getByRole('heading', { level: 1, name: 'mobile.checkout' }).waitFor();
      }));

    test('clones with the keyboard alone, and Escape closes the dialog', () =>
      openFeature(async (page) => {
        await page.getByRole('button', { name: 'Clone' }).focus();
        await page.keyboard.press('Enter');
        const dialog = page.getByRole('dialog');
        await dialog.waitFor();
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Clone');
        await page.keyboard.press('Enter');
        await dialog.getByText('Ready to clone.').waitFor();
        await page.keyboard.press('Enter');
        await dialog.getByText(`${FEATURE}-copy now exists`, { exact: false }).waitFor();
      }));

    test('explains to viewers why they cannot clone', () =>
      openFeature(
        async (page) => {
          await page.getByText(/you need permission to create features/).waitFor();
          expect(await page.getByRole('button', { name: 'Clone' }).isDisabled()).toBe(true);
          expect(await violationsOf(page)).toEqual([]);
        },
        { role: 'viewer' },
      ));

    test('offers project members only projects that they may clone into', () =>
      openFeature(
        async (page) => {
          const dialog = await openDialog(page);
          await dialog.getByRole('button', { name: /^Projects/ }).click();
          await page.getByRole('option').first().waitFor();
          const offered = await page.getByRole('option').allTextContents();
          const { data } = await gateway().graphql(
            '{ projects(filter: { viewerCan: CREATE_FEATURE }) { nodes { id name } } }',
            {},
            { token: DEMO_TOKENS.member },
          );
          const allowed = data.projects.nodes as { id: string; name: string }[];
          expect(offered).toEqual(allowed.map(({ id, name }) => `${name}${id}`));
        },
        { role: 'member' },
      ));
  },
  { CONSOLE: 'on' },
);
