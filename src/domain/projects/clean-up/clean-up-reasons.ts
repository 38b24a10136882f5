import type { CandidateRow } from '../../../data/projects/clean-up.sql.js';
import { type CleanUpKind, kindsIn } from '../../../data/projects/clean-up-kinds.js';
import { DAY_MS } from '../health.js';

/** Why a feature is potentially stale. */
export type LifetimeRule = { type: string; lifetimeDays: number; ageDays: number };

export type CleanUpReason = {
  kind: CleanUpKind;
  since: Date | null;
  explanation: string;
  rule: LifetimeRule | null;
};

const days = (count: number): string => (count === 1 ? '1 day' : `${count} days`);

const daysBetween = (from: Date, to: Date): number =>
  Math.floor((to.getTime() - from.getTime()) / DAY_MS);

const ago = (timestamp: Date | null, now: Date): string =>
  timestamp === null ? '' : ` ${days(daysBetween(timestamp, now))} ago`;

const dateOf = (milliseconds: number | null): Date | null =>
  milliseconds === null ? null : new Date(milliseconds);

const OUTCOMES: Readonly<Record<string, string>> = {
  kept: ', to be kept,',
  discarded: ', to be discarded,',
};

type ReasonDetails = Omit<CleanUpReason, 'kind' | 'rule'> & { rule?: LifetimeRule };

const DETAILS: Readonly<Record<CleanUpKind, (row: CandidateRow, now: Date) => ReasonDetails>> = {
  stale: ({ staleSince }, now) => {
    const since = dateOf(staleSince);
    return { since, explanation: `It was marked stale${ago(since, now)} and is not archived.` };
  },
  completed: ({ completedAt, status }, now) => {
    const since = dateOf(completedAt);
    const outcome = OUTCOMES[status ?? ''] ?? '';
    return {
      since,
      explanation: `It was completed${ago(since, now)}${outcome} and is not archived.`,
    };
  },
  'fully-rolled-out': ({ environments }) => ({
    // The log records single changes, but not which of them completed the rollout.
    since: null,
    explanation:
      environments === 1
        ? 'It is enabled for all users in the only environment of its project and has no variants.'
        : `It is enabled for all users in all ${environments} environments of its project and has no variants.`,
  }),
  'not-seen': ({ createdAt, seenAt }, now) => {
    const seen = dateOf(seenAt);
    if (seen) {
      return {
        since: seen,
        explanation: `No application has reported using it for ${days(daysBetween(seen, now))}.`,
      };
    }
    return {
      since: createdAt,
      explanation: createdAt
        ? `No application has reported using it in the ${days(daysBetween(createdAt, now))} since it was created.`
        : 'No application has ever reported using it.',
    };
  },
  'potentially-stale': ({ createdAt, type, lifetimeDays }, now) => {
    const created = createdAt ?? now;
    const rule = {
      type: type ?? '',
      lifetimeDays: lifetimeDays ?? 0,
      ageDays: daysBetween(created, now),
    };
    return {
      rule,
      since: new Date(created.getTime() + rule.lifetimeDays * DAY_MS),
      explanation: `Features of type '${rule.type}' have an expected lifetime of ${days(rule.lifetimeDays)}; this one is ${days(rule.ageDays)} old.`,
    };
  },
};

/** Most important reason first. */
export const reasonsOf = (row: CandidateRow, now: Date): CleanUpReason[] =>
  kindsIn(row.weight).map((kind) => ({ kind, rule: null, ...DETAILS[kind](row, now) }));
