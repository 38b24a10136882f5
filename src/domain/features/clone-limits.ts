import type { UnleashLayout } from '../../data/layout/unleash-layout.sql.js';

export type UnleashMajor = UnleashLayout['major'];

/** Limits on how large an instance and its features can grow by cloning. */
export type CloneLimits = {
  /** Features of the whole instance that are not archived. Default: 5000. */
  readonly features: number;
  /** Strategies of a feature in one environment. Default: 30. */
  readonly strategiesPerEnvironment: number;
  /** Constraints of one strategy. Default: 30. */
  readonly constraints: number;
  /** Values of one constraint. Default: 250. */
  readonly constraintValues: number;
  /** Segments of one strategy. Default: 5. */
  readonly segmentsPerStrategy: number;
};

export const DEFAULT_CLONE_LIMITS: CloneLimits = Object.freeze({
  features: 5000,
  strategiesPerEnvironment: 30,
  constraints: 30,
  constraintValues: 250,
  segmentsPerStrategy: 5,
});

/** What a clone is checked against, besides the data. */
export type CloneRules = {
  limits: CloneLimits;
  /** The Unleash version whose rules apply. */
  unleash: UnleashLayout;
};
