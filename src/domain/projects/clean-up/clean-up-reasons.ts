import type { Feature } from '../../../data/db.js';
import { DAY_MS } from '../health.js';
import { type CleanUpKind, kindsIn } from './clean-up-kinds.js';

/** A feature to clean up and the facts that were found; moments in milliseconds. */
export type CandidateRow = Feature & {
  weight: number;
  lifetimeDays: number | null;
  /** How many environments it is rolled out to, where that is all of them. */
  environments: number | null;
  completedAt: number | null;
  status: string | null;
  staleSince: number | null;
};

/** What made a feature potentially stale. */
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

const ago = (moment: Date | null, now: Date): string =>
  moment === null ? '' : ` ${days(daysBetween(moment, now))} ago`;

const dateOf = (milliseconds: number | null): Date | null =>
  milliseconds === null ? null : new Date(milliseconds);

const OUTCOMES: Readonly<Record<string, string>> = {
  kept: ', to be kept,',
  discarded: ', to be discarded,',
};

type Told = Omit<CleanUpReason, 'kind' | 'rule'> & { rule?: LifetimeRule };

const TELL: Readonly<Record<CleanUpKind, (row: CandidateRow, now: Date) => Told>> = {
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
    // The log tells of single changes; which of them was the last one missing is not recorded.
    since: null,
    explanation:
      environments === 1
        ? 'It is on for everybody in the only environment of its project, without variants.'
        : `It is on for everybody in all ${environments} environments of its project, without variants.`,
  }),
  'never-seen': ({ createdAt }, now) => ({
    since: createdAt,
    explanation: createdAt
      ? `No application has asked for it in the ${days(daysBetween(createdAt, now))} since it was created.`
      : 'No application has ever asked for it.',
  }),
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
      explanation: `Features of type '${rule.type}' are expected to live ${days(rule.lifetimeDays)}; this one is ${days(rule.ageDays)} old.`,
    };
  },
};

/** Why a feature is to be cleaned up, the gravest reason first. */
export const reasonsOf = (row: CandidateRow, now: Date): CleanUpReason[] =>
  kindsIn(row.weight).map((kind) => ({ kind, rule: null, ...TELL[kind](row, now) }));
