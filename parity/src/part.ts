import type { Databases } from './databases.js';
import type { Progress } from './progress.js';

/** One thing that must hold; `difference` says what did not. */
export type Check = { what: string; difference?: string };

/** A part of the proof beside the compared requests, judged for one version of upstream. */
export type Part = (context: PartContext) => Promise<Check[]>;

export type PartContext = {
  databases: Databases;
  version: string;
  progress: Progress;
  /** Compiled program of the gateway, where it is not this repository's. */
  gateway?: string;
  /** How often a part that depends on timing is repeated. */
  times: number;
  /** Of what is generated at random. */
  seed: number;
};
