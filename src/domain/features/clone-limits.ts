/** How large an installation and a feature in it may grow by cloning. */
export type CloneLimits = {
  /** Features of the whole installation that are not archived. Default 5000. */
  readonly features: number;
  /** Strategies a feature has in one environment. Default 30. */
  readonly strategiesPerEnvironment: number;
  /** Constraints of one strategy. Default 30. */
  readonly constraints: number;
  /** Values of one constraint. Default 250. */
  readonly constraintValues: number;
  /** Segments of one strategy. Default 5. */
  readonly segmentsPerStrategy: number;
};

export const DEFAULT_CLONE_LIMITS: CloneLimits = Object.freeze({
  features: 5000,
  strategiesPerEnvironment: 30,
  constraints: 30,
  constraintValues: 250,
  segmentsPerStrategy: 5,
});
