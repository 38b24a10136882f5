/** Duration and load of a measurement. */
export type Settings = {
  events: number;
  rounds: number;
  seconds: number;
  /** Maximum duration of a round of a slow contender. */
  longestSeconds: number;
  connections: number;
  /** Connections for cases whose responses take seconds; more would only queue. */
  slowConnections: number;
  /** Whether each case repeats one request, so that many can share a response. */
  isIdentical: boolean;
};
