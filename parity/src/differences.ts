import { ALL_PATHS, RESENT } from './differences/all-paths.js';
import { CLONE } from './differences/clone.js';
import { HEALTH_REPORT } from './differences/health-report.js';
import { INTEGRATION_EVENTS } from './differences/integration-events.js';
import { NEWER_VERSIONS } from './differences/newer-versions.js';
import { PRIVATE_PROJECTS } from './differences/private-projects.js';
import { SEARCH_EVENTS } from './differences/search-events.js';
import type { Exchange, Settled } from './exchange.js';

/** One row of docs/differences.md. */
export type Difference = {
  id: string;
  /**
   * Recognizes the difference and returns what is left to compare; undefined if it does not apply. Called in list order
   * while the responses differ.
   */
  settle?: (exchange: Exchange) => Settled | undefined | Promise<Settled | undefined>;
  /** Recognizes a difference in wording or headers; the responses still count as equal. */
  isNoted?: (exchange: Exchange) => boolean;
  /** Recognized when the rows of a clone are compared. */
  inRows?: true;
  /** Why the comparison can't produce it. */
  notMetBecause?: string;
};

export const DIFFERENCES: readonly Difference[] = [
  ...RESENT,
  ...PRIVATE_PROJECTS,
  ...NEWER_VERSIONS,
  ...ALL_PATHS,
  ...SEARCH_EVENTS,
  ...HEALTH_REPORT,
  ...INTEGRATION_EVENTS,
  ...CLONE,
];

export const notedDifferences = (exchange: Exchange): string[] =>
  DIFFERENCES.filter(({ isNoted }) => isNoted?.(exchange)).map(({ id }) => id);
