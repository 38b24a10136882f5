import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../src/demo/tokens.js';
import { createMigratedDatabase, type TestDatabase } from '../testkit/database.js';
import { startDatabaseProxy } from '../testkit/database-proxy.js';
import {
  runCommand,
  startCommand,
  startGatewayProcess,
  stopCommands,
} from '../testkit/gateway-process.js';
import { addManyEvents } from '../testkit/many-events.js';
import { parseCsv } from '../testkit/parse-csv.js';

const SLOW = 240_000;
const COUNT = 20_000;
const PROGRAM = fileURLToPath(new URL('../../scripts/flaggraph.mjs', import.meta.url));

// The first call builds what is missing or stale; the others find it done.
beforeAll(async () => {
  expect(await runCommand(['serve', '--check-config'])).toMatchObject({ code: 0 });
});
afterAll(stopCommands);

describe('flaggraph export on a PostgreSQL', { timeout: SLOW }, () => {
  let database: TestDatabase;
  let settings: { DATABASE_URL: string };
  let folder: string;
  /** The file of an export that nothing disturbed. */
  let whole: string;
  beforeAll(async () => {
    database = await createMigratedDatabase();
    await addManyEvents(database.url, COUNT);
    settings = { DATABASE_URL: database.url };
    folder = mkdtempSync(join(tmpdir(), 'flaggraph-export-'));
  });
  afterAll(async () => {
    await stopCommands();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  /** A shell that sees the command as `$FLAGGRAPH export …`. */
  const shell = async (script: string) => {
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, ...settings, FLAGGRAPH: `${process.execPath} ${PROGRAM}` };
    return promisify(execFile)('sh', ['-c', script], {
      cwd: folder,
      env,
      maxBuffer: 1 << 28,
    });
  };

  const countOf = (file: string): number => {
    const path = join(folder, `${file}.resume`);
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).count : -1;
  };

  test('writes all events to a file, tells how many, and leaves nothing else behind', async () => {
    const output = join(folder, 'whole.ndjson');
    const ended = await runCommand(['export', '--output', output], settings);
    expect(ended).toMatchObject({ code: 0, stdout: '' });
    expect(ended.stderr).toMatch(/20,000 events exported in \d+ s\.\n$/);
    expect(existsSync(`${output}.resume`)).toBe(false);

    whole = readFileSync(output, 'utf8');
    const ids = whole
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).id);
    expect(ids).toHaveLength(COUNT);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(new Set(ids).size).toBe(COUNT);
  });

  test('writes to a pipe what a file would hold, quietly if told to', async () => {
    const { stdout, stderr } = await shell('$FLAGGRAPH export --quiet | cat');
    expect(stdout).toBe(whole);
    expect(stderr).toBe('');
  });

  test('ends quietly when the reader of a pipe has seen enough', async () => {
    const { stdout, stderr } = await shell(
      '{ $FLAGGRAPH export --format csv; echo "status $?" >&2; } | head -n 2',
    );
    expect(parseCsv(`${stdout.trimEnd()}\r\n`)).toHaveLength(2);
    expect(stderr).toBe('status 0\n');
  });

  test.each([
    ['> /dev/full', 'The same command'],
    ['--output /dev/full', 'Without --output, and with > /dev/full, the same command'],
  ])('says that the disk is full (%s), and a command that goes on', async (target, advice) => {
    const { stderr } = await shell(`$FLAGGRAPH export ${target}; echo "status $?" >&2`);
    expect(stderr).toMatch(/^error: \S.* cannot be written: the disk is full \(ENOSPC\)\.\n/);
    expect(stderr).toMatch(/--after \d+\.0\.\nstatus 1\n$/);
    expect(stderr).toContain(`0 events were written. ${advice} goes on there with --after`);
  });

  test('keeps whole lines when a file can take no more, and goes on when it can', async () => {
    // A limit of the system, in blocks of 512 bytes: it takes part of a page and then refuses, as a full disk does.
    const { stderr } = await shell(
      `(trap '' XFSZ; ulimit -f 9999; exec $FLAGGRAPH export --output full.ndjson); echo "status $?" >&2`,
    );
    expect(stderr).toMatch(/full\.ndjson cannot be written: the file may not become larger/);
    expect(stderr).toMatch(
      /[\d,]{3,} events were written\. The same command .* --resume\nstatus 1/,
    );
    const part = readFileSync(join(folder, 'full.ndjson'), 'utf8');
    expect(part.length).toBeGreaterThan(1_000_000);
    expect(part).toMatch(/\}\n$/);
    expect(whole.startsWith(part)).toBe(true);
    expect(countOf('full.ndjson')).toBe(part.split('\n').length - 1);

    await shell('$FLAGGRAPH export --output full.ndjson --resume');
    expect(readFileSync(join(folder, 'full.ndjson'), 'utf8')).toBe(whole);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGKILL', null],
  ] as const)('goes on after %s as if nothing had been', async (signal, code) => {
    const name = `${signal}.ndjson`;
    const args = ['export', '--output', join(folder, name)];
    const proxy = await startDatabaseProxy(database.url, { holdAfter: whole.length / 2 });
    const command = startCommand(args, { DATABASE_URL: proxy.url });
    await expect.poll(() => countOf(name)).toBeGreaterThan(0);
    const ending = command.stop(signal);
    proxy.release();
    const ended = await ending;
    await proxy.cut();
    expect(ended.code).toBe(code);
    if (code !== null) {
      expect(ended.stderr).toMatch(/events were written\. The same command .* with --resume\n$/);
    }
    expect(countOf(name)).toBeLessThan(COUNT);

    expect(await runCommand([...args, '--resume'], settings)).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, name), 'utf8')).toBe(whole);
  });

  test('ends on a signal although nobody reads, and tells the place to go on from', async () => {
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, [PROGRAM, 'export'], {
      env: { PATH, HOME, ...settings },
    });
    const stderr = text(child.stderr);
    const exited = once(child, 'exit');
    // More is not read of a pipe than fits in here.
    await expect.poll(() => child.stdout.readableLength).toBeGreaterThan(0);
    child.kill('SIGTERM');
    expect(await exited).toEqual([143, null]);
    const place = /--after (\S+)\n/.exec(await stderr)?.[1];
    expect(place).toMatch(/^\d+\.\d+\./);

    const rest = await runCommand(['export', '--after', place ?? '', '--quiet'], settings);
    expect(whole.endsWith(rest.stdout)).toBe(true);
    expect(rest.stdout.split('\n').length - 1).toBe(COUNT - Number(place?.split('.')[1]));
  });

  test('reads the same through a gateway, with the token in the environment', async () => {
    const gateway = await startGatewayProcess(settings);
    const env = { FLAGGRAPH_TOKEN: DEMO_TOKENS.admin };
    const refused = await runCommand(['export', '--url', gateway.url], env);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^error: The gateway refuses: The token .* is unknown/);

    const made = await runCommand(['token', 'create', 'admin', '--name', 'export'], settings);
    const token = { FLAGGRAPH_TOKEN: made.stdout.trim() };
    const args = ['export', '--url', `${gateway.url}/`, '--type', 'CHANGE_ADDED'];
    const through = await runCommand(args, token);
    const direct = await runCommand(['export', '--type', 'change-added'], settings);
    expect(through.code).toBe(0);
    expect(through.stdout).toBe(direct.stdout);
    expect(through.stdout.split('\n')).toHaveLength(COUNT / 4 + 1);
    await gateway.stop('SIGTERM');

    const gone = startCommand(args, token);
    await expect.poll(() => gone.stderr()).toContain('Trying again in 1 s …');
    expect(gone.stderr()).toContain('cannot be reached');
    expect(await gone.stop('SIGINT')).toMatchObject({ code: 130, stdout: '' });
  });

  test('describes itself', async () => {
    const { stdout } = await runCommand(['export', '--help']);
    for (const word of ['--resume', '--filter', 'FLAGGRAPH_TOKEN', 'Examples:', 'Exit status:']) {
      expect(stdout).toContain(word);
    }
  });
});

test('an embedded database in use is asked for through its server', { timeout: SLOW }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flaggraph-export-'));
  const settings = { DATA_DIR: join(folder, 'data') };
  const none = await runCommand(['export'], settings);
  expect(none).toMatchObject({ code: 1, stdout: '' });
  expect(none.stderr).toContain('There is no embedded database');
  expect(existsSync(settings.DATA_DIR)).toBe(false);

  const gateway = await startGatewayProcess(settings);
  const locked = await runCommand(['export'], settings);
  expect(locked).toMatchObject({ code: 1, stdout: '' });
  expect(locked.stderr).toMatch(/is in use by process \d+.*\n.*ask that server with --url/);

  const token = { FLAGGRAPH_TOKEN: DEMO_TOKENS.admin };
  const through = await runCommand(['export', '--url', `${gateway.url}/graphql`], token);
  expect(through.code).toBe(0);
  await gateway.stop('SIGTERM');
  const direct = await runCommand(['export'], settings);
  expect(direct.stdout).toBe(through.stdout);
  expect(direct.stdout.split('\n').length).toBeGreaterThan(1_000);
  rmSync(folder, { recursive: true });
});
