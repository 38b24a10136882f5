/** How long and how hard is measured. */
export type Settings = {
  events: number;
  rounds: number;
  seconds: number;
  /** A round of a contender that answers slowly may be that much longer. */
  longestSeconds: number;
  connections: number;
  /** For cases where one answer takes seconds; more at once would only wait for each other. */
  slowConnections: number;
  /** Whether no two requests are alike, so that none can share an answer with another. */
  isDistinct: boolean;
};
