import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/data/connect.js';
import { loadDemoWorld } from '../../src/demo/load-demo-world.js';
import { DEMO_TOKENS } from '../../src/demo/tokens.js';
import { DEMO_DAY, type Gateway, startGateway } from '../testkit/app.js';
import { startBrowser } from '../testkit/browser.js';
import { createMigratedDatabase } from '../testkit/database.js';
import { expectAnswer, expectState, giveToken, runQuery, untilReady } from '../testkit/graphiql.js';
import { isTooWide, NOTHING, PHONE, visit } from '../testkit/visit.js';

const cleanUps: (() => Promise<unknown>)[] = [];
let browser: Browser;
let database: Database;
let gateway: Gateway;
// Where there is no browser yet, one is installed first.
beforeAll(async () => {
  browser = await startBrowser();
  cleanUps.push(() => browser.close());
  const { url, drop } = await createMigratedDatabase();
  cleanUps.push(drop);
  database = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
  cleanUps.push(database.close);
  await loadDemoWorld(database.client, { now: DEMO_DAY });
  gateway = await startGateway(database);
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

const kept = (page: Page, storage: 'localStorage' | 'sessionStorage') =>
  page.evaluate(`JSON.stringify(${storage})`);

const pressUntil = async (page: Page, key: string, selector: string) => {
  for (let times = 0; times < 40; times += 1) {
    if ((await page.locator(`${selector}:focus`).count()) > 0) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${selector} is not reached by ${key}.`);
};

describe('GraphiQL in a browser', () => {
  test('runs its first query with the demo token and shows the answer, calling no other host', async () => {
    const { body } = await gateway.rest('/api/admin/search/events?limit=1');
    const noticed = await open(async (page) => {
      await expectState(page, /^You are demo-admin, an admin token\. You may do everything\.$/);
      await untilReady(page);
      await runQuery(page);
      await expectAnswer(page, '"name":"demo-admin","isAdmin":true');
      await expectAnswer(page, `"totalCount":${body.total},"nodes":[{"id":${body.total},`);
      expect(await isTooWide(page)).toBe(false);
    });
    expect(noticed).toEqual(NOTHING);
  });

  test('works on a phone: question above, answer below, nothing to the side', async () => {
    const noticed = await open(
      async (page) => {
        await untilReady(page);
        await runQuery(page);
        await expectAnswer(page, '"name":"demo-admin"');
        expect(await isTooWide(page)).toBe(false);
        const question = await page.locator('.graphiql-query-editor').boundingBox();
        const answer = await page.locator('.result-window').boundingBox();
        expect(question?.width).toBeGreaterThan(300);
        expect(question?.height).toBeGreaterThan(100);
        expect(answer?.width).toBeGreaterThan(300);
        expect(answer?.height).toBeGreaterThan(150);
        expect(answer?.y).toBeGreaterThan((question?.y ?? 0) + (question?.height ?? 0) - 1);

        await page.getByRole('button', { name: 'Forget' }).click();
        await expectState(page, /^No token yet/);
        await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
        await page.locator('.graphiql-doc-explorer').getByText('Query').first().click();
      },
      { viewport: PHONE, hasTouch: true, isMobile: true },
    );
    expect(noticed).toEqual(NOTHING);
  });

  test('is worked by the keyboard alone', async () => {
    const noticed = await open(async (page) => {
      await untilReady(page);
      await page.locator('.brand').focus();
      await pressUntil(page, 'Tab', '#token');
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(DEMO_TOKENS.viewer);
      await page.keyboard.press('Enter');
      await expectState(
        page,
        /a user\. You may read all projects; you may not change anything\. Integrations need an admin token\.$/,
      );
      await pressUntil(page, 'Tab', '.graphiql-query-editor .graphiql-editor');
      await page.keyboard.press('Control+Enter');
      await expectAnswer(page, '"isAdmin":false');
    });
    expect(noticed).toEqual(NOTHING);
  });

  test('has a tab for each question, opened by a click', async () => {
    const noticed = await open(async (page) => {
      await untilReady(page);
      const editor = page.locator('.graphiql-query-editor');
      await page.getByRole('tab', { name: 'WhoTurnedItOn' }).click();
      await editor.getByText('timeline').waitFor();
      await runQuery(page);
      await expectAnswer(page, '"startedBy":{"id":');
      await page.getByRole('tab', { name: 'WhatCanWeDelete' }).click();
      await editor.getByText('cleanUp').waitFor();
      await page.getByRole('tab', { name: 'Welcome' }).click();
      await editor.getByText('viewer').waitFor();
    });
    expect(noticed).toEqual(NOTHING);
  });

  test('explains the graph in its documentation', async () => {
    const { data } = await gateway.graphql(
      '{ __type(name: "Event") { description fields { name description } } }',
    );
    const { description, fields } = data.__type;
    const label = fields.find((field: { name: string }) => field.name === 'label');
    const noticed = await open(async (page) => {
      await untilReady(page);
      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
      const docs = page.locator('.graphiql-doc-explorer');
      await docs.getByRole('link', { name: 'Query', exact: true }).first().click();
      await docs.getByRole('link', { name: 'Event', exact: true }).first().click();
      await docs.getByText(description).first().waitFor();
      await docs.getByText(label.description).first().waitFor();
    });
    expect(noticed).toEqual(NOTHING);
  });

  test('begins every page of its documentation at the top', async () => {
    const noticed = await open(async (page) => {
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
    expect(noticed).toEqual(NOTHING);
  });

  test('says where a query is wrong, without lines of its own code', async () => {
    const wrong = encodeURIComponent('query Wrong { viewer { name }');
    const noticed = await open(
      async (page) => {
        await untilReady(page);
        await runQuery(page);
        await expectAnswer(page, 'SyntaxError:ExpectedName,found<EOF>');
        expect(await page.locator('.result-window').textContent()).not.toContain('stack');
      },
      { of: `${gateway.url}/graphql#query=${wrong}` },
    );
    expect(noticed).toEqual(NOTHING);
  });

  test('shows every tab on a desk, and on a phone the one that is open', async () => {
    const isInSight = (page: Page, name: string) =>
      page.evaluate(`(() => {
        const list = document.querySelector('.graphiql-tabs').getBoundingClientRect();
        const tab = document.querySelector('[title="${name}"]').getBoundingClientRect();
        return tab.left >= list.left - 1 && tab.right <= list.right + 1 && tab.bottom <= list.bottom + 1;
      })()`);
    const onDesk = await open(async (page) => {
      await untilReady(page);
      expect(await isInSight(page, 'FollowLive')).toBe(true);
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
    expect([onDesk, onPhone]).toEqual([NOTHING, NOTHING]);
  });

  test('follows the log: what is cloned meanwhile appears', async () => {
    const noticed = await open(async (page) => {
      await untilReady(page);
      await page.getByRole('tab', { name: 'FollowLive' }).click();
      await page.locator('.graphiql-query-editor').getByText('subscription').waitFor();
      await runQuery(page);
      const streams = async () =>
        /^flaggraph_live_streams (\d+)$/m.exec((await gateway.rest('/metrics')).text)?.[1];
      await expect.poll(streams).toBe('1');
      const { errors } = await gateway.graphql(
        'mutation { cloneFeature(input: { feature: "welcome-tour", name: "tour-seen-live" }) { __typename } }',
      );
      expect(errors).toBeUndefined();
      await expectAnswer(page, 'tour-seen-live');
      await page.getByRole('button', { name: /^Stop query/ }).click();
      await expect.poll(streams).toBe('0');
    });
    expect(noticed).toEqual(NOTHING);
  });

  test('opens a query that a page of the documentation brings along', async () => {
    const page = `${gateway.url}/docs/questions/what-to-clean-up`;
    const noticed = await open(
      async (page) => {
        await page.getByRole('link', { name: 'Open in GraphiQL' }).first().click();
        await untilReady(page);
        await runQuery(page);
        await expectAnswer(page, '"cleanUp":{"nodes":[{"feature":{"name":');
        await page.reload();
        await untilReady(page);
      },
      { of: page },
    );
    expect(noticed).toEqual(NOTHING);
  });

  test('works below a base path', async () => {
    const below = await startGateway(database, { BASE_PATH: '/flags' });
    cleanUps.push(below.stop);
    const noticed = await open(
      async (page) => {
        await page.getByRole('navigation').getByRole('link', { name: 'GraphiQL' }).click();
        expect(page.url()).toBe(`${below.url}/flags/graphql`);
        await untilReady(page);
        await runQuery(page);
        await expectAnswer(page, '"name":"demo-admin"');
      },
      { of: `${below.url}/flags/` },
    );
    expect(noticed).toEqual(NOTHING);
  });

  test('loads its files once', async () => {
    const before = gateway.log.length;
    const paths = () => gateway.log.slice(before).map((line): string => JSON.parse(line).path);
    const noticed = await open(async (page) => {
      await untilReady(page);
      await page.goto(`${gateway.url}/`);
      await page.goto(`${gateway.url}/graphql`);
      await untilReady(page);
      await expect
        .poll(() => paths().filter((path) => path === '/graphql').length)
        .toBeGreaterThan(2);
    });
    expect(noticed).toEqual(NOTHING);
    const files = paths().filter((path) => path.startsWith('/assets/graphiql'));
    expect(files.length).toBeGreaterThan(0);
    expect(new Set(files).size).toBe(files.length);
  });

  test('would be caught if it called another host, failed, or ran a script of its text', async () => {
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
  const REFUSALS = /status of 40[13]/;

  test('says who a token is and what it may do, and keeps it for the tab only', async () => {
    const noticed = await open(async (page) => {
      await giveToken(page, ` ${DEMO_TOKENS.member} `);
      await expectState(
        page,
        /^You are .+, a user\. You may read all projects, and hold \d+ permissions to change things\. Integrations need an admin token\.$/,
      );
      await page.getByText('What you may do').click();
      const powers = page.getByText(/^in mobile, web-shop: CREATE_FEATURE, /);
      await powers.waitFor();
      await untilReady(page);
      await page.mouse.click(1000, 800);
      expect(await powers.isVisible()).toBe(false);
      await runQuery(page);
      await expectAnswer(page, '"isAdmin":false');

      expect(await kept(page, 'localStorage')).not.toContain(DEMO_TOKENS.member);
      expect(await kept(page, 'sessionStorage')).toContain(DEMO_TOKENS.member);
      await page.reload();
      await expectState(page, /a user\. You may read/);
      const other = await page.context().newPage();
      await other.goto(`${gateway.url}/graphql`);
      await expectState(other, /^You are demo-admin/);
    });
    expect(noticed).toEqual(NOTHING);
  });

  test('takes the demo token back that was forgotten', async () => {
    const noticed = await open(async (page) => {
      await expectState(page, /^You are demo-admin/);
      const back = page.getByRole('button', { name: 'Use the demo token' });
      expect(await back.isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Forget' }).click();
      await expectState(page, /^No token yet/);
      await page.reload();
      await back.click();
      await expectState(page, /^You are demo-admin/);
      expect(await back.isVisible()).toBe(false);
    });
    expect(noticed).toEqual(NOTHING);
  });

  test('lets a token that is typed under Headers go before, and keeps none of it', async () => {
    const noticed = await open(async (page) => {
      await untilReady(page);
      await typeHeaders(page, { Authorization: DEMO_TOKENS.viewer });
      await runQuery(page);
      await expectAnswer(page, '"isAdmin":false');
      expect(await kept(page, 'localStorage')).not.toContain(DEMO_TOKENS.viewer);
      expect(await kept(page, 'localStorage')).toContain('tabState');
    });
    expect(noticed).toEqual(NOTHING);
  });

  test.each([
    ['none', '', /^No token yet: the graph can be explored.*Paste a token/],
    ['an unknown one', '*:*.nobody-knows', /unknown, has expired .* Paste another one/],
    ['an expired one', DEMO_TOKENS.expired, /unknown, has expired .* Paste another one/],
    ['one of the wrong kind', DEMO_TOKENS.client, /Paste an admin token or a personal token/],
    ['one that is no token', 'täken–✓', /no token: .* Copy it again/],
  ])('given %s says what to do next, and still shows the graph', async (_name, token, text) => {
    const noticed = await open(
      async (page) => {
        await giveToken(page, token);
        await expectState(page, text);
        await page.getByRole('link', { name: 'How to get a token' }).waitFor();
        await page.reload();
        await expectState(page, text);
        await untilReady(page);
        await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
        await page.locator('.graphiql-doc-explorer').getByText('Query').first().waitFor();
        await page.getByRole('link', { name: 'How to get a token' }).click();
        expect(page.url()).toBe(`${gateway.url}/#get-a-token`);
      },
      { expects: REFUSALS },
    );
    expect(noticed).toEqual(NOTHING);
  });

  test('in production begins empty, and shows the graph once a token is good', async () => {
    const secret = '*:*.token-for-the-box';
    await database.client.apiToken.create({
      data: { secret, username: 'box', tokenName: 'box', type: 'admin' },
    });
    const hardened = await startGateway(database, { NODE_ENV: 'production', GRAPHIQL: 'on' });
    cleanUps.push(hardened.stop);
    const noticed = await open(
      async (page) => {
        await expectState(page, /^No token yet\. Paste one/);
        expect(await page.content()).not.toContain('demo-admin-token');
        expect(await page.locator('#token-demo').isVisible()).toBe(false);
        await giveToken(page, DEMO_TOKENS.admin);
        await expectState(page, /unknown, has expired/);
        await giveToken(page, secret);
        await expectState(page, /^You are box/);
        await untilReady(page);
        await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
        await page.locator('.graphiql-doc-explorer').getByText('Mutation').first().waitFor();
      },
      { of: `${hardened.url}/graphql`, expects: REFUSALS },
    );
    expect(noticed).toEqual(NOTHING);
  });

  test('says when the gateway is down, and goes on when it is back', async () => {
    const first = await startGateway(database);
    const { port } = new URL(first.url);
    const noticed = await open(
      async (page) => {
        await untilReady(page);
        await first.stop();
        await runQuery(page);
        await expectState(page, /^The gateway does not answer\. See that it runs/);
        const second = await startGateway(database, { PORT: port });
        cleanUps.push(second.stop);
        await page.getByRole('button', { name: 'Use' }).click();
        await expectState(page, /^You are demo-admin/);
        await runQuery(page);
        await expectAnswer(page, '"name":"demo-admin"');
      },
      { of: `${first.url}/graphql`, expects: /ERR_CONNECTION_REFUSED|Failed to fetch/ },
    );
    expect(noticed).toEqual(NOTHING);
  });
});
