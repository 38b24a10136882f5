import type { Db } from '../../data/db.js';
import { type Milestone, readWholeLog, type WholeLog } from '../../data/events/whole-log.sql.js';
import type { Actor } from '../actor.js';
import type { CacheableQuery } from './cacheable-query.js';
import type { EventCriteria } from './event-criteria.js';
import { mergeMatches, NO_MATCHES } from './event-matches.js';

const MAX_MILESTONES = 4_000;

/** With many, every other one is enough. */
const mergeMilestones = (older: WholeLog, newer: WholeLog): readonly Milestone[] => {
  const later = newer.milestones.map(({ id, rank }) => ({ id, rank: rank + older.count }));
  const all = [...older.milestones, ...later];
  return all.length > MAX_MILESTONES ? all.filter((_, index) => index % 2 === 1) : all;
};

/** Whether nothing hides an event from this caller. */
export const isWholeLog = (actor: Actor, criteria: EventCriteria): boolean =>
  actor.seesAllEvents && Object.keys(criteria).length === 0;

/** All events, for deep pages. */
export const wholeLog = (db: Db): CacheableQuery<WholeLog> => ({
  key: 'whole log',
  read: (range) => readWholeLog(db, range),
  merge: (older, newer) => ({
    ...mergeMatches(older, newer),
    milestones: mergeMilestones(older, newer),
  }),
  nothing: { ...NO_MATCHES, milestones: [] },
  weigh: ({ milestones }) => 2 * milestones.length,
});
