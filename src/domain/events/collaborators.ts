import { createHash } from 'node:crypto';
import { type Db, Prisma } from '../../data/db.js';
import { parseRows, readRows } from '../../data/read-rows.js';
import { type LogMemory, type LogQuestion, newerThan } from './log-memory.js';
import { LOG_MARK } from './settled-log.js';

/** Somebody who changed a feature, and the last event that tells of it. */
export type Collaborator = { featureName: string; userId: number; eventId: number };

/** From so many features on, what is known of their events is worth remembering. */
const MANY = 100;

const selectCollaborators = (names: readonly string[], range: Prisma.Sql) => Prisma.sql`
  select e.feature_name as "featureName", e.created_by_user_id as "userId", max(e.id) as "eventId" from events e
  where e.feature_name = any(${names}::text[]) and e.created_by_user_id is not null and ${range}
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

/** Who changed these features, over all that is recorded; the latest change first. */
export const listCollaborators = (
  db: Db,
  memory: LogMemory,
  names: readonly string[],
): Promise<readonly Collaborator[]> => {
  const read = (range: Prisma.Sql) => readRows<Collaborator>(db, selectCollaborators(names, range));
  if (names.length < MANY) return read(Prisma.sql`true`);

  const question: LogQuestion<readonly Collaborator[]> = {
    key: `collaborators ${createHash('sha256').update(JSON.stringify(names)).digest('base64')}`,
    read,
    merge,
    nothing: [],
    weigh: (collaborators) => collaborators.length,
    readsAuthors: true,
  };
  return memory.ask(question, async (known) => {
    const [newer] = await db.$queryRaw<[{ rows: string | null; mark: string }]>(Prisma.sql`
      select (select json_agg(found)::text from (${selectCollaborators(names, newerThan(known))}) found) as rows,
        ${LOG_MARK} as mark`);
    return { mark: newer.mark, answer: merge(known.value, parseRows(newer.rows)) };
  });
};
