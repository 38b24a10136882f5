import { describe, expect, test } from 'vitest';
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  parseDuration,
  readDuration,
} from '../../src/domain/duration.js';

describe('a duration', () => {
  test.each([
    ['P7D', 7 * DAY_MS],
    ['P2W', 14 * DAY_MS],
    ['PT12H', 12 * HOUR_MS],
    ['P1DT2H3M4S', DAY_MS + 2 * HOUR_MS + 3 * MINUTE_MS + 4_000],
    ['P1Y2M', (365 + 60) * DAY_MS],
    ['PT0.5H', 30 * MINUTE_MS],
    ['PT1M', MINUTE_MS],
    ['P1M', 30 * DAY_MS],
  ])('parses %s', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test.each(['', 'P', 'PT', '7D', 'P7', 'P1DT', 'P-1D', '-P1D', 'P1H', 'p1d'])(
    'rejects %j',
    (text) => {
      expect(parseDuration(text)).toBeNull();
    },
  );

  test('must be longer than zero and within the limit', () => {
    expect(readDuration('last', 'P90D', 'P90D')).toBe(90 * DAY_MS);
    expect(() => readDuration('last', 'P91D', 'P90D')).toThrow(
      "'last' must be a duration longer than zero and of at most P90D, such as P7D or PT12H (got P91D).",
    );
    expect(() => readDuration('last', 'PT0S', 'P90D')).toThrow("'last' must be");
  });
});
