import { describe, expect, test } from 'vitest';
import { BadDataError } from '../../src/domain/errors.js';
import { PeriodStart, startOfLast } from '../../src/domain/period.js';

const start = (duration: string, now = '2026-03-31T12:30:45.678Z') =>
  startOfLast('last', duration, new Date(now)).toISOString();

describe('the start of the last', () => {
  test.each([
    ['P7D', '2026-03-24T12:30:00.000Z'],
    ['P2W', '2026-03-17T12:30:00.000Z'],
    ['PT12H', '2026-03-31T00:30:00.000Z'],
    ['PT1H30M', '2026-03-31T11:00:00.000Z'],
    ['PT46S', '2026-03-31T12:29:00.000Z'],
    ['P1DT1S', '2026-03-30T12:30:00.000Z'],
    ['P1M', '2026-03-01T12:30:00.000Z'],
    ['P1Y', '2025-03-31T12:30:00.000Z'],
  ])('%s', (duration, expected) => {
    expect(start(duration)).toBe(expected);
  });

  test('period keeps its duration and is a date', () => {
    const from = startOfLast('last', 'P7D', new Date());
    expect(from).toBeInstanceOf(PeriodStart);
    expect(from).toBeInstanceOf(Date);
    expect(from.duration).toBe('P7D');
  });

  test.each(['P', '', 'PT', 'P0D', 'PT0S', '-P1D', 'P-1D', '+P1D', '7d', 'p7d'])(
    '%j is rejected',
    (duration) => {
      expect(() => start(duration)).toThrow(BadDataError);
    },
  );

  test.each(['P2100Y', 'P999999Y', 'P999999M', `P${'9'.repeat(400)}D`])(
    '%s does not fit a timestamp and is rejected',
    (duration) => {
      expect(() => start(duration)).toThrow(BadDataError);
    },
  );
});
