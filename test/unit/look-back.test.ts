import { describe, expect, test } from 'vitest';
import { spansBefore } from '../../src/domain/events/changes/look-back.js';

const every = (step: number, count: number) =>
  Array.from({ length: count }, (_, index) => 10_000_000 + index * step);
const idsIn = (eventIds: readonly number[]) =>
  spansBefore(eventIds).reduce((sum, { low, high }) => sum + high - low, 0);

describe('the range of the log read for states before events', () => {
  test('is the 100,000 IDs before a single event', () => {
    expect(spansBefore([500_000])).toEqual([{ low: 400_000, high: 500_000 }]);
    expect(spansBefore([])).toEqual([]);
  });

  test('is shared by events that are close to each other, in any order', () => {
    expect(spansBefore([500_000, 499_001, 499_500])).toEqual([{ low: 399_001, high: 500_000 }]);
  });

  test('excludes the gap between distant events', () => {
    expect(spansBefore([5_000_000, 1_000_000])).toEqual([
      { low: 900_000, high: 1_000_000 },
      { low: 4_900_000, high: 5_000_000 },
    ]);
  });

  test('is limited to 200,000 IDs, and covers each of a thousand events', () => {
    for (const step of [1, 7, 997, 50_000, 1_000_000]) {
      const ids = every(step, 1_000);
      expect(idsIn(ids)).toBeLessThanOrEqual(200_000);
      const spans = spansBefore(ids);
      expect(ids.every((id) => spans.some(({ low, high }) => low <= id - 150 && id <= high))).toBe(
        true,
      );
    }
  });
});
