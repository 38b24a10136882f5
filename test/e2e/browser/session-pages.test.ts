import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AttachedGateway, attachGateway } from '../../testkit/attached-gateway.js';
import { addCloneWorld, CLONE_TOKENS, PEOPLE } from '../../testkit/clone-world.js';
import { addSession, SESSION_SECRET, sessionCookie } from '../../testkit/unleash-sessions.js';
import { startBrowser } from './browser.js';
import { NO_PROBLEMS, visit } from './visit.js';

let browser: Browser;
let attached: AttachedGateway;
beforeAll(async () => {
  browser = await startBrowser();
  attached = await attachGateway(addCloneWorld, {
    settings: { CONSOLE: 'off', UNLEASH_SECRET: SESSION_SECRET },
  });
}, 600_000);
afterAll(async () => {
  await attached?.close();
  await browser?.close();
});

const signedIn = async (userId: number) => {
  const sid = await addSession(attached.database.client, userId);
  const [name = '', value = ''] = sessionCookie(sid).split('=');
  const { hostname } = new URL(attached.gateway.url);
  const cookie = { name, value, domain: hostname, path: '/', expires: -1, httpOnly: true };
  return {
    storageState: {
      cookies: [{ ...cookie, secure: false, sameSite: 'Lax' as const }],
      origins: [],
    },
  };
};

const stateOf = (id: string) => `document.getElementById('${id}')?.textContent ?? ''`;

test('the start page shows the signed-in user', async () => {
  const problems = await visit(
    browser,
    `${attached.gateway.url}/`,
    async (page) => {
      await expect.poll(() => page.evaluate(stateOf('signed-in'))).toMatch(/^Signed in .* as Ann/);
    },
    await signedIn(PEOPLE.ann),
  );
  expect(problems).toEqual(NO_PROBLEMS);
});

test('the start page reports that there is no session', async () => {
  await visit(
    browser,
    `${attached.gateway.url}/`,
    async (page) => {
      await expect.poll(() => page.evaluate(stateOf('signed-in'))).toMatch(/^Not signed in/);
    },
    { expects: /status of 401/ },
  );
});

test('GraphiQL runs queries as the signed-in user, or with a token once one is entered', async () => {
  const problems = await visit(
    browser,
    `${attached.gateway.url}/graphql`,
    async (page) => {
      await expect
        .poll(() => page.evaluate(stateOf('token-state')))
        .toMatch(/^Signed in .* as Ann/);
      const readUserId = () =>
        page.evaluate(`fetch('/graphql', {
          method: 'POST', headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query: '{ viewer { userId } }' }),
        }).then((answer) => answer.json()).then(({ data }) => data.viewer.userId)`);
      expect(await readUserId()).toBe(PEOPLE.ann);
      await page.fill('#token', CLONE_TOKENS.vic);
      await page.click('#token-use');
      await expect.poll(() => page.evaluate(stateOf('token-state'))).toMatch(/^You are/);
      expect(await readUserId()).toBe(PEOPLE.vic);
    },
    await signedIn(PEOPLE.ann),
  );
  expect(problems).toEqual(NO_PROBLEMS);
});
