import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRejectionPace } from '../../src/http/rejection-pace.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const start = () => {
  const pace = createRejectionPace();
  let sent = 0;
  let closed = 0;
  const reject = (signal = new AbortController().signal) =>
    void pace(signal).then((isSent) => {
      if (isSent) sent += 1;
      else closed += 1;
    });
  return { reject, sent: () => sent, closed: () => closed };
};

test('delays each rejection', async () => {
  const { reject, sent } = start();
  reject();
  await vi.advanceTimersByTimeAsync(199);
  expect(sent()).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent()).toBe(1);
});

test('sends at most 200 rejections per second', async () => {
  const { reject, sent } = start();
  for (let index = 0; index < 1_000; index += 1) reject();
  await vi.advanceTimersByTimeAsync(200);
  for (let second = 1; second <= 4; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent()).toBe(1 + second * 200);
  }
});

test('closes connections at once that would wait for more than ten seconds', async () => {
  const { reject, sent, closed } = start();
  for (let index = 0; index < 2_100; index += 1) reject();
  await vi.advanceTimersByTimeAsync(0);
  expect(closed()).toBe(139);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([sent(), closed()]).toEqual([1_961, 139]);
});

test('ends when its client disconnects', async () => {
  const { reject, sent } = start();
  const controller = new AbortController();
  reject(controller.signal);
  controller.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(sent()).toBe(1);
});
