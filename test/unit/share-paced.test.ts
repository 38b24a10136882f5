import { expect, test } from 'vitest';
import { sharePaced } from '../../src/observability/share-paced.js';

test('calls that arrive together share one run, and later ones get a newer result', async () => {
  let runs = 0;
  const read = sharePaced(async () => {
    runs += 1;
    return runs;
  }, 20);
  expect(await Promise.all(Array.from({ length: 100 }, read))).toEqual(Array(100).fill(1));
  const before = performance.now();
  expect(await Promise.all([read(), read()])).toEqual([2, 2]);
  expect(performance.now() - before).toBeGreaterThan(5);
});

test('a failed run is not repeated to later calls', async () => {
  let runs = 0;
  const read = sharePaced(async () => {
    runs += 1;
    if (runs === 1) throw new Error('once');
    return runs;
  }, 1);
  await expect(read()).rejects.toThrow('once');
  expect(await read()).toBe(2);
});
