import { describe, expect, test } from 'vitest';
import {
  type ActivityInterval,
  assertRange,
  bucketStarts,
  completeRange,
  countBuckets,
} from '../../src/domain/events/activity-range.js';

const range = (by: ActivityInterval, from: string, to: string) => ({
  by,
  from: new Date(from),
  to: new Date(to),
});

const startsOf = (by: ActivityInterval, from: string, to: string) =>
  bucketStarts(range(by, from, to)).map((start) => new Date(start).toISOString());

describe('an activity range', () => {
  test('is divided into days that begin at midnight UTC', () => {
    expect(startsOf('DAY', '2024-02-28T10:00:00Z', '2024-03-01T00:00:00.001Z')).toEqual([
      '2024-02-28T00:00:00.000Z',
      '2024-02-29T00:00:00.000Z',
      '2024-03-01T00:00:00.000Z',
    ]);
  });

  test('is divided into weeks that begin on Mondays, also across years', () => {
    expect(startsOf('WEEK', '2024-12-31T00:00:00Z', '2025-01-07T00:00:00Z')).toEqual([
      '2024-12-30T00:00:00.000Z',
      '2025-01-06T00:00:00.000Z',
    ]);
    expect(startsOf('WEEK', '1969-12-28T23:59:59.999Z', '1969-12-29T00:00:00.001Z')).toEqual([
      '1969-12-22T00:00:00.000Z',
      '1969-12-29T00:00:00.000Z',
    ]);
  });

  test('excludes the day that starts at its end', () => {
    expect(startsOf('DAY', '2024-02-28T00:00:00Z', '2024-02-29T00:00:00Z')).toHaveLength(1);
    expect(startsOf('DAY', '2024-02-28T00:00:00Z', '2024-02-28T00:00:00.001Z')).toHaveLength(1);
    expect(countBuckets(range('DAY', '2024-02-29T00:00:00Z', '2024-02-01T00:00:00Z'))).toBe(0);
  });

  test.each<[ActivityInterval, string, string]>([
    ['DAY', '2024-02-21T00:00:00.000Z', '2024-03-22T00:00:00.000Z'],
    ['WEEK', '2024-01-01T00:00:00.000Z', '2024-03-25T00:00:00.000Z'],
  ])('defaults to the usual number of intervals up to the current %s', (by, from, to) => {
    const usual = completeRange({ by }, new Date('2024-03-21T15:00:00Z'));
    expect([usual.from.toISOString(), usual.to.toISOString()]).toEqual([from, to]);
    expect(countBuckets(usual)).toBe(by === 'DAY' ? 30 : 12);
  });

  test('keeps the given end', () => {
    const now = new Date('2024-03-21T15:00:00Z');
    const to = new Date('2020-05-05T05:00:00Z');
    expect(completeRange({ by: 'DAY', to }, now)).toEqual({
      by: 'DAY',
      from: new Date('2020-04-06T00:00:00Z'),
      to,
    });
    const from = new Date('2024-03-01T05:00:00Z');
    expect(completeRange({ by: 'DAY', from }, now)).toEqual({
      by: 'DAY',
      from,
      to: new Date('2024-03-22T00:00:00Z'),
    });
  });

  test('never starts before year 1', () => {
    const early = completeRange({ by: 'WEEK', to: new Date('0001-01-03T00:00:00Z') });
    expect(early.from.toISOString()).toBe('0001-01-01T00:00:00.000Z');
    expect(bucketStarts(early)).toEqual([Date.parse('0001-01-01T00:00:00Z')]);
  });

  test('is limited to 400 days or weeks', () => {
    const start = Date.parse('2020-01-06T00:00:00Z');
    const spanning = (by: ActivityInterval, count: number) => ({
      by,
      from: new Date(start),
      to: new Date(start + count * (by === 'DAY' ? 1 : 7) * 86_400_000),
    });
    for (const by of ['DAY', 'WEEK'] as const) {
      expect(() => assertRange(spanning(by, 400))).not.toThrow();
      expect(() => assertRange(spanning(by, 401))).toThrow(/400 (days|weeks) \(got 401\)/);
    }
  });

  test('must start before it ends', () => {
    const timestamp = '2020-01-06T00:00:00Z';
    expect(() => assertRange(range('DAY', timestamp, timestamp))).toThrow(
      "'from' must be earlier than 'before'",
    );
    expect(() => assertRange(range('DAY', timestamp, '2020-01-05T00:00:00Z'))).toThrow("'from'");
  });
});
