import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createEmbeddedFolder,
  createMigratedDatabase,
  type TestDatabase,
} from '../../testkit/database.js';
import {
  type CommandResult,
  runCommand,
  startGatewayProcess,
  stopCommands,
} from '../../testkit/gateway-process.js';

const THROWER = fileURLToPath(new URL('../../testkit/throw-on-signal.mjs', import.meta.url));
const FATAL = 60;

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  // Builds if the build is missing or stale.
  await runCommand(['serve', '--check-config']);
  folder = mkdtempSync(join(tmpdir(), 'flaggraph-fatal-'));
  database = await createMigratedDatabase();
});
afterAll(async () => {
  await stopCommands();
  await database.drop();
  rmSync(folder, { recursive: true });
});

const fatalLines = ({ stdout }: CommandResult) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level === FATAL);

test.each([
  ['exception', 'uncaught exception'],
  ['rejection', 'unhandled rejection'],
])('an uncaught %s is logged in one line and ends with exit code 1', async (kind, msg) => {
  const gateway = await startGatewayProcess({
    DATABASE_URL: database.url,
    NODE_ENV: 'production',
    NODE_OPTIONS: `--import=${THROWER}`,
    THROW_AS: kind,
  });
  const ended = await gateway.stop('SIGUSR2');
  expect(ended).toMatchObject({ code: 1, stderr: '' });
  expect(fatalLines(ended)).toMatchObject([
    { msg, err: { type: 'Error', message: 'nothing catches this', stack: expect.any(String) } },
  ]);
});

test('a gateway whose folder was taken over reports it and ends with exit code 1', async () => {
  const dataDir = join(folder, 'data');
  const lock = join(dataDir, 'lock');
  await createEmbeddedFolder(dataDir, 'empty');
  const gateway = await startGatewayProcess({ DATA_DIR: dataDir, NODE_ENV: 'production' });
  expect(gateway.stdout()).toContain('The embedded database serves one process');

  const other = { ...JSON.parse(readFileSync(lock, 'utf8')), pid: 4711, token: 'another' };
  writeFileSync(lock, JSON.stringify(other));
  const ended = await gateway.ended;
  expect(ended).toMatchObject({ code: 1, stderr: expect.not.stringContaining('Error') });
  expect(fatalLines(ended)).toMatchObject([
    { msg: expect.stringContaining('taken over by process 4711') },
  ]);
  expect(existsSync(lock)).toBe(true);
});
