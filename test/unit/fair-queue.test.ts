import { expect, test } from 'vitest';
import { createFairQueue } from '../../src/data/work/fair-queue.js';

const drain = (queue: ReturnType<typeof createFairQueue<string>>): string[] => {
  const order: string[] = [];
  for (let next = queue.next(); next; next = queue.next()) order.push(next.item);
  return order;
};

test('serves owners in turn, and each of them in order of arrival', () => {
  const queue = createFairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) queue.add(item.charAt(0), item);
  expect(queue.length).toBe(7);
  expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  expect(queue.length).toBe(0);
});

test('an owner that is blocked keeps its position', () => {
  const queue = createFairQueue<string>();
  for (const item of ['a1', 'b1', 'b2']) queue.add(item.charAt(0), item);
  expect(queue.next((owner) => owner !== 'a')).toEqual({ owner: 'b', item: 'b1' });
  expect(queue.next(() => false)).toBeNull();
  expect(drain(queue)).toEqual(['a1', 'b2']);
});

test('removed entries are not served, and can be removed twice', () => {
  const queue = createFairQueue<string>();
  queue.add('a', 'a1');
  queue.add('a', 'a2');
  queue.remove('a', 'a1');
  queue.remove('a', 'a1');
  queue.remove('b', 'b1');
  expect([queue.length, queue.lengthOf('a'), queue.lengthOf('b')]).toEqual([1, 1, 0]);
  expect(queue.clear()).toEqual(['a2']);
  expect([queue.length, queue.next()]).toEqual([0, null]);
});
