import type { Databases } from './databases.js';
import type { Progress } from './progress.js';

/** A check; `difference` describes the failure. */
export type Check = { what: string; difference?: string };

/** A part of the comparison other than the compared requests, run for one version of upstream. */
export type Part = (context: PartContext) => Promise<Check[]>;

export type PartContext = {
  databases: Databases;
  version: string;
  progress: Progress;
  /** Compiled program of the gateway. Default: that of this repository. */
  gateway?: string;
  /** Number of repetitions of parts that depend on timing. */
  times: number;
  /** Seed of generated data. */
  seed: number;
  /** Number of random operations of the part that replays the past. */
  operations: number;
};
