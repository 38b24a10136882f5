import { type Db, Prisma, type Sql } from '../db.js';
import { parseRows, readRows } from '../sql/read-rows.sql.js';
import { inVisibleProject } from '../sql/visible-projects.sql.js';
import type { Viewer } from '../viewer.js';
import { idsAfter } from './id-ranges.sql.js';
import { LOG_EPOCH } from './settled-log.sql.js';

/** Unleash fills in the authors of old events later: until then their user is null. */
export type Author = { featureName: string; userId: number | null; eventId: number };

const selectAuthors = (viewer: Viewer, names: readonly string[], range: Sql) => Prisma.sql`
  select e.feature_name as "featureName", e.created_by_user_id as "userId", max(e.id) as "eventId" from events e
  where e.feature_name = any(${names}::text[])
    and ${inVisibleProject(viewer, Prisma.sql`e.project`)} and ${range}
  group by 1, 2 order by 3 desc`;

/** Authors of the events of features in a range of the log. */
export const readAuthors = (
  db: Db,
  viewer: Viewer,
  names: readonly string[],
  range: Sql,
): Promise<Author[]> => readRows(db, selectAuthors(viewer, names, range));

/** Authors of the events after an ID, and of all events of unsettled features. */
export const readAuthorsAfter = async (
  db: Db,
  viewer: Viewer,
  names: readonly string[],
  { id, unsettled }: { id: number | null; unsettled: readonly string[] },
) => {
  const range =
    unsettled.length === 0
      ? idsAfter(id)
      : Prisma.sql`(${idsAfter(id)} or e.feature_name = any(${unsettled}::text[]))`;
  const [{ rows, mark }] = await db.$queryRaw<[{ rows: string | null; mark: string }]>(Prisma.sql`
    select (select json_agg(found)::text from (${selectAuthors(viewer, names, range)}) found) as rows,
      ${LOG_EPOCH} as mark`);
  return { mark, authors: await parseRows<Author>(rows) };
};
