import type { Feature } from '../../data/db.js';
import { groupBy } from '../../data/grouping.js';

export const DAY_MS = 86_400_000;

/** Whether a feature has exceeded the expected lifetime of its type without being marked stale. */
export const isPotentiallyStale = (
  feature: Pick<Feature, 'stale' | 'createdAt'>,
  lifetimeDays: number | null | undefined,
  now: Date,
): boolean =>
  !feature.stale &&
  feature.createdAt !== null &&
  lifetimeDays !== null &&
  lifetimeDays !== undefined &&
  now.getTime() - feature.createdAt.getTime() >= lifetimeDays * DAY_MS;

export type HealthCounts = {
  activeCount: number;
  staleCount: number;
  potentiallyStaleCount: number;
};

/** Counts over the unarchived features of a project. */
export const countHealth = (
  features: readonly Pick<Feature, 'stale' | 'createdAt' | 'type'>[],
  lifetimes: ReadonlyMap<string, number | null>,
  now: Date,
): HealthCounts => {
  const staleCount = features.filter((feature) => feature.stale).length;
  return {
    potentiallyStaleCount: features.filter((feature) =>
      isPotentiallyStale(feature, lifetimes.get(feature.type ?? ''), now),
    ).length,
    activeCount: features.length - staleCount,
    staleCount,
  };
};

/** Counts over the unarchived features of one type. The type is null for features without one. */
export type FeatureTypeCount = {
  type: string | null;
  count: number;
  staleCount: number;
  potentiallyStaleCount: number;
};

/** The most frequent type first. */
export const countByType = (
  features: readonly Pick<Feature, 'stale' | 'createdAt' | 'type'>[],
  lifetimes: ReadonlyMap<string, number | null>,
  now: Date,
): FeatureTypeCount[] =>
  [...groupBy(features, ({ type }) => type)]
    .map(([type, ofType]) => {
      const { staleCount, potentiallyStaleCount } = countHealth(ofType, lifetimes, now);
      return { type, count: ofType.length, staleCount, potentiallyStaleCount };
    })
    .toSorted((a, b) => b.count - a.count || (a.type ?? '').localeCompare(b.type ?? '', 'en'));

/** The counts of all types together. */
export const sumCounts = (counts: readonly FeatureTypeCount[]): HealthCounts => {
  const sum = (of: (count: FeatureTypeCount) => number): number =>
    counts.reduce((total, count) => total + of(count), 0);
  const staleCount = sum((one) => one.staleCount);
  return {
    potentiallyStaleCount: sum((one) => one.potentiallyStaleCount),
    activeCount: sum((one) => one.count) - staleCount,
    staleCount,
  };
};

/** The stored health; a project without one counts as healthy. */
export const healthScore = (project: { health: number | null }): number => project.health ?? 100;

/** Distance from full health, as newer Unleash versions show it. */
export const technicalDebt = (project: { health: number | null }): number =>
  100 - healthScore(project);
