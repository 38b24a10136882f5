import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { createEmbeddedFolder } from '../../testkit/database.js';
import { freePort } from '../../testkit/free-port.js';
import { runCommand } from '../../testkit/gateway-process.js';

const PROGRAM = fileURLToPath(new URL('../../../scripts/build-and-run.mjs', import.meta.url));
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;
/** Their lines exceed the 4 MiB log buffer and the kernel's buffers: they contain 500 characters of the path. */
const REQUESTS = 8_000;
const CONNECTIONS = 20;
const LONG_PATH = `/api/admin/${'x'.repeat(600)}`;

const folder = mkdtempSync(join(tmpdir(), 'flaggraph-unread-'));
// The first call builds if the build is missing or stale.
beforeAll(() => runCommand(['serve', '--check-config']));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a log that is not read blocks neither requests nor the exit of the process', async () => {
  const { PATH = '', HOME = '' } = process.env;
  await createEmbeddedFolder(join(folder, 'data'), 'demo');
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    env: { PATH, HOME, PORT: '0', DATA_DIR: join(folder, 'data'), RATE_LIMIT_POINTS: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  try {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await expect.poll(() => ADDRESS.exec(output)?.[0], { timeout: 60_000 }).toBeDefined();
    const [url] = ADDRESS.exec(output) ?? [];
    const send = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        const signal = AbortSignal.timeout(10_000);
        const headers = { authorization: DEMO_TOKENS.admin };
        const response = await fetch(`${url}${LONG_PATH}`, { headers, signal });
        await response.arrayBuffer();
        expect(response.status).toBe(404);
      }
    };
    const flood = () =>
      Promise.all(Array.from({ length: CONNECTIONS }, () => send(REQUESTS / CONNECTIONS)));
    child.stdout.pause();
    await flood();
    child.stdout.resume();
    await expect.poll(() => output).toMatch(/"level":40,[^\n]*"Dropped \d+ log lines/);

    child.stdout.pause();
    await flood();
    const startedAt = performance.now();
    child.kill('SIGTERM');
    await exited;
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
});

test.runIf(process.platform === 'linux')('a log on a full disk blocks nothing', async () => {
  const { PATH = '', HOME = '' } = process.env;
  const port = await freePort();
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    env: {
      PATH,
      HOME,
      PORT: String(port),
      NODE_ENV: 'production',
      DATA_DIR: join(folder, 'production'),
    },
    stdio: ['ignore', full, 'ignore'],
  });
  closeSync(full);
  const exited = once(child, 'exit');
  try {
    const statusOf = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        ({ status }) => status,
        () => null,
      );
    await expect.poll(() => statusOf('/livez'), { timeout: 60_000 }).toBe(200);
    for (let index = 0; index < 50; index += 1) expect(await statusOf('/api/admin/x')).toBe(401);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
});
