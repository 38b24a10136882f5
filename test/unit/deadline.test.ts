import { expect, test } from 'vitest';
import { withDeadline } from '../../src/http/deadline.js';

const never = new Promise<never>(() => undefined);

test('work is cancelled and rejected after its deadline', async () => {
  let isCancelled = false;
  const late = withDeadline(never, 1, () => {
    isCancelled = true;
  });
  await expect(late).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(isCancelled).toBe(true);
  expect(await withDeadline(Promise.resolve('done'), 1, () => undefined)).toBe('done');
});

test('deadlines that expire together have other work in between', async () => {
  let expired = 0;
  const work = () => {
    const until = performance.now() + 1;
    while (performance.now() < until);
    expired += 1;
  };
  for (let count = 0; count < 30; count += 1)
    void withDeadline(never, 10, () => undefined).catch(work);
  let most = 0;
  while (expired < 30) {
    const before = expired;
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, expired - before);
  }
  // Each failure passes several promises until its response is built.
  expect(most).toBeLessThanOrEqual(10);
});
