import { countEachUpTo } from '../../data/count-up-to.js';
import { type Db, type Feature, Prisma } from '../../data/db.js';
import { groupBy } from '../../data/grouping.js';
import { columnsOf, FEATURES, readTableRows } from '../../data/tables.js';
import type { Actor } from '../actor.js';
import { type KeysetPage, type Slice, sliceOf } from '../paging.js';
import { type FeatureCriteria, featurePage, matchingFeatures } from './list-features.js';

/** One page of features per project, by name, in one statement. */
export const listFeaturesOf = async (
  db: Db,
  actor: Actor,
  {
    projectIds,
    criteria,
    page,
  }: { projectIds: readonly string[]; criteria: FeatureCriteria; page: KeysetPage<string> },
): Promise<ReadonlyMap<string, Slice<Feature>>> => {
  const rows = await readTableRows<Feature>(
    db,
    FEATURES,
    Prisma.sql`
    select page.* from unnest(${projectIds}::text[]) as owner(id)
    cross join lateral (
      select ${columnsOf(FEATURES)} from features t
      where t.project = owner.id and ${matchingFeatures(actor, criteria)} ${featurePage(page)}
    ) page order by page.name ${page.backward ? Prisma.sql`desc` : Prisma.sql`asc`}`,
  );

  const rowsOf = groupBy(rows, (row) => row.projectId ?? '');
  return new Map(projectIds.map((id) => [id, sliceOf<Feature>(rowsOf.get(id) ?? [], page)]));
};

/** Counts matching features per project in one statement, up to `upTo` if given. */
export const countFeaturesOf = async (
  db: Db,
  actor: Actor,
  {
    projectIds,
    criteria,
    upTo,
  }: { projectIds: readonly string[]; criteria: FeatureCriteria; upTo?: number | undefined },
): Promise<ReadonlyMap<string, number>> => {
  const matching = matchingFeatures(actor, criteria);
  if (upTo !== undefined) {
    const rows = Prisma.sql`from features t where t.project = owner.key and ${matching}`;
    return countEachUpTo(db, { keys: projectIds, type: 'text', rows, upTo });
  }
  const rows = await db.$queryRaw<{ id: string; total: bigint }[]>(Prisma.sql`
    select t.project as id, count(*) as total from features t
    where t.project = any(${projectIds}::text[]) and ${matching} group by 1`);
  return new Map(rows.map(({ id, total }) => [id, Number(total)]));
};
