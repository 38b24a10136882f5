/**
 * Reasons to clean up a feature, most important first. Each outweighs all later ones together: the most important one
 * decides, the others break ties, and a sum of weights identifies its reasons.
 */
export const CLEAN_UP_WEIGHTS = {
  stale: 16,
  completed: 8,
  'fully-rolled-out': 4,
  'not-seen': 2,
  'potentially-stale': 1,
} as const;

export type CleanUpKind = keyof typeof CLEAN_UP_WEIGHTS;

export const CLEAN_UP_KINDS = Object.keys(CLEAN_UP_WEIGHTS) as readonly CleanUpKind[];

/** Applications may use a feature less often, and one that is younger may not have reached any of them. */
export const DEFAULT_NOT_SEEN_DAYS = 7;
export const MAX_NOT_SEEN_DAYS = 3_650;

export const weightOf = (kinds: readonly CleanUpKind[]): number =>
  [...new Set(kinds)].reduce((sum, kind) => sum + CLEAN_UP_WEIGHTS[kind], 0);

export const kindsIn = (weight: number): CleanUpKind[] =>
  CLEAN_UP_KINDS.filter((kind) => (weight & CLEAN_UP_WEIGHTS[kind]) !== 0);
