import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { type AttachedGateway, attachGateway } from '../../testkit/attached-gateway.js';
import { addCloneWorld, addFeature, CLONE_TOKENS, PEOPLE } from '../../testkit/clone-world.js';
import { type RecordingServer, startRecordingServer } from '../../testkit/recording-server.js';
import { CONSOLE_BASE_PATH } from '../../testkit/routed-paths.js';
import { addSession, SESSION_SECRET, sessionCookie } from '../../testkit/unleash-sessions.js';
import { type ReverseProxy, startCaddy, startNginx } from '../programs/reverse-proxy.js';
import { startBrowser } from './browser.js';
import { NO_PROBLEMS, visit } from './visit.js';

const CONSOLE_FOLDER = new URL('../../../dist/console/', import.meta.url);
const DATABASE_URL = 'postgresql://unused.example/unleash';
const SETTINGS = { NODE_ENV: 'production', GRAPHIQL: 'on', TRUSTED_PROXIES: '1', DATABASE_URL };

const readExample = (name: string): string =>
  readFileSync(new URL(`../../../examples/proxies/${name}`, import.meta.url), 'utf8');
const portOf = ({ url }: Gateway) => Number(new URL(url).port);

let browser: Browser;
let attached: AttachedGateway;
/** Without sessions, for a host name of its own. */
let alone: Gateway;
let unleash: RecordingServer;
beforeAll(async () => {
  browser = await startBrowser();
  attached = await attachGateway(
    async (client) => {
      await addCloneWorld(client);
      await addFeature(client, { name: 'cart' });
    },
    {
      consoleFolder: CONSOLE_FOLDER,
      settings: {
        ...SETTINGS,
        BASE_PATH: CONSOLE_BASE_PATH,
        UNLEASH_SECRET: SESSION_SECRET,
        ADMIN_UI_URL: 'https://flags.example',
      },
    },
  );
  alone = await startGateway(
    attached.database,
    { ...SETTINGS, CONSOLE: 'on', SESSIONS: 'off' },
    { consoleFolder: CONSOLE_FOLDER, hasDemo: false },
  );
  unleash = await startRecordingServer('unleash');
}, 600_000);
afterAll(async () => {
  await unleash?.close();
  await alone?.stop();
  await attached?.close();
  await browser?.close();
});

const signedIn = async (userId: number) => {
  const sid = await addSession(attached.database.client, userId);
  const [name = '', value = ''] = sessionCookie(sid).split('=');
  const cookie = { name, value, domain: '127.0.0.1', path: '/', expires: -1, httpOnly: true };
  return {
    storageState: {
      cookies: [{ ...cookie, secure: false, sameSite: 'Lax' as const }],
      origins: [],
    },
  };
};

const clone = async (url: string, name: string) => {
  const response = await fetch(`${url}/api/admin/projects/shop/features/cart/clone`, {
    method: 'POST',
    headers: { authorization: CLONE_TOKENS.ann, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  expect(response.status).toBe(200);
};

const pathOf = (page: Page) => new URL(page.url()).pathname;

describe.each([
  {
    name: 'nginx',
    start: startNginx,
    withConsole: 'nginx-console.conf',
    onOwnHost: 'nginx-own-host.conf',
  },
  {
    name: 'Caddy',
    start: startCaddy,
    withConsole: 'Caddyfile-console',
    onOwnHost: 'Caddyfile-own-host',
  },
])('the console behind $name', ({ name, start, withConsole, onOwnHost }) => {
  const behind = async (file: string, gateway: Gateway, use: (proxy: ReverseProxy) => unknown) => {
    const proxy = await start(readExample(file), {
      gateway: portOf(gateway),
      unleash: unleash.port,
    });
    try {
      await use(proxy);
    } finally {
      await proxy.stop();
    }
  };

  test('works beside Unleash, with its sign-in session', async () => {
    await behind(withConsole, attached.gateway, async ({ url }) => {
      const problems = await visit(
        browser,
        `${url}${CONSOLE_BASE_PATH}/`,
        async (page) => {
          await page.getByText('Ann', { exact: true }).waitFor();
          const followed = `followed-${name.toLowerCase()}`;
          await page.getByText('Live', { exact: true }).waitFor();
          await clone(url, followed);
          await page.getByText(followed).first().waitFor({ timeout: 5_000 });

          const exported = await page.evaluate(
            `fetch('${CONSOLE_BASE_PATH}/export/events.csv').then((response) => response.text())`,
          );
          expect(exported).toContain(followed);

          await page.getByRole('link', { name: 'Projects' }).click();
          await page.getByRole('link', { name: 'shop', exact: true }).waitFor();
          expect(pathOf(page)).toBe(`${CONSOLE_BASE_PATH}/projects`);
          await page.getByRole('link', { name: 'shop', exact: true }).click();
          await page.getByRole('link', { name: followed }).click();
          await page.getByRole('heading', { level: 1, name: followed }).waitFor();
          expect(pathOf(page)).toBe(`${CONSOLE_BASE_PATH}/features/${followed}`);
          await page.reload();
          await page.getByRole('heading', { level: 1, name: followed }).waitFor();

          await page.getByRole('link', { name: 'Show query' }).first().click();
          await page.getByText(/^Signed in .* as Ann/).waitFor();
          expect(pathOf(page)).toBe(`${CONSOLE_BASE_PATH}/graphql`);
        },
        await signedIn(PEOPLE.ann),
      );
      expect(problems).toEqual(NO_PROBLEMS);
    });
  });

  test('links to the sign-in of Unleash for a visitor without a session', async () => {
    await behind(withConsole, attached.gateway, async ({ url }) => {
      await visit(
        browser,
        `${url}${CONSOLE_BASE_PATH}`,
        async (page) => {
          const link = page.getByRole('link', { name: 'Sign in to Unleash' });
          expect(await link.getAttribute('href')).toBe('https://flags.example');
        },
        { expects: /status of 401/ },
      );
    });
  });

  test('works on a host name of its own, with a token', async () => {
    await behind(onOwnHost, alone, async ({ url }) => {
      const problems = await visit(
        browser,
        `${url}/projects/shop`,
        async (page) => {
          await page.getByLabel('Token').fill(CLONE_TOKENS.vic);
          await page.getByRole('button', { name: 'Sign in' }).click();
          await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
          await page.getByRole('link', { name: 'cart', exact: true }).click();
          await page.getByRole('heading', { level: 1, name: 'cart' }).waitFor();
          expect(pathOf(page)).toBe('/features/cart');
        },
        { expects: /status of 401/ },
      );
      expect(problems).toEqual(NO_PROBLEMS);
    });
  });
});
