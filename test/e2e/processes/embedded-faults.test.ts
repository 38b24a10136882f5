import { execFile, execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { databaseFailure } from '../../../src/data/database-failure.js';
import type { Db } from '../../../src/data/db.js';
import { CancelledError, createWork, runAs } from '../../../src/data/work/work.js';
import { embeddedTemplate } from '../../testkit/database.js';

let tempFolder: string;
const databases: Database[] = [];
beforeEach(() => {
  tempFolder = mkdtempSync(join(tmpdir(), 'flaggraph-faults-'));
});
afterEach(async () => {
  for (const database of databases.splice(0)) await database.close();
  rmSync(tempFolder, { recursive: true });
});

const open = async (dataDir: string, statementTimeoutMs = 60_000): Promise<Database> => {
  const database = await openDatabase({
    dataDir,
    embeddedTemplate: embeddedTemplate(),
    statementTimeoutMs,
  });
  databases.push(database);
  return database;
};
const openInFolder = (statementTimeoutMs?: number) =>
  open(join(tempFolder, 'home'), statementTimeoutMs);
const openInMemory = (statementTimeoutMs?: number) => open('memory://', statementTimeoutMs);

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: unknown) => databaseFailure(error),
  );
const addTagType = ({ client }: Database, name: string) =>
  client.tagType.create({ data: { name } });
const tagTypes = async ({ client }: Database) =>
  (await client.tagType.findMany({ orderBy: { name: 'asc' } })).map(({ name }) => name);
/** Runs inside WASM for minutes and cannot be interrupted. */
const hang = (db: Db) => db.$queryRaw`select count(*)::int from generate_series(1, 2000000000)`;
const sleep = (db: Db, seconds: number) => db.$queryRaw`select 1 from pg_sleep(${seconds})`;

describe('a statement over the time limit', () => {
  test('is terminated, the process continues, and committed rows stay', async () => {
    const database = await openInFolder(2_000);
    await addTagType(database, 'committed');
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
    }, 20);
    expect(await failureOf(hang(database.client))).toBe('timeout');
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(20);

    expect(await tagTypes(database)).toContain('committed');
    await addTagType(database, 'afterwards');
    const descriptors = readdirSync('/proc/self/fd').length;
    expect(await failureOf(hang(database.client))).toBe('timeout');
    expect(await tagTypes(database)).toEqual(expect.arrayContaining(['committed', 'afterwards']));
    expect(readdirSync('/proc/self/fd').length).toBeLessThan(descriptors + 20);
  });

  test('rolls back its transaction', async () => {
    const database = await openInFolder(2_000);
    const transaction = database.client.$transaction(async (tx) => {
      await tx.tagType.create({ data: { name: 'uncommitted' } });
      await hang(tx);
    });
    expect(await failureOf(transaction)).toBe('timeout');
    expect(await tagTypes(database)).not.toContain('uncommitted');
  });

  test('does not discard an in-memory database, which responds again when the statement ends', async () => {
    const database = await openInMemory(500);
    await addTagType(database, 'kept');
    expect(await failureOf(sleep(database.client, 2))).toBe('timeout');
    expect(await tagTypes(database)).toContain('kept');
  });
});

describe('behind a long statement', () => {
  test('disconnected callers are released at once, and so is the caller of the statement', async () => {
    const database = await openInMemory();
    const [first, second] = [new AbortController(), new AbortController()];
    const running = runAs(createWork(first.signal), () => sleep(database.client, 3).then());
    const waiting = runAs(createWork(second.signal), () => tagTypes(database));
    await delay(200);
    const start = performance.now();
    first.abort();
    second.abort();
    await expect(running).rejects.toThrow(CancelledError);
    await expect(waiting).rejects.toThrow(CancelledError);
    expect(performance.now() - start).toBeLessThan(1_000);
    expect(await tagTypes(database)).not.toEqual([]);
  });

  test('other callers get a busy error after five seconds', async () => {
    const database = await openInMemory();
    const running = sleep(database.client, 8).then();
    expect(await failureOf(tagTypes(database))).toBe('overloaded');
    const start = performance.now();
    expect(await failureOf(tagTypes(database))).toBe('overloaded');
    expect(performance.now() - start).toBeLessThan(1_000);
    await running;
    expect(await tagTypes(database)).not.toEqual([]);
  });

  test('closing takes at most a few seconds', async () => {
    const database = await openInFolder();
    hang(database.client).catch(() => undefined);
    await delay(500);
    const start = performance.now();
    await database.close();
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(readdirSync(join(tempFolder, 'home'))).toEqual(['database']);
  });
});

