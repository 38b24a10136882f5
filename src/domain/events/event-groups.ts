import type { UnleashLayoutReader } from '../../data/layout/unleash-layout.sql.js';
import { BadDataError } from '../errors.js';
import { type EventCriteria, readsGroups } from './event-criteria.js';

/** Rejects filters by group if events have no groups: without the columns, they could only be ignored. */
export const assertGroupsKnown = async (
  layout: UnleashLayoutReader,
  criteria: EventCriteria,
): Promise<void> => {
  if (!readsGroups(criteria) || (await layout.current()).hasEventGroups) return;
  // Unleash may just have been upgraded.
  if ((await layout.fresh()).hasEventGroups) return;
  throw BadDataError.of({
    message:
      'Events cannot be filtered by group: the Unleash version that owns this database records no groups. Unleash 7 and newer do.',
  });
};
