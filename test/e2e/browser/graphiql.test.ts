import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { createMigratedDatabase } from '../../testkit/database.js';
import { startBrowser } from './browser.js';
import {
  enterToken,
  expectAnswer as expectResult,
  expectState,
  runQuery,
  untilReady,
} from './graphiql.js';
import { isTooWide, NO_PROBLEMS, PHONE, visit } from './visit.js';

const cleanUps: (() => Promise<unknown>)[] = [];
let browser: Browser;
let database: Database;
let gateway: Gateway;
// If no browser is installed, one is installed first.
beforeAll(async () => {
  browser = await startBrowser();
  cleanUps.push(() => browser.close());
  const { url, drop } = await createMigratedDatabase('demo');
  cleanUps.push(drop);
  database = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
  cleanUps.push(database.close);
  gateway = await startGateway(database, { LOG_LEVEL: 'debug' });
  cleanUps.push(gateway.stop);
}, 600_000);
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

const open = (
  work: (page: Page) => Promise<void>,
  options: Parameters<typeof visit>[3] & { of?: string } = {},
) => {
  const { of = `${gateway.url}/graphql`, ...rest } = options;
  return visit(browser, of, work, rest);
};

const typeHeaders = async (page: Page, headers: Record<string, string>) => {
  await page.getByRole('button', { name: 'Headers' }).click();
  const editor = page.locator('.graphiql-editor-tool .monaco-editor:visible');
  await editor.locator('.view-lines').click();
  await page.locator('.graphiql-editor-tool .monaco-editor.focused').waitFor();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  await page.keyboard.type(JSON.stringify(headers));
};

const storedIn = (page: Page, storage: 'localStorage' | 'sessionStorage') =>
  page.evaluate(`JSON.stringify(${storage})`);

