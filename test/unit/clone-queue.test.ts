import { expect, test } from 'vitest';
import { createWork, runAs } from '../../src/data/work/work.js';
import { createCloneQueue } from '../../src/domain/features/clone-queue.js';

const createJob = () => {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, run: () => ended };
};

const OVERLOADED = { name: 'OverloadedError' };

test('limits the clones that wait for one project, and all that wait', async () => {
  const queue = createCloneQueue({ atOnce: 1, waitingPerLock: 2, waiting: 3 });
  const first = createJob();
  const running = queue(['web'], first.run);
  const waiting = ['web', 'web'].map((project) => queue([project], async () => 'cloned'));
  await expect(queue(['web'], async () => 'cloned')).rejects.toMatchObject(OVERLOADED);
  waiting.push(queue(['app'], async () => 'cloned'));
  await expect(queue(['other'], async () => 'cloned')).rejects.toMatchObject(OVERLOADED);
  first.end();
  await running;
  expect(await Promise.all(waiting)).toEqual(['cloned', 'cloned', 'cloned']);
  expect(await queue(['other'], async () => 'cloned')).toBe('cloned');
});

test('rejects clones that wait too long, and removes those of disconnected callers', async () => {
  const queue = createCloneQueue({ waitMs: 50 });
  const first = createJob();
  const running = queue(['web'], first.run);
  const controller = new AbortController();
  const cancelled = runAs(createWork(controller.signal), () =>
    queue(['web'], async () => 'cloned'),
  );
  controller.abort();
  await expect(cancelled).rejects.toMatchObject({ name: 'CancelledError' });
  await expect(queue(['web'], async () => 'cloned')).rejects.toMatchObject(OVERLOADED);
  first.end();
  await running;
  expect(await queue(['web'], async () => 'cloned')).toBe('cloned');
});
