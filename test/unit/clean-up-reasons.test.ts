import { describe, expect, test } from 'vitest';
import type { CandidateRow } from '../../src/data/projects/clean-up.sql.js';
import {
  CLEAN_UP_KINDS,
  CLEAN_UP_WEIGHTS,
  kindsIn,
  weightOf,
} from '../../src/data/projects/clean-up-kinds.js';
import { reasonsOf } from '../../src/domain/projects/clean-up/clean-up-reasons.js';

const NOW = new Date('2026-03-02T12:00:00Z');
const day = (date: string) => new Date(`${date}T12:00:00Z`);

const row = (more: Partial<CandidateRow>): CandidateRow => ({
  name: 'feature',
  type: 'release',
  description: null,
  projectId: 'web',
  stale: false,
  impressionData: false,
  createdAt: day('2026-01-01'),
  createdByUserId: null,
  lastSeenAt: null,
  seenAt: null,
  archivedAt: null,
  weight: 0,
  lifetimeDays: null,
  environments: null,
  completedAt: null,
  status: null,
  staleSince: null,
  ...more,
});

describe('the weight of reasons', () => {
  test('ranks by the most important reason: each outweighs all later ones together', () => {
    for (const [index, kind] of CLEAN_UP_KINDS.entries()) {
      expect(CLEAN_UP_WEIGHTS[kind]).toBeGreaterThan(weightOf(CLEAN_UP_KINDS.slice(index + 1)));
    }
  });

  test('can be decoded into its reasons', () => {
    for (let weight = 0; weight < 32; weight += 1) {
      expect(weightOf(kindsIn(weight))).toBe(weight);
    }
    expect(weightOf(['stale', 'stale'])).toBe(16);
  });
});

describe('a reason is reported', () => {
  test.each<[string, Partial<CandidateRow>, object]>([
    [
      'with the day on which it was marked stale',
      { weight: 16, staleSince: day('2026-02-28').getTime() },
      {
        kind: 'stale',
        since: day('2026-02-28'),
        explanation: 'It was marked stale 2 days ago and is not archived.',
      },
    ],
    [
      'without that day if it is unknown',
      { weight: 16 },
      {
        kind: 'stale',
        since: null,
        explanation: 'It was marked stale and is not archived.',
      },
    ],
    [
      'with its outcome',
      { weight: 8, completedAt: day('2026-03-01').getTime(), status: 'kept' },
      {
        kind: 'completed',
        since: day('2026-03-01'),
        explanation: 'It was completed 1 day ago, to be kept, and is not archived.',
      },
    ],
    [
      'without its outcome if none is recorded',
      { weight: 8, status: 'in other words' },
      { kind: 'completed', since: null, explanation: 'It was completed and is not archived.' },
    ],
    [
      'with the number of environments',
      { weight: 4, environments: 3 },
      {
        kind: 'fully-rolled-out',
        since: null,
        explanation:
          'It is enabled for all users in all 3 environments of its project and has no variants.',
      },
    ],
    [
      'with the only environment',
      { weight: 4, environments: 1 },
      {
        kind: 'fully-rolled-out',
        since: null,
        explanation:
          'It is enabled for all users in the only environment of its project and has no variants.',
      },
    ],
    [
      'with the days since the last request',
      { weight: 2 },
      {
        kind: 'not-seen',
        since: day('2026-01-01'),
        explanation: 'No application has reported using it in the 60 days since it was created.',
      },
    ],
    [
      'with the days since it was last seen',
      { weight: 2, seenAt: day('2026-02-20').getTime() },
      {
        kind: 'not-seen',
        since: day('2026-02-20'),
        explanation: 'No application has reported using it for 10 days.',
      },
    ],
    [
      'without these days if its age is unknown',
      { weight: 2, createdAt: null },
      {
        kind: 'not-seen',
        since: null,
        explanation: 'No application has ever reported using it.',
      },
    ],
    [
      'with the rule of its type',
      { weight: 1, type: 'experiment', lifetimeDays: 40 },
      {
        kind: 'potentially-stale',
        since: day('2026-02-10'),
        explanation:
          "Features of type 'experiment' have an expected lifetime of 40 days; this one is 60 days old.",
        rule: { type: 'experiment', lifetimeDays: 40, ageDays: 60 },
      },
    ],
  ])('%s', (_title, fields, reason) => {
    expect(reasonsOf(row(fields), NOW)).toEqual([{ rule: null, ...reason }]);
  });

  test('after the more important ones', () => {
    const reasons = reasonsOf(row({ weight: 31, lifetimeDays: 1, environments: 2 }), NOW);
    expect(reasons.map(({ kind }) => kind)).toEqual(CLEAN_UP_KINDS);
  });
});
