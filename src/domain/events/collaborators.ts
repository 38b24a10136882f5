import { createHash } from 'node:crypto';
import { type Db, Prisma } from '../../data/db.js';
import { parseRows, readRows } from '../../data/read-rows.js';
import { inVisibleProject, type Viewer } from '../../data/visible-projects.js';
import type { Actor } from '../actor.js';
import { callerOf } from '../scan-limiter.js';
import { type CacheableQuery, newerThan } from './cacheable-query.js';
import type { EventLogCache } from './event-log-cache.js';
import { LOG_EPOCH } from './settled-log.js';

/** A user who changed a feature, and the ID of the user's last event on it. */
export type Collaborator = { featureName: string; userId: number; eventId: number };

/** Unleash fills in the authors of old events later: until then their user is null. */
type Author = Omit<Collaborator, 'userId'> & { userId: number | null };

/** Up to this many features are looked up by index. */
const FEW = 5;
/** From this many features on, the result is cached. */
const MANY = 100;

const selectAuthors = (viewer: Viewer, names: readonly string[], range: Prisma.Sql) => Prisma.sql`
  select e.feature_name as "featureName", e.created_by_user_id as "userId", max(e.id) as "eventId" from events e
  where e.feature_name = any(${names}::text[])
    and ${inVisibleProject(viewer, Prisma.sql`e.project`)} and ${range}
  group by 1, 2 order by 3 desc`;

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
  const select = (range: Prisma.Sql) => selectAuthors(viewer, names, range);
  const read = (range: Prisma.Sql) => readRows<Author>(db, select(range));
  if (names.length <= FEW) return (await read(Prisma.sql`true`)).filter(isKnown);
  const callers = callerOf(viewer);
  if (names.length < MANY) {
    const authors = await cache.limiter.run(callers, (turn) => turn(() => read(Prisma.sql`true`)));
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
  return cache.query(query, async (known) => {
    const unsettled = unsettledIn(known.value);
    const isUnsettled = new Set(unsettled);
    const settled = known.value.filter(({ featureName }) => !isUnsettled.has(featureName));
    const range =
      unsettled.length === 0
        ? newerThan(known)
        : Prisma.sql`(${newerThan(known)} or e.feature_name = any(${unsettled}::text[]))`;
    const [newer] = await db.$queryRaw<[{ rows: string | null; mark: string }]>(Prisma.sql`
      select (select json_agg(found)::text from (${select(range)}) found) as rows,
        ${LOG_EPOCH} as mark`);
    const authors = merge(settled, await parseRows<Author>(newer.rows));
    return { mark: newer.mark, result: authors.filter(isKnown) };
  });
};
