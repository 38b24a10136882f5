import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRejectionPace } from '../../src/http/rejection-pace.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const start = () => {
  const pace = createRejectionPace();
  let sent = 0;
  const reject = (signal = new AbortController().signal) =>
    void pace(signal).then(() => {
      sent += 1;
    });
  return { reject, sent: () => sent };
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

test('delays no rejection by more than ten seconds', async () => {
  const { reject, sent } = start();
  for (let index = 0; index < 2_100; index += 1) reject();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent()).toBe(2_100);
});

test('ends when its client disconnects', async () => {
  const { reject, sent } = start();
  const controller = new AbortController();
  reject(controller.signal);
  controller.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(sent()).toBe(1);
});