test('commits are synced to disk, and WAL does not accumulate', async () => {
  const { client } = await openInFolder();
  const [settings] = await client.$queryRaw<object[]>`
    select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
      current_setting('wal_sync_method') as method`;
  expect(settings).toEqual({ fsync: 'on', commit: 'on', method: 'fsync' });

  for (let round = 0; round < 12; round++) {
    await client.$executeRaw`
      insert into events (type, created_by, data)
      select 'feature-created', 'ada', json_build_object('text', repeat(md5(n::text), 100))
      from generate_series(1, 4000) n`;
    await client.$executeRaw`truncate events`;
  }
  const folder = join(tempFolder, 'home', 'database', 'pg_wal');
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200 * 1024 * 1024);
});

test('a process whose folder was taken over stops writing and reports why', async () => {
  const database = await openInFolder();
  const path = join(tempFolder, 'home', 'lock');
  const other = { ...JSON.parse(readFileSync(path, 'utf8')), pid: 4711, token: 'another' };
  rmSync(path);
  writeFileSync(path, JSON.stringify(other));
  const { mtimeMs } = statSync(path);

  // Longer than the worker trusts its last check of the lock, shorter than a heartbeat may take.
  await delay(1_100);
  expect(await failureOf(addTagType(database, 'too late'))).toBe('overloaded');
  const error = await database.lost;
  expect(error?.message).toContain(`${join(tempFolder, 'home')} was taken over by process 4711`);
  await database.close();
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(other);
  expect(statSync(path).mtimeMs).toBe(mtimeMs);

  rmSync(path);
  expect(await tagTypes(await openInFolder())).not.toContain('too late');
});

test('a process that does not close the database still exits', async () => {
  const file = fileURLToPath(new URL('../../testkit/embedded-unclosed.ts', import.meta.url));
  const args = ['--import', 'tsx', file, join(tempFolder, 'home')];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 100_000 });
  expect(stdout).toMatch(/^\d+ tag types\n$/);
  expect(readdirSync(join(tempFolder, 'home'))).toEqual(['database']);
});

const mount = (...args: string[]) => execFileSync('mount', args, { stdio: 'ignore' });
const canMount = (() => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), 'flaggraph-mount-'));
  try {
    mount('-t', 'tmpfs', '-o', 'size=1m', 'none', folder);
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
})();

// Mounting a small file system needs root on Linux.
describe.skipIf(!canMount)('on a full disk', () => {
  let disk: string;
  beforeEach(() => {
    disk = join(tempFolder, 'disk');
    mkdirSync(disk);
    mount('-t', 'tmpfs', '-o', 'size=140m', 'none', disk);
  });
  afterEach(async () => {
    for (const database of databases.splice(0)) await database.close();
    execFileSync('umount', ['--lazy', disk]);
  });

  const BATCH = 2_000;
  const fill = ({ client }: Database) => client.$executeRaw`
    insert into events (type, created_by, data)
    select 'feature-created', 'ada', json_build_object('text', repeat(md5(random()::text), 30))
    from generate_series(1, ${BATCH}::int)`;

  test('the gateway reports it, keeps committed rows, and recovers when there is space', async () => {
    const database = await open(join(disk, 'home'));
    let batches = 0;
    const failures = new Set<unknown>();
    for (let remaining = 5; remaining > 0; ) {
      const failure = await failureOf(fill(database));
      if (failure === 'none') batches += 1;
      else remaining -= 1;
      failures.add(failure);
    }
    expect([...failures]).toEqual(['none', 'disk-full']);

    mount('-o', 'remount,size=400m', disk);
    await expect.poll(() => failureOf(fill(database))).toBe('none');
    expect(await database.client.event.count()).toBe((batches + 1) * BATCH);
  });
});
