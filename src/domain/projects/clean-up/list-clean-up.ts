import { condition } from '../../../data/conditions.js';
import { type Db, type Feature, Prisma } from '../../../data/db.js';
import { groupBy } from '../../../data/grouping.js';
import { milliseconds } from '../../../data/read-rows.js';
import { columnsOf, FEATURES, readTableRows } from '../../../data/tables.js';
import type { Actor } from '../../actor.js';
import { matchingEvents } from '../../events/event-query.js';
import { type KeysetPage, type Slice, sliceOf } from '../../paging.js';
import { assertText } from '../../text.js';
import {
  type CleanUpCriteria,
  inLivingProjects,
  inProjects,
  wantedKinds,
} from './clean-up-criteria.js';
import { CLEAN_UP_WEIGHTS } from './clean-up-kinds.js';
import { type CandidateRow, type CleanUpReason, reasonsOf } from './clean-up-reasons.js';
import { judgedFeatures, OLDEST } from './judged-features.js';

export type CleanUpCandidate = {
  feature: Feature;
  weight: number;
  reasons: readonly CleanUpReason[];
};

/** Where a feature stands in the list: its weight, when it was created in milliseconds, and its name. */
export type CleanUpPlace = readonly [weight: number, created: number, name: string];

export const placeOf = ({ feature, weight }: CleanUpCandidate): CleanUpPlace => [
  weight,
  feature.createdAt?.getTime() ?? OLDEST,
  feature.name,
];

type Question = {
  criteria: CleanUpCriteria;
  page: KeysetPage<CleanUpPlace>;
  /** The moment at which ages are judged. Default: now. */
  now?: Date;
};

/** The heaviest first, then the oldest; names decide between equals. None of it changes as time goes by. */
const orderOf = ({ backward }: KeysetPage<CleanUpPlace>): Prisma.Sql =>
  backward ? Prisma.sql`weight, created desc, name desc` : Prisma.sql`weight desc, created, name`;

const boundsOf = ({ after, before }: KeysetPage<CleanUpPlace>): Prisma.Sql => {
  assertText('The cursor', after?.[2] ?? '', before?.[2] ?? '');

  const place = ([weight, created, name]: CleanUpPlace) =>
    Prisma.sql`(${-weight}::int, ${BigInt(created)}::bigint, ${name}::text)`;
  const conditions = [
    Prisma.sql`true`,
    ...condition(after, (key) => Prisma.sql`(-weight, created, name) > ${place(key)}`),
    ...condition(before, (key) => Prisma.sql`(-weight, created, name) < ${place(key)}`),
  ];
  return Prisma.join(conditions, ' and ');
};

/**
 * When the feature `t` of the page was marked stale, as far as the log tells: by the last event about that, unless it
 * tells the opposite or is older than the feature, which is then not the first one of its name.
 */
const mark = (actor: Actor): Prisma.Sql => Prisma.sql`
  select (array_agg(e.type order by e.id desc))[1] as type,
    (array_agg(${milliseconds(Prisma.sql`e.created_at`)} order by e.id desc))[1] as at
  from events e
  where page.weight & ${CLEAN_UP_WEIGHTS.stale}::int <> 0 and e.feature_name = t.name
    and ${matchingEvents(actor, { types: ['feature-stale-on', 'feature-stale-off'] })}`;

/** One page for each group of features, in one statement. */
const readPages = async (
  db: Db,
  actor: Actor,
  where: Prisma.Sql,
  groups: Prisma.Sql,
  { criteria, page, now = new Date() }: Question,
): Promise<CleanUpCandidate[]> => {
  const rows = await readTableRows<Feature, Omit<CandidateRow, keyof Feature>>(
    db,
    FEATURES,
    Prisma.sql`
    with judged as materialized (${judgedFeatures(where, now)}), page as (
      select * from (
        select judged.*, row_number() over (${groups} order by ${orderOf(page)}) as place
        from judged where ${wantedKinds(criteria)} and ${boundsOf(page)}
      ) ranked where place <= ${page.limit + 1}::int
    )
    select ${columnsOf(FEATURES)}, page.weight, page.lifetime_days as "lifetimeDays", page.environments,
      ${milliseconds(Prisma.sql`page.completed_at`)} as "completedAt", page.status,
      case when mark.type = 'feature-stale-on' and mark.at >= page.created then mark.at end as "staleSince"
    from page join features t on t.name = page.name left join lateral (${mark(actor)}) mark on true
    order by page.place`,
  );
  return rows.map((row) => ({ feature: row, weight: row.weight, reasons: reasonsOf(row, now) }));
};

/** The page of features to clean up in all projects that are not archived, what to remove first in front. */
export const listCleanUp = async (
  db: Db,
  actor: Actor,
  question: Question,
): Promise<Slice<CleanUpCandidate>> => {
  const where = inLivingProjects(actor, question.criteria);
  return sliceOf(await readPages(db, actor, where, Prisma.empty, question), question.page);
};

/** One such page for each of many projects, archived or not, in one statement. */
export const listCleanUpOf = async (
  db: Db,
  actor: Actor,
  { projectIds, ...question }: Question & { projectIds: readonly string[] },
): Promise<ReadonlyMap<string, Slice<CleanUpCandidate>>> => {
  const where = inProjects(actor, question.criteria, projectIds);
  const partition = Prisma.sql`partition by project`;
  const rows = await readPages(db, actor, where, partition, question);

  const rowsOf = groupBy(rows, ({ feature }) => feature.projectId ?? '');
  return new Map(projectIds.map((id) => [id, sliceOf(rowsOf.get(id) ?? [], question.page)]));
};
