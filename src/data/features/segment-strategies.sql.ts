import { type Db, Prisma, type Strategy } from '../db.js';
import { StrategyTable } from '../generated/tables.js';
import type { KeysetPage } from '../paging.js';
import { countEachUpTo } from '../sql/count-up-to.sql.js';
import { columnsOf, readTableRows } from '../sql/tables.sql.js';
import { inVisibleProject } from '../sql/visible-projects.sql.js';
import type { Viewer } from '../viewer.js';
import { SEGMENT_IDS } from './feature-lists.sql.js';

/** Position in the list: feature name, then strategy ID. */
export type StrategyPlace = readonly [featureName: string, id: string];

export type SegmentStrategy = Strategy & { segmentIds: number[]; segmentId: number };

/** Strategies (alias `t`) that use the segment `owner.key`, of features that the viewer may see. */
const usesOf = (viewer: Viewer): Prisma.Sql => Prisma.sql`
  from feature_strategy_segment used
  join feature_strategies t on t.id = used.feature_strategy_id
  join features seen on seen.name = t.feature_name
  where used.segment_id = owner.key and ${inVisibleProject(viewer, Prisma.sql`seen.project`)}`;

const placeIs = (operator: '>' | '<', place: StrategyPlace | undefined): Prisma.Sql =>
  place === undefined
    ? Prisma.empty
    : Prisma.sql`and (t.feature_name, t.id) ${Prisma.raw(operator)} (${place[0]}, ${place[1]})`;

/** One page per segment, each with one extra row. */
export const readStrategiesOfSegments = (
  db: Db,
  viewer: Viewer,
  { segmentIds, page }: { segmentIds: readonly number[]; page: KeysetPage<StrategyPlace> },
): Promise<SegmentStrategy[]> => {
  const { after, before, backward, limit } = page;
  const order = backward ? Prisma.sql`desc` : Prisma.sql`asc`;
  return readTableRows<Strategy, { segmentIds: number[]; segmentId: number }>(
    db,
    StrategyTable,
    Prisma.sql`
    select page.* from unnest(${segmentIds}::int[]) as owner(key)
    cross join lateral (
      select owner.key as "segmentId", ${columnsOf(StrategyTable)}, ${SEGMENT_IDS}
      ${usesOf(viewer)} ${placeIs('>', after)} ${placeIs('<', before)}
      order by t.feature_name ${order}, t.id ${order} limit ${limit + 1}
    ) page order by page."featureName" ${order}, page.id ${order}`,
  );
};

/** Counts all, or up to `upTo` if given. */
export const countStrategiesOfSegments = (
  db: Db,
  viewer: Viewer,
  { segmentIds, upTo }: { segmentIds: readonly number[]; upTo?: number | undefined },
): Promise<ReadonlyMap<number, number>> =>
  countEachUpTo(db, { keys: segmentIds, type: 'int', rows: usesOf(viewer), upTo });
