import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import {
  createEmbeddedFolder,
  createMigratedDatabase,
  type TestDatabase,
} from '../../testkit/database.js';
import { startDatabaseProxy } from '../../testkit/database-proxy.js';
import {
  runCommand,
  startCommand,
  startGatewayProcess,
  stopCommands,
} from '../../testkit/gateway-process.js';
import { addManyEvents } from '../../testkit/many-events.js';
import { parseCsv } from '../../testkit/parse-csv.js';

const SLOW = 240_000;
const COUNT = 20_000;
const PROGRAM = fileURLToPath(new URL('../../../scripts/build-and-run.mjs', import.meta.url));

// The first call builds the program if it is missing or stale.
beforeAll(async () => {
  expect(await runCommand(['serve', '--check-config'])).toMatchObject({ code: 0 });
});
afterAll(stopCommands);

describe('flaggraph export on PostgreSQL', { timeout: SLOW }, () => {
  let database: TestDatabase;
  let settings: { DATABASE_URL: string };
  let folder: string;
  /** The output of an export without interruption. */
  let fullExport: string;
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

  /** Runs a shell script that calls the command as `$FLAGGRAPH export …`. */
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

  test('writes all events to a file, reports the count, and removes the resume file', async () => {
    const output = join(folder, 'whole.ndjson');
    const ended = await runCommand(['export', '--output', output], settings);
    expect(ended).toMatchObject({ code: 0, stdout: '' });
    expect(ended.stderr).toMatch(/20,000 events exported in \d+ s\.\n$/);
    expect(existsSync(`${output}.resume`)).toBe(false);

    fullExport = readFileSync(output, 'utf8');
    const ids = fullExport
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).id);
    expect(ids).toHaveLength(COUNT);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(new Set(ids).size).toBe(COUNT);
  });

  test('writes the same to a pipe, without messages when --quiet is set', async () => {
    const { stdout, stderr } = await shell('$FLAGGRAPH export --quiet | cat');
    expect(stdout).toBe(fullExport);
    expect(stderr).toBe('');
  });

  test('exits with 0 when the reader of a pipe closes it', async () => {
    const { stdout, stderr } = await shell(
      '{ $FLAGGRAPH export --format csv; echo "status $?" >&2; } | head -n 2',
    );
    expect(parseCsv(`${stdout.trimEnd()}\r\n`)).toHaveLength(2);
    expect(stderr).toBe('status 0\n');
  });

  test.each([
    ['> /dev/full', 'with --after'],
    ['--output /dev/full', 'with > /dev/full instead of --output, and with --after'],
  ])('reports a full disk (%s), and how to resume', async (target, advice) => {
    const { stderr } = await shell(`$FLAGGRAPH export ${target}; echo "status $?" >&2`);
    expect(stderr).toMatch(/^error: \S.* cannot be written: the disk is full \(ENOSPC\)\.\n/);
    expect(stderr).toMatch(/--after \d+\.0\.\nstatus 1\n$/);
    expect(stderr).toContain(`0 events were written. To resume, repeat the command ${advice}`);
  });

  test('keeps whole lines when the file cannot grow, and resumes when it can', async () => {
    // A limit in blocks of 512 bytes: part of a page is written before the write fails, as on a full disk.
    const { stderr } = await shell(
      `(trap '' XFSZ; ulimit -f 9999; exec $FLAGGRAPH export --output full.ndjson); echo "status $?" >&2`,
    );
    expect(stderr).toMatch(/full\.ndjson cannot be written: the file size limit is reached/);
    expect(stderr).toMatch(/[\d,]{3,} events were written\. To resume, .* --resume\.\nstatus 1/);
    const part = readFileSync(join(folder, 'full.ndjson'), 'utf8');
    expect(part.length).toBeGreaterThan(1_000_000);
    expect(part).toMatch(/\}\n$/);
    expect(fullExport.startsWith(part)).toBe(true);
    expect(countOf('full.ndjson')).toBe(part.split('\n').length - 1);

    await shell('$FLAGGRAPH export --output full.ndjson --resume');
    expect(readFileSync(join(folder, 'full.ndjson'), 'utf8')).toBe(fullExport);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGKILL', null],
  ] as const)('resumes after %s with identical output', async (signal, code) => {
    const name = `${signal}.ndjson`;
    const args = ['export', '--output', join(folder, name)];
    const proxy = await startDatabaseProxy(database.url, { holdAfter: fullExport.length / 2 });
    const command = startCommand(args, { DATABASE_URL: proxy.url });
    await expect.poll(() => countOf(name)).toBeGreaterThan(0);
    const ending = command.stop(signal);
    proxy.release();
    const ended = await ending;
    await proxy.cut();
    expect(ended.code).toBe(code);
    if (code !== null) {
      expect(ended.stderr).toMatch(/events were written\. To resume, .* with --resume\.\n$/);
    }
    expect(countOf(name)).toBeLessThan(COUNT);

    expect(await runCommand([...args, '--resume'], settings)).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, name), 'utf8')).toBe(fullExport);
  });

  test('exits on a signal although the pipe is not read, and reports where to resume', async () => {
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, [PROGRAM, 'export'], {
      env: { PATH, HOME, ...settings },
    });
    const stderr = text(child.stderr);
    const exited = once(child, 'exit');
    // Data arrives until the buffer of the pipe is full.
    await expect.poll(() => child.stdout.readableLength).toBeGreaterThan(0);
    child.kill('SIGTERM');
    expect(await exited).toEqual([143, null]);
    const position = /--after (\S+)\n/.exec(await stderr)?.[1];
    expect(position).toMatch(/^\d+\.\d+\./);

    const rest = await runCommand(['export', '--after', position ?? '', '--quiet'], settings);
    expect(fullExport.endsWith(rest.stdout)).toBe(true);
    expect(rest.stdout.split('\n').length - 1).toBe(COUNT - Number(position?.split('.')[1]));
  });

  test('writes the same through a gateway, with the token in the environment', async () => {
    const gateway = await startGatewayProcess(settings);
    const env = { FLAGGRAPH_TOKEN: DEMO_TOKENS.admin };
    const rejected = await runCommand(['export', '--url', gateway.url], env);
    expect(rejected).toMatchObject({ code: 1, stdout: '' });
    expect(rejected.stderr).toMatch(/^error: The gateway returned an error: The token is unknown/);

    const created = await runCommand(['token', 'create', 'admin', '--name', 'export'], settings);
    const token = { FLAGGRAPH_TOKEN: created.stdout.trim() };
    const args = ['export', '--url', `${gateway.url}/`, '--type', 'CHANGE_ADDED'];
    const through = await runCommand(args, token);
    const direct = await runCommand(['export', '--type', 'change-added'], settings);
    expect(through.code).toBe(0);
    expect(through.stdout).toBe(direct.stdout);
    expect(through.stdout.split('\n')).toHaveLength(COUNT / 4 + 1);
    await gateway.stop('SIGTERM');

    const unreachable = startCommand(args, token);
    await expect.poll(() => unreachable.stderr()).toContain('Retrying in 1 s …');
    expect(unreachable.stderr()).toContain('cannot be reached');
    expect(await unreachable.stop('SIGINT')).toMatchObject({ code: 130, stdout: '' });
  });

  test('rejects a mistyped name instead of exporting nothing', async () => {
    const output = join(folder, 'typo.ndjson');
    const ended = await runCommand(
      ['export', '--project', 'defualt', '--output', output],
      settings,
    );
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(
      /^error: No project is called 'defualt'.*Did you mean 'default'\?\n$/,
    );
    expect(existsSync(output)).toBe(false);
  });

  test('resumes an export of a relative time range', async () => {
    const name = 'relative.ndjson';
    const args = ['export', '--from', '3650d', '--output', join(folder, name)];
    const proxy = await startDatabaseProxy(database.url, { holdAfter: fullExport.length / 2 });
    const command = startCommand(args, { DATABASE_URL: proxy.url });
    await expect.poll(() => countOf(name)).toBeGreaterThan(0);
    const ending = command.stop('SIGKILL');
    proxy.release();
    await ending;
    await proxy.cut();
    const other = args.map((arg) => (arg === '3650d' ? '3651d' : arg));
    const rejected = await runCommand([...other, '--resume'], settings);
    expect(rejected).toMatchObject({ code: 1 });
    expect(rejected.stderr).toContain(
      'started with another filter: {"createdAt":{"from":"3650d"}}',
    );
    expect(await runCommand([...args, '--resume'], settings)).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, name), 'utf8')).toBe(fullExport);
  });

  test('documents its options with --help', async () => {
    const { stdout } = await runCommand(['export', '--help']);
    for (const arg of ['--resume', '--filter', 'FLAGGRAPH_TOKEN', 'Examples:', 'Exit status:']) {
      expect(stdout).toContain(arg);
    }
  });
});

test('export of an embedded database in use requires --url', { timeout: SLOW }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flaggraph-export-'));
  const settings = { DATA_DIR: join(folder, 'data') };
  const none = await runCommand(['export'], settings);
  expect(none).toMatchObject({ code: 1, stdout: '' });
  expect(none.stderr).toContain('There is no embedded database');
  expect(existsSync(settings.DATA_DIR)).toBe(false);

  await createEmbeddedFolder(settings.DATA_DIR, 'demo');
  const gateway = await startGatewayProcess(settings);
  const locked = await runCommand(['export'], settings);
  expect(locked).toMatchObject({ code: 1, stdout: '' });
  expect(locked.stderr).toMatch(/is in use by process \d+.*\n.*Query that server instead: .*--url/);

  const token = { FLAGGRAPH_TOKEN: DEMO_TOKENS.admin };
  const through = await runCommand(['export', '--url', `${gateway.url}/graphql`], token);
  expect(through.code).toBe(0);
  await gateway.stop('SIGTERM');
  const direct = await runCommand(['export'], settings);
  expect(direct.stdout).toBe(through.stdout);
  expect(direct.stdout.split('\n').length).toBeGreaterThan(1_000);
  rmSync(folder, { recursive: true });
});
