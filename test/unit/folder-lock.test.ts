import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FolderLock, lockFolder } from '../../src/data/embedded/folder-lock.js';
import { currentProcess } from '../../src/data/embedded/process-identity.js';
import { type Child, startChild } from '../testkit/child.js';

let folder: string;
const locks: FolderLock[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flaggraph-lock-'));
});
afterEach(() => {
  for (const lock of locks.splice(0)) lock.release();
  rmSync(folder, { recursive: true });
});

const lock = () => {
  const taken = lockFolder(folder);
  locks.push(taken);
  return taken;
};
const file = () => join(folder, 'lock');
const content = () => JSON.parse(readFileSync(file(), 'utf8'));

/** A lock file as another process would have left it, last touched `age` milliseconds ago. */
const leave = (text: string, age = 0) => {
  writeFileSync(file(), text);
  const touched = new Date(Date.now() - age);
  utimesSync(file(), touched, touched);
};
const holder = (change: object) =>
  JSON.stringify({ ...currentProcess(), token: 'left', ...change });
const deadPid = () => Number(execFileSync(process.execPath, ['-p', 'process.pid']));

test('a folder is locked until it is released, and the error names the holder', () => {
  const first = lock();
  expect(content()).toMatchObject({
    pid: process.pid,
    host: hostname(),
    startedAt: expect.any(String),
  });
  expect(lock).toThrow(`process ${process.pid} on ${hostname()}`);
  expect(lock).toThrow(folder);
  expect(lock).toThrow('DATA_DIR');

  first.release();
  expect(readdirSync(folder)).toEqual([]);
  lock();
});

test('releasing does not remove the lock of a new holder', () => {
  const first = lock();
  leave(holder({ token: 'another' }));
  first.release();
  expect(content()).toMatchObject({ token: 'another' });
});

describe('an abandoned lock', () => {
  test('of a process that has exited is taken over at once', () => {
    leave(holder({ pid: deadPid() }));
    lock();
    expect(content()).toMatchObject({ pid: process.pid });
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  test('of a process whose ID was reused is taken over', () => {
    leave(holder({ startedAt: 'some other time' }));
    lock();
    expect(content().token).not.toBe('left');
  });

  test.each([
    ['on another host', { host: 'elsewhere', pid: 1 }],
    ['in another container', { namespace: 'pid:[1]', pid: 1 }],
  ])('of a process %s is taken over after ten seconds without a heartbeat', (_where, change) => {
    leave(holder(change), 9_000);
    expect(lock).toThrow('process 1 on');
    leave(holder(change), 11_000);
    lock();
    expect(content()).toMatchObject({ pid: process.pid });
  });

  test.each(['', 'nonsense', 'null', '{"pid":"x"}'])(
    'that contains "%s" is respected only while it is recent',
    (text) => {
      leave(text, 1_000);
      expect(lock).toThrow('another process');
      leave(text, 11_000);
      lock();
      expect(content()).toMatchObject({ pid: process.pid });
    },
  );

  test('can be taken over after an interrupted takeover', () => {
    leave(holder({ pid: deadPid(), token: 'first' }));
    writeFileSync(`${file()}.after-first`, holder({ pid: deadPid(), token: 'second' }));
    lock();
    expect(content()).toMatchObject({ pid: process.pid });
  });
});

test('a held lock is touched every two seconds', async () => {
  lock();
  utimesSync(file(), new Date(0), new Date(0));
  await expect.poll(() => Date.now() - statSync(file()).mtimeMs).toBeLessThan(5_000);
});

test('exactly one of several processes takes over a dead lock', {
  timeout: 60_000,
}, async () => {
  const racers: Child[] = [1, 2, 3, 4].map(() => startChild('lock-racer.ts'));
  for (const racer of racers) expect(await racer.nextLine()).toBe('ready');
  const dead = holder({ pid: deadPid() });

  for (let round = 0; round < 50; round++) {
    const lockedFolder = join(folder, String(round));
    mkdirSync(lockedFolder);
    writeFileSync(join(lockedFolder, 'lock'), dead);
    for (const racer of racers) racer.writeLine(lockedFolder);
    const results = await Promise.all(racers.map((racer) => racer.nextLine()));
    expect(results.sort()).toEqual(['LayoutError', 'LayoutError', 'LayoutError', 'taken']);
  }
  await Promise.all(racers.map((racer) => racer.kill('SIGKILL')));
});
