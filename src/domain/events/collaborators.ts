import { createHash } from 'node:crypto';
import type { Db, Sql } from '../../data/db.js';
import { type Author, readAuthors, readAuthorsAfter } from '../../data/events/collaborators.sql.js';
import { WHOLE_LOG } from '../../data/events/id-ranges.sql.js';
import type { Actor } from '../actor.js';
import { callerOf } from '../scan-limiter.js';
import type { CacheableQuery } from './cacheable-query.js';
import type { EventLogCache } from './event-log-cache.js';

/** A user who changed a feature, and the ID of the user's last event on it. */
export type Collaborator = { featureName: string; userId: number; eventId: number };

/** Up to this many features are looked up by index. */
const FEW = 5;
/** From this many features on, the result is cached. */
const MANY = 100;

const merge = (older: readonly Author[], newer: readonly Author[]): readonly Author[] => {
  if (newer.length === 0) return older;
  const keyOf = ({ featureName, userId }: Author) => `${userId}/${featureName}`;
  const isNewer = new Set(newer.map(keyOf));
  return [...newer, ...older.filter((author) => !isNewer.has(keyOf(author)))];
};

const isKnown = (author: Author): author is Collaborator => author.userId !== null;

/** Features with events whose author may still change. */
const unsettledIn = (authors: readonly Author[]): string[] =>
  authors.filter((author) => !isKnown(author)).map(({ featureName }) => featureName);

/** Users who changed these features, over the whole log; per feature, the latest change first. */
export const listCollaborators = async (
  db: Db,
  cache: EventLogCache,
  viewer: Actor,
  names: readonly string[],
): Promise<readonly Collaborator[]> => {
  const read = (range: Sql) => readAuthors(db, viewer, names, range);
  if (names.length <= FEW) return (await read(WHOLE_LOG)).filter(isKnown);
  const callers = callerOf(viewer);
  if (names.length < MANY) {
    const authors = await cache.limiter.run(callers, (turn) => turn(() => read(WHOLE_LOG)));
    return authors.filter(isKnown);
  }

  const query: CacheableQuery<readonly Author[]> = {
    key: `collaborators ${createHash('sha256')
      .update(JSON.stringify([viewer.visibleProjects, names]))
      .digest('base64')}`,
    read,
    merge,
    nothing: [],
    weigh: (authors) => authors.length,
    callers,
  };
  return cache.query(query, async ({ upTo, value }) => {
    const unsettled = unsettledIn(value);
    const isUnsettled = new Set(unsettled);
    const settled = value.filter(({ featureName }) => !isUnsettled.has(featureName));
    const newer = await readAuthorsAfter(db, viewer, names, { id: upTo, unsettled });
    return { mark: newer.mark, result: merge(settled, newer.authors).filter(isKnown) };
  });
};
