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
   * Recognises the difference and says what is left to compare; undefined when this is not it. Asked in the order of
   * the list, as long as the responses differ.
   */
  settle?: (exchange: Exchange) => Settled | undefined | Promise<Settled | undefined>;
  /** Recognises a difference in words or headers, which leaves a response agreed. */
  isNoted?: (exchange: Exchange) => boolean;
  /** Recognised where rows of a clone are compared. */
  inRows?: true;
  /** Why the comparison cannot meet it. */
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
