import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/config.js';
import { createDemoAccess } from '../../../src/demo/demo-access.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, startGateway } from '../../testkit/app.js';
import { rawRequest } from '../../testkit/raw-request.js';

const SEARCH = '/api/admin/search/events?limit=1';
const PAGES = ['/', '/graphql'];
const HTML = { accept: 'text/html' };

describeWithDemo('the demo world', ({ gateway, database }) => {
  const requestWithHost = (host: string, path: string, headers: Record<string, string> = {}) =>
    rawRequest(gateway().url, {
      path,
      headers: { host, authorization: DEMO_TOKENS.admin, ...headers },
    });

  test.each(['localhost:4000', '127.0.0.1', '127.8.8.8:80', '[::1]:4000'])(
    'is served when the Host header is %s',
    async (host) => {
      expect((await requestWithHost(host, SEARCH)).status).toBe(200);
      expect((await requestWithHost(host, '/', HTML)).status).toBe(200);
    },
  );

  test.each(['rebound.example', 'rebound.example:4000', '10.0.0.1', 'localhost.rebound.example'])(
    'returns 421 on every path when the Host header is %s',
    async (host) => {
      for (const path of [SEARCH, ...PAGES, '/docs/', '/metrics', '/livez', '/nowhere']) {
        for (const headers of [{}, HTML]) {
          const { status, body } = await requestWithHost(host, path, headers);
          expect([path, status]).toEqual([path, 421]);
          const { id, name, message, details } = JSON.parse(body.toString());
          expect([id, name]).toEqual([expect.stringMatching(/^[\w-]{36}$/), 'BadDataError']);
          expect(message).toContain('Host header');
          expect(details).toEqual([{ message }]);
          expect(body.toString()).not.toContain('example');
        }
      }
    },
  );

  test('requires the tokens of its data folder, which no page contains, when other machines can reach it', async () => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'flaggraph-demo-'));
    const settings = { HOST: '0.0.0.0', DATA_DIR };
    const open = await startGateway(database(), settings);
    const { tokens } = createDemoAccess(loadConfig(settings), true);
    const { admin = '', viewer = '' } = tokens ?? {};

    expect((await open.rest(SEARCH, { token: admin })).status).toBe(200);
    const { data } = await open.graphql('{ viewer { name kind } }', {}, { token: viewer });
    const known = await gateway().graphql(
      '{ viewer { name kind } }',
      {},
      { token: DEMO_TOKENS.viewer },
    );
    expect(data).toEqual(known.data);
    for (const token of Object.values(DEMO_TOKENS)) {
      expect((await open.rest(SEARCH, { token })).status).toBe(401);
    }

    for (const path of PAGES) {
      const { status, body } = await rawRequest(open.url, {
        path,
        headers: { ...HTML, host: 'flags.example' },
      });
      expect(status).toBe(200);
      for (const secret of [admin, viewer, DEMO_TOKENS.admin, DEMO_TOKENS.viewer]) {
        expect(body.toString()).not.toContain(secret);
      }
    }
    await open.stop();
    rmSync(DATA_DIR, { recursive: true });
  });

  test.each([{ DATABASE_URL: 'postgresql://db.example/flags' }, { NODE_ENV: 'production' }])(
    'rejects the demo tokens with %o',
    async (settings) => {
      const closed = await startGateway(database(), settings);
      for (const token of Object.values(DEMO_TOKENS)) {
        expect((await closed.rest(SEARCH, { token })).status).toBe(401);
        expect((await closed.graphql('{ viewer { name } }', {}, { token })).status).toBe(401);
      }
      await closed.stop();
    },
  );
});
