import type { Db } from '../../data/db.js';
import type { EventRow } from '../../data/events/event-rows.sql.js';
import { isDeep, searchAmongFew, searchKnown } from '../../data/events/event-searches.sql.js';
import { searchWholeLog } from '../../data/events/whole-log.sql.js';
import type { Actor } from '../actor.js';
import type { OffsetPage } from '../paging.js';
import { assertEventCriteria, type EventCriteria } from './event-criteria.js';
import type { EventLogCache } from './event-log-cache.js';
import { candidatesOf, isHeavyMatch, knownSearch, matchesOf } from './event-matches.js';
import { isWholeLog, wholeLog } from './whole-log.js';

/** The page at an offset, newest first, with the exact total. */
export const searchEvents = async (
  db: Db,
  cache: EventLogCache,
  actor: Actor,
  { criteria, page }: { criteria: EventCriteria; page: OffsetPage },
): Promise<{ events: EventRow[]; total: number }> => {
  assertEventCriteria(criteria);

  const query = matchesOf(db, actor, criteria);
  const candidates = cache.has(query) ? null : candidatesOf(actor, criteria);
  if (candidates) {
    const { found } = await cache.log.readCurrent(() => searchAmongFew(db, candidates, page));
    if (found) return found;
  }
  if (isDeep(page) && isWholeLog(actor, criteria)) {
    const log = wholeLog(db);
    if (cache.has(log)) {
      return cache.query(log, (known) =>
        searchWholeLog(db, knownSearch(actor, criteria, known), page),
      );
    }
    cache.prepare(log);
  }
  const isHeavy = isHeavyMatch(criteria);
  return cache.query(
    query,
    (known) => searchKnown(db, knownSearch(actor, criteria, known), page),
    (matches) => isHeavy(matches) || isDeep(page),
  );
};