const pressUntil = async (page: Page, key: string, selector: string) => {
  for (let times = 0; times < 40; times += 1) {
    if ((await page.locator(`${selector}:focus`).count()) > 0) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${selector} is not reached by ${key}.`);
};

describe('GraphiQL in a browser', () => {
  test('runs its first query with the demo token and shows the result, without requests to other hosts', async () => {
    const { body } = await gateway.rest('/api/admin/search/events?limit=1');
    const problems = await open(async (page) => {
      await expectState(page, /^You are demo-admin, an admin token\. You can do everything\.$/);
      await untilReady(page);
      await runQuery(page);
      await expectResult(page, '"name":"demo-admin","isAdmin":true');
      await expectResult(page, `"totalCount":${body.total},"nodes":[{"id":${body.total},`);
      expect(await isTooWide(page)).toBe(false);
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('fits a phone: query above, result below, no horizontal scrolling', async () => {
    const problems = await open(
      async (page) => {
        await untilReady(page);
        await runQuery(page);
        await expectResult(page, '"name":"demo-admin"');
        expect(await isTooWide(page)).toBe(false);
        const editorBox = await page.locator('.graphiql-query-editor').boundingBox();
        const resultBox = await page.locator('.result-window').boundingBox();
        expect(editorBox?.width).toBeGreaterThan(300);
        expect(editorBox?.height).toBeGreaterThan(100);
        expect(resultBox?.width).toBeGreaterThan(300);
        expect(resultBox?.height).toBeGreaterThan(150);
        expect(resultBox?.y).toBeGreaterThan((editorBox?.y ?? 0) + (editorBox?.height ?? 0) - 1);

        await page.getByRole('button', { name: 'Forget' }).click();
        await expectState(page, /^No token yet/);
        await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
        await page.locator('.graphiql-doc-explorer').getByText('Query').first().click();
      },
      { viewport: PHONE, hasTouch: true, isMobile: true },
    );
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('can be used by keyboard only', async () => {
    const problems = await open(async (page) => {
      await untilReady(page);
      await page.locator('.brand').focus();
      await pressUntil(page, 'Tab', '#token');
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(DEMO_TOKENS.viewer);
      await page.keyboard.press('Enter');
      await expectState(
        page,
        /a user\. You can read the projects visible to you, but you cannot change anything\. Integrations need an admin token\.$/,
      );
      await pressUntil(page, 'Tab', '.graphiql-query-editor .graphiql-editor');
      await page.keyboard.press('Control+Enter');
      await expectResult(page, '"isAdmin":false');
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('has a tab for each example query, opened by a click', async () => {
    const problems = await open(async (page) => {
      await untilReady(page);
      const editor = page.locator('.graphiql-query-editor');
      await page.getByRole('tab', { name: 'WhoTurnedItOn' }).click();
      await editor.getByText('timeline').waitFor();
      await runQuery(page);
      await expectResult(page, '"startedBy":{"id":');
      await page.getByRole('tab', { name: 'WhatCanWeDelete' }).click();
      await editor.getByText('cleanUp').waitFor();
      await page.getByRole('tab', { name: 'Welcome' }).click();
      await editor.getByText('viewer').waitFor();
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('shows the documentation of the schema', async () => {
    const { data } = await gateway.graphql(
      '{ __type(name: "Event") { description fields { name description } } }',
    );
    const { description, fields } = data.__type;
    const label = fields.find((field: { name: string }) => field.name === 'label');
    const problems = await open(async (page) => {
      await untilReady(page);
      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
      const docs = page.locator('.graphiql-doc-explorer');
      await docs.getByRole('link', { name: 'Query', exact: true }).first().click();
      await docs.getByRole('link', { name: 'Event', exact: true }).first().click();
      await docs.getByText(description).first().waitFor();
      await docs.getByText(label.description).first().waitFor();
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('opens every page of its documentation at the top', async () => {
    const problems = await open(async (page) => {
      await untilReady(page);
      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
      const docs = page.locator('.graphiql-doc-explorer');
      await docs.getByRole('link', { name: 'Query', exact: true }).first().click();
      const top = () => page.evaluate("document.querySelector('.graphiql-plugin').scrollTop");
      const last = docs.getByRole('link', { name: 'Viewer', exact: true });
      await last.scrollIntoViewIfNeeded();
      await expect.poll(top).toBeGreaterThan(0);
      await last.click();
      await docs.locator('.graphiql-doc-explorer-title', { hasText: 'Viewer' }).waitFor();
      await expect.poll(top).toBe(0);
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('reports the position of a query error, without lines of its own code', async () => {
    const wrong = encodeURIComponent('query Wrong { viewer { name }');
    const problems = await open(
      async (page) => {
        await untilReady(page);
        await runQuery(page);
        await expectResult(page, 'SyntaxError:ExpectedName,found<EOF>');
        expect(await page.locator('.result-window').textContent()).not.toContain('stack');
      },
      { of: `${gateway.url}/graphql#query=${wrong}` },
    );
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('shows every tab on a desktop, and only the open one on a phone', async () => {
    const isInSight = (page: Page, name: string) =>
      page.evaluate(`(() => {
        const list = document.querySelector('.graphiql-tabs').getBoundingClientRect();
        const tab = document.querySelector('[title="${name}"]').getBoundingClientRect();
        return tab.left >= list.left - 1 && tab.right <= list.right + 1 && tab.bottom <= list.bottom + 1;
      })()`);
    const onDesk = await open(async (page) => {
      await untilReady(page);
      await expect.poll(() => isInSight(page, 'FollowLive')).toBe(true);
    });
    const onPhone = await open(
      async (page) => {
        await untilReady(page);
        await page.getByRole('tab', { name: 'WhoTurnedItOn' }).click();
        expect(await isInSight(page, 'FollowLive')).toBe(false);
        await page.evaluate("document.querySelector('[title=FollowLive]').click()");
        await expect.poll(() => isInSight(page, 'FollowLive')).toBe(true);
      },
      { viewport: PHONE, hasTouch: true, isMobile: true },
    );
    expect([onDesk, onPhone]).toEqual([NO_PROBLEMS, NO_PROBLEMS]);
  });

  test('runs subscriptions: a new clone appears', async () => {
    const problems = await open(async (page) => {
      await untilReady(page);
      await page.getByRole('tab', { name: 'FollowLive' }).click();
      await page.locator('.graphiql-query-editor').getByText('subscription').waitFor();
      await runQuery(page);
      const streams = async () =>
        /^flaggraph_live_streams (\d+)$/m.exec((await gateway.rest('/metrics')).text)?.[1];
      await expect.poll(streams).toBe('1');
      const { errors } = await gateway.graphql(
        'mutation { cloneFeature(input: { featureName: "welcome-tour", newName: "tour-seen-live" }) { __typename } }',
      );
      expect(errors).toBeUndefined();
      await expectResult(page, 'tour-seen-live');
      // Earlier events stay below it: a clone records several.
      await expect
        .poll(() => page.locator('.graphiql-response').textContent())
        .toMatch(/"node".*"node"/s);
      await page.getByRole('button', { name: /^Stop query/ }).click();
      await expect.poll(streams).toBe('0');
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('works below a base path', async () => {
    const below = await startGateway(database, { BASE_PATH: '/flags' });
    cleanUps.push(below.stop);
    const problems = await open(
      async (page) => {
        await page.getByRole('navigation').getByRole('link', { name: 'GraphiQL' }).click();
        expect(page.url()).toBe(`${below.url}/flags/graphql`);
        await untilReady(page);
        await runQuery(page);
        await expectResult(page, '"name":"demo-admin"');
      },
      { of: `${below.url}/flags/` },
    );
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('loads its files once', async () => {
    const before = gateway.log.length;
    const paths = () => gateway.log.slice(before).map((line): string => JSON.parse(line).path);
    const problems = await open(async (page) => {
      await untilReady(page);
      // A file that is still loading when the page is left would be loaded again.
      let loaded = 0;
      await expect
        .poll(
          () => {
            const before = loaded;
            loaded = paths().length;
            return loaded > 0 && loaded === before;
          },
          { interval: 500 },
        )
        .toBe(true);
      await page.goto(`${gateway.url}/`);
      await page.goto(`${gateway.url}/graphql`);
      await untilReady(page);
      await expect
        .poll(() => paths().filter((path) => path === '/graphql').length)
        .toBeGreaterThan(2);
    });
    expect(problems).toEqual(NO_PROBLEMS);
    const files = paths().filter((path) => path.startsWith('/assets/graphiql'));
    expect(files.length).toBeGreaterThan(0);
    expect(new Set(files).size).toBe(files.length);
  });

  test('is reported if it calls another host, throws, or runs an inline script', async () => {
    const { foreign, errors } = await open(async (page) => {
      await page.evaluate("fetch('http://other-host.example/').catch(() => undefined)");
      await page.evaluate("setTimeout(() => { throw new Error('a failure of the page'); })");
      await page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), { text: '1' }))",
      );
      await expect.poll(() => page.evaluate('1 + 1')).toBe(2);
    });
    expect(foreign).toEqual([]);
    expect(errors.join()).toContain('a failure of the page');
    expect(errors.join()).toMatch(/connect-src[\s\S]*script-src/);

    const unguarded = await open(
      async (page) => {
        await page.evaluate("fetch('http://other-host.example/').catch(() => undefined)");
      },
      { bypassCSP: true },
    );
    expect(unguarded.foreign).toEqual(['http://other-host.example/']);
  });
});

describe('the token box of GraphiQL', () => {
  const AUTH_ERRORS = /status of 40[13]/;

  test('shows the user and permissions of a token, and stores it only for the tab', async () => {
    const problems = await open(async (page) => {
      await enterToken(page, ` ${DEMO_TOKENS.member} `);
      await expectState(
        page,
        /^You are .+, a user\. You can read the projects visible to you, and have \d+ permissions to make changes\. Integrations need an admin token\.$/,
      );
      await page.getByText('Your permissions').click();
      const powers = page.getByText(/^in mobile, web-shop: CREATE_FEATURE, /);
      await powers.waitFor();
      await untilReady(page);
      await page.mouse.click(1000, 800);
      expect(await powers.isVisible()).toBe(false);
      await runQuery(page);
      await expectResult(page, '"isAdmin":false');

      expect(await storedIn(page, 'localStorage')).not.toContain(DEMO_TOKENS.member);
      expect(await storedIn(page, 'sessionStorage')).toContain(DEMO_TOKENS.member);
      await page.reload();
      await expectState(page, /a user\. You can read/);
      const other = await page.context().newPage();
      await other.goto(`${gateway.url}/graphql`);
      await expectState(other, /^You are demo-admin/);
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('restores the demo token after it was removed', async () => {
    const problems = await open(async (page) => {
      await expectState(page, /^You are demo-admin/);
      const demoTokenButton = page.getByRole('button', { name: 'Use the demo token' });
      expect(await demoTokenButton.isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Forget' }).click();
      await expectState(page, /^No token yet/);
      await page.reload();
      await demoTokenButton.click();
      await expectState(page, /^You are demo-admin/);
      expect(await demoTokenButton.isVisible()).toBe(false);
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('prefers a token from the Headers editor, and does not store it', async () => {
    const problems = await open(async (page) => {
      await untilReady(page);
      await typeHeaders(page, { Authorization: DEMO_TOKENS.viewer });
      await runQuery(page);
      await expectResult(page, '"isAdmin":false');
      expect(await storedIn(page, 'localStorage')).not.toContain(DEMO_TOKENS.viewer);
      expect(await storedIn(page, 'localStorage')).toContain('tabState');
    });
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test.each([
    ['no token', '', /^No token yet: the graph can be explored.*Paste a token/],
    ['an unknown token', '*:*.nobody-knows', /unknown, has expired .* Paste another one/],
    ['an expired token', DEMO_TOKENS.expired, /unknown, has expired .* Paste another one/],
    ['a token of the wrong kind', DEMO_TOKENS.client, /Paste an admin token or a personal token/],
    ['text that is not a token', 'täken–✓', /not a token: .* Copy it again/],
  ])('with %s shows what to do next, and still loads the schema', async (_name, token, text) => {
    const problems = await open(
      async (page) => {
        await enterToken(page, token);
        await expectState(page, text);
        await page.getByRole('link', { name: 'How to get a token' }).waitFor();
        await page.reload();
        await expectState(page, text);
        await untilReady(page);
        await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
        await page.locator('.graphiql-doc-explorer').getByText('Query').first().waitFor();
        await page.getByRole('link', { name: 'How to get a token' }).click();
        expect(page.url()).toBe(`${gateway.url}/start#get-a-token`);
      },
      { expects: AUTH_ERRORS },
    );
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('is empty in production, and the schema loads once a token is valid', async () => {
    const secret = '*:*.token-for-the-box';
    await database.client.apiToken.create({
      data: { secret, username: 'box', tokenName: 'box', type: 'admin' },
    });
    const hardened = await startGateway(database, { NODE_ENV: 'production', GRAPHIQL: 'on' });
    cleanUps.push(hardened.stop);
    const problems = await open(
      async (page) => {
        await expectState(page, /^No token yet\. Paste one/);
        expect(await page.content()).not.toContain('demo-admin-token');
        expect(await page.locator('#token-demo').isVisible()).toBe(false);
        await enterToken(page, DEMO_TOKENS.admin);
        await expectState(page, /unknown, has expired/);
        await enterToken(page, secret);
        await expectState(page, /^You are box/);
        await untilReady(page);
        await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
        await page.locator('.graphiql-doc-explorer').getByText('Mutation').first().waitFor();
      },
      { of: `${hardened.url}/graphql`, expects: AUTH_ERRORS },
    );
    expect(problems).toEqual(NO_PROBLEMS);
  });

  test('reports that the gateway is down, and continues when it is back', async () => {
    const first = await startGateway(database);
    const { port } = new URL(first.url);
    const problems = await open(
      async (page) => {
        await untilReady(page);
        // Files of the editor may still be loading.
        await page.waitForLoadState('networkidle');
        await first.stop();
        await runQuery(page);
        await expectState(page, /^The gateway does not respond\. Check that it is running/);
        const second = await startGateway(database, { PORT: port });
        cleanUps.push(second.stop);
        await page.getByRole('button', { name: 'Use' }).click();
        await expectState(page, /^You are demo-admin/);
        await runQuery(page);
        await expectResult(page, '"name":"demo-admin"');
      },
      { of: `${first.url}/graphql`, expects: /ERR_CONNECTION_REFUSED|Failed to fetch/ },
    );
    expect(problems).toEqual(NO_PROBLEMS);
  });
});
