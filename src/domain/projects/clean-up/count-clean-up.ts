import { type Db, Prisma } from '../../../data/db.js';
import type { Actor } from '../../actor.js';
import {
  type CleanUpCriteria,
  inLivingProjects,
  inProjects,
  wantedKinds,
} from './clean-up-criteria.js';
import { CLEAN_UP_KINDS, CLEAN_UP_WEIGHTS, type CleanUpKind } from './clean-up-kinds.js';
import { judgedFeatures } from './judged-features.js';

/** How many features are to be cleaned up, in all and for each reason; one may have several. */
export type CleanUpTally = {
  total: number;
  counts: readonly { kind: CleanUpKind; count: number }[];
};

type Question = { criteria: CleanUpCriteria; now?: Date };
type TallyRow = { project: string | null; total: bigint } & Record<CleanUpKind, bigint>;

const toTally = (row?: TallyRow): CleanUpTally => ({
  total: Number(row?.total ?? 0),
  counts: CLEAN_UP_KINDS.map((kind) => ({ kind, count: Number(row?.[kind] ?? 0) })),
});

export const EMPTY_TALLY = toTally();

const tally = (where: Prisma.Sql, project: Prisma.Sql, { criteria, now = new Date() }: Question) =>
  Prisma.sql`with judged as materialized (${judgedFeatures(where, now)})
    select ${project} as project, count(*) as total, ${Prisma.join(
      CLEAN_UP_KINDS.map(
        (kind) => Prisma.sql`count(*) filter (
          where weight & ${CLEAN_UP_WEIGHTS[kind]}::int <> 0) as ${Prisma.raw(`"${kind}"`)}`,
      ),
    )}
    from judged where ${wantedKinds(criteria)} group by 1`;

/** The tally of all projects that are not archived. */
export const countCleanUp = async (
  db: Db,
  actor: Actor,
  question: Question,
): Promise<CleanUpTally> => {
  const where = inLivingProjects(actor, question.criteria);
  const [row] = await db.$queryRaw<TallyRow[]>(tally(where, Prisma.sql`null::text`, question));
  return toTally(row);
};

/** The tally of each of many projects, archived or not, in one statement. */
export const countCleanUpOf = async (
  db: Db,
  actor: Actor,
  { projectIds, ...question }: Question & { projectIds: readonly string[] },
): Promise<ReadonlyMap<string, CleanUpTally>> => {
  const where = inProjects(actor, question.criteria, projectIds);
  const rows = await db.$queryRaw<TallyRow[]>(tally(where, Prisma.sql`project`, question));
  return new Map(rows.map((row) => [row.project ?? '', toTally(row)]));
};
