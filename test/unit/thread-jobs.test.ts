import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createThreadJobs } from '../../src/http/thread-jobs.js';

const createRecorder = () => {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const jobs = createThreadJobs();
  const run = (owner: string | null, name: string) =>
    jobs.run(owner, async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  const endOldest = async () => {
    ends.shift()?.();
    await delay(0);
  };
  return { jobs, run, started, endOldest };
};

test('runs two jobs of a client at a time', async () => {
  const { run, started, endOldest } = createRecorder();
  const all = ['a1', 'a2', 'a3'].map((name) => run('a', name));
  await delay(0);
  expect(started).toEqual(['a1', 'a2']);
  await endOldest();
  expect(started).toEqual(['a1', 'a2', 'a3']);
  for (let left = 2; left > 0; left -= 1) await endOldest();
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3']);
});

test('runs one job of all clients without known credentials at a time', async () => {
  const { run, started, endOldest } = createRecorder();
  void run(null, 'x1');
  void run(null, 'x2');
  void run('a', 'a1');
  await delay(0);
  expect(started).toEqual(['x1', 'a1']);
  await endOldest();
  expect(started).toEqual(['x1', 'a1', 'x2']);
});

test('runs three jobs at a time, and clients take turns', async () => {
  const { run, started, endOldest } = createRecorder();
  for (const name of ['a1', 'a2', 'a3', 'a4']) void run('a', name);
  for (const name of ['b1', 'b2']) void run('b', name);
  void run('c', 'c1');
  await delay(0);
  expect(started).toEqual(['a1', 'a2', 'b1']);
  await endOldest();
  await endOldest();
  expect(started.slice(3).toSorted()).toEqual(['a3', 'b2']);
  await endOldest();
  expect(started.at(-1)).toBe('c1');
});

test('a job that fails makes room for the next one', async () => {
  const jobs = createThreadJobs();
  for (let round = 0; round < 5; round += 1) {
    await expect(jobs.run(null, () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    );
  }
  expect(await jobs.run(null, async () => 'done')).toBe('done');
});
