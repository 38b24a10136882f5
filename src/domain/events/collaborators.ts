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

/** Up to this many features are looked up by index. */
const FEW = 5;
/** From this many features on, the result is cached. */
const MANY = 100;

const selectCollaborators = (
  viewer: Viewer,
  names: readonly string[],
  range: Prisma.Sql,
) => Prisma.sql`
  select e.feature_name as "featureName", e.created_by_user_id as "userId", max(e.id) as "eventId" from events e
  where e.feature_name = any(${names}::text[]) and e.created_by_user_id is not null
    and ${inVisibleProject(viewer, Prisma.sql`e.project`)} and ${range}
  group by 1, 2 order by 3 desc`;

const merge = (
  older: readonly Collaborator[],
  newer: readonly Collaborator[],
): readonly Collaborator[] => {
  if (newer.length === 0) return older;
  const keyOf = ({ featureName, userId }: Collaborator) => `${userId}/${featureName}`;
  const isNewer = new Set(newer.map(keyOf));
  return [...newer, ...older.filter((collaborator) => !isNewer.has(keyOf(collaborator)))];
};

/** Users who changed these features, over the whole log; latest change first. */
export const listCollaborators = (
  db: Db,
  cache: EventLogCache,
  viewer: Actor,
  names: readonly string[],
): Promise<readonly Collaborator[]> => {
  const select = (range: Prisma.Sql) => selectCollaborators(viewer, names, range);
  const read = (range: Prisma.Sql) => readRows<Collaborator>(db, select(range));
  if (names.length <= FEW) return read(Prisma.sql`true`);
  const callers = callerOf(viewer);
  if (names.length < MANY) {
    return cache.limiter.run(callers, (turn) => turn(() => read(Prisma.sql`true`)));
  }

  const query: CacheableQuery<readonly Collaborator[]> = {
    key: `collaborators ${createHash('sha256')
      .update(JSON.stringify([viewer.visibleProjects, names]))
      .digest('base64')}`,
    read,
    merge,
    nothing: [],
    weigh: (collaborators) => collaborators.length,
    callers,
    readsAuthors: true,
  };
  return cache.query(query, async (known) => {
    const [newer] = await db.$queryRaw<[{ rows: string | null; mark: string }]>(Prisma.sql`
      select (select json_agg(found)::text from (${select(newerThan(known))}) found) as rows,
        ${LOG_EPOCH} as mark`);
    return { mark: newer.mark, result: merge(known.value, await parseRows(newer.rows)) };
  });
};
