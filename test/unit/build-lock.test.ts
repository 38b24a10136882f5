import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withBuildLock } from '../../scripts/with-build-lock.mjs';

let folder: string;
let lock: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flaggraph-lock-'));
  lock = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('runs one build at a time', async () => {
  const steps: string[] = [];
  const build = (name: string) =>
    withBuildLock(async () => {
      steps.push(`${name} starts`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`${name} ends`);
    }, lock);
  await Promise.all([build('first'), build('second')]);
  expect(steps).toEqual(['first starts', 'first ends', 'second starts', 'second ends']);
});

test('releases the lock when a build fails', async () => {
  const build = withBuildLock(() => Promise.reject(new Error('no space')), lock);
  await expect(build).rejects.toThrow('no space');
  expect(existsSync(lock)).toBe(false);
});

test('takes over the lock of a build that was killed', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  writeFileSync(lock, String(pid));
  await withBuildLock(() => undefined, lock);
  expect(existsSync(lock)).toBe(false);
});

test('takes over a lock whose build was killed before it wrote its process ID', async () => {
  writeFileSync(lock, '');
  const aMinuteAgo = Date.now() / 1000 - 60;
  utimesSync(lock, aMinuteAgo, aMinuteAgo);
  await withBuildLock(() => undefined, lock);
  expect(existsSync(lock)).toBe(false);
});
