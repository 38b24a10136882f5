import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/data/connect.js';
import { loadDemoWorld } from '../../src/demo/load-demo-world.js';
import { DEMO_TOKENS } from '../../src/demo/tokens.js';
import { DEMO_DAY, type Gateway, startGateway } from '../testkit/app.js';
import { startBrowser } from '../testkit/browser.js';
import { createMigratedDatabase } from '../testkit/database.js';

const PATIENCE = { timeout: 15_000 };

const cleanUps: (() => Promise<void>)[] = [];
let browser: Browser;
let gateway: Gateway;
let gatewayBelowPath: Gateway;
// Where there is no browser yet, one is installed first.
beforeAll(async () => {
  browser = await startBrowser();
  cleanUps.push(() => browser.close());
  const { url, drop } = await createMigratedDatabase();
  cleanUps.push(drop);
  const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
  cleanUps.push(database.close);
  await loadDemoWorld(database.client, { now: DEMO_DAY });
  gateway = await startGateway(database);
  cleanUps.push(gateway.stop);
  gatewayBelowPath = await startGateway(database, { BASE_PATH: '/flags' });
  cleanUps.push(gatewayBelowPath.stop);
}, 600_000);
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

/** Opens an address, notes everything that goes elsewhere or wrong meanwhile, and lets nothing out. */
const visit = async (address: string, work: (page: Page) => Promise<void>) => {
  const { origin } = new URL(address);
  const isForeign = (url: URL) => url.protocol !== 'data:' && url.origin !== origin;
  const called = new Set<string>();
  const foreign = new Set<string>();
  const errors: string[] = [];
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  try {
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (isForeign(url)) foreign.add(url.href);
      else if (url.protocol === 'http:') called.add(url.href);
    });
    page.on('websocket', (socket) => foreign.add(socket.url()));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.route(isForeign, (route) => route.abort());
    // The page is at rest when it has asked for the schema; before, it takes the focus for itself.
    const schema = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.goto(address);
    await schema;
    await work(page);
  } finally {
    await context.close();
  }
  return { called: [...called], foreign: [...foreign], errors };
};

const NOTHING = { foreign: [], errors: [] };

const runQuery = (page: Page) => page.getByRole('button', { name: /^Execute query/ }).click();

/** Waits until the answer holds a part, given without white space. */
const expectAnswer = (page: Page, part: string) =>
  expect
    .poll(async () => {
      const text = await page.locator('.result-window').textContent();
      return text?.replace(/\s+/g, '');
    }, PATIENCE)
    .toContain(part);

const typeHeaders = async (page: Page, headers: Record<string, string>) => {
  await page.getByRole('button', { name: 'Headers' }).click();
  const editor = page.locator('.graphiql-editor-tool .monaco-editor:visible');
  await editor.locator('.view-lines').click();
  await page.locator('.graphiql-editor-tool .monaco-editor.focused').waitFor(PATIENCE);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  await page.keyboard.type(JSON.stringify(headers));
};

describe('GraphiQL in a browser', () => {
  test('runs its first query with the demo token and shows the answer, calling no other host', async () => {
    const { body } = await gateway.rest('/api/admin/search/events?limit=1');
    const noticed = await visit(`${gateway.url}/graphql`, async (page) => {
      await runQuery(page);
      await expectAnswer(page, '"name":"demo-admin","isAdmin":true');
      await expectAnswer(page, `"totalCount":${body.total},"nodes":[{"id":${body.total},`);
    });
    expect(noticed).toEqual({ ...NOTHING, called: [`${gateway.url}/graphql`] });
  });

  test('calls with the token that is typed under Headers', async () => {
    const noticed = await visit(`${gateway.url}/graphql`, async (page) => {
      await typeHeaders(page, { Authorization: DEMO_TOKENS.viewer });
      await runQuery(page);
      await expectAnswer(page, '"isAdmin":false');
    });
    expect(noticed).toEqual({ ...NOTHING, called: [`${gateway.url}/graphql`] });
  });

  test('explains the graph in its documentation', async () => {
    const { data } = await gateway.graphql(
      '{ __type(name: "Event") { description fields { name description } } }',
    );
    const { description, fields } = data.__type;
    const label = fields.find((field: { name: string }) => field.name === 'label');
    const noticed = await visit(`${gateway.url}/graphql`, async (page) => {
      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
      const docs = page.locator('.graphiql-doc-explorer');
      await docs.getByRole('link', { name: 'Query', exact: true }).first().click(PATIENCE);
      await docs.getByRole('link', { name: 'Event', exact: true }).first().click(PATIENCE);
      await docs.getByText(description).waitFor(PATIENCE);
      await docs.getByText(label.description).waitFor(PATIENCE);
    });
    expect(noticed).toEqual({ ...NOTHING, called: [`${gateway.url}/graphql`] });
  });

  test('is reached from the root of the gateway, also below a base path', async () => {
    const noticed = await visit(`${gatewayBelowPath.url}/flags/`, async (page) => {
      expect(page.url()).toBe(`${gatewayBelowPath.url}/flags/graphql`);
      await runQuery(page);
      await expectAnswer(page, '"name":"demo-admin"');
    });
    const { url } = gatewayBelowPath;
    expect(noticed).toEqual({ ...NOTHING, called: [`${url}/flags/`, `${url}/flags/graphql`] });
  });

  test('would be caught if it called another host or failed', async () => {
    const { foreign, errors } = await visit(`${gateway.url}/graphql`, async (page) => {
      await page.evaluate("fetch('http://other-host.example/').catch(() => undefined)");
      await page.evaluate("setTimeout(() => { throw new Error('a failure of the page'); })");
      await expect.poll(() => page.evaluate('1 + 1')).toBe(2);
    });
    expect(foreign).toEqual(['http://other-host.example/']);
    expect(errors.join()).toContain('a failure of the page');
  });
});
