import { type Db, Prisma } from '../../../data/db.js';
import type { Actor } from '../../actor.js';
import {
  type CleanUpCriteria,
  inActiveProjects,
  inProjects,
  wantedKinds,
} from './clean-up-criteria.js';
import { CLEAN_UP_KINDS, CLEAN_UP_WEIGHTS, type CleanUpKind } from './clean-up-kinds.js';
import { weightedFeatures } from './weighted-features.js';

/** Number of features to clean up, in total and per reason; a feature can have several reasons. */
export type CleanUpTally = {
  total: number;
  counts: readonly { kind: CleanUpKind; count: number }[];
};

type Query = { criteria: CleanUpCriteria; now?: Date };
type TallyRow = { project: string | null; total: bigint } & Record<CleanUpKind, bigint>;

const toTally = (row?: TallyRow): CleanUpTally => ({
  total: Number(row?.total ?? 0),
  counts: CLEAN_UP_KINDS.map((kind) => ({ kind, count: Number(row?.[kind] ?? 0) })),
});

export const EMPTY_TALLY = toTally();

const tally = (where: Prisma.Sql, project: Prisma.Sql, { criteria, now = new Date() }: Query) =>
  Prisma.sql`with weighed as materialized (${weightedFeatures(where, now)})
    select ${project} as project, count(*) as total, ${Prisma.join(
      CLEAN_UP_KINDS.map(
        (kind) => Prisma.sql`count(*) filter (
          where weight & ${CLEAN_UP_WEIGHTS[kind]}::int <> 0) as ${Prisma.raw(`"${kind}"`)}`,
      ),
    )}
    from weighed where ${wantedKinds(criteria)} group by 1`;

/** Over all projects that are not archived. */
export const countCleanUp = async (db: Db, actor: Actor, query: Query): Promise<CleanUpTally> => {
  const where = inActiveProjects(actor, query.criteria);
  const [row] = await db.$queryRaw<TallyRow[]>(tally(where, Prisma.sql`null::text`, query));
  return toTally(row);
};

/** Per project, archived or not, in one statement. */
export const countCleanUpOf = async (
  db: Db,
  actor: Actor,
  { projectIds, ...query }: Query & { projectIds: readonly string[] },
): Promise<ReadonlyMap<string, CleanUpTally>> => {
  const where = inProjects(actor, query.criteria, projectIds);
  const rows = await db.$queryRaw<TallyRow[]>(tally(where, Prisma.sql`project`, query));
  return new Map(rows.map((row) => [row.project ?? '', toTally(row)]));
};
