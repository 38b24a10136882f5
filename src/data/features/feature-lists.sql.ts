import { type Db, type Feature, type FeatureEnvironment, Prisma, type Strategy } from '../db.js';
import { FeatureEnvironmentTable, FeatureTable, StrategyTable } from '../generated/tables.js';
import { columnsOf, readTable, readTableRows } from '../sql/tables.sql.js';
import { inVisibleProject } from '../sql/visible-projects.sql.js';
import type { Viewer } from '../viewer.js';

/** IDs of the segments of the strategy `t`. */
export const SEGMENT_IDS = Prisma.sql`array(
    select held.segment_id from feature_strategy_segment held
    where held.feature_strategy_id = t.id order by held.segment_id
  ) as "segmentIds"`;

/** Selects strategies (aliased `t`) that match a condition, in sort order, with their segment IDs. */
export const selectStrategies = (columns: Prisma.Sql, where: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select ${columns}, ${SEGMENT_IDS}
  from feature_strategies t where ${where} order by t.sort_order, t.created_at, t.id`;

/** In sort order. */
export const readStrategies = (
  db: Db,
  names: readonly string[],
): Promise<(Strategy & { segmentIds: number[] })[]> =>
  readTableRows<Strategy, { segmentIds: number[] }>(
    db,
    StrategyTable,
    selectStrategies(columnsOf(StrategyTable), Prisma.sql`t.feature_name = any(${names}::text[])`),
  );

export const readFeatureEnvironments = (
  db: Db,
  names: readonly string[],
): Promise<FeatureEnvironment[]> =>
  readTable(db, FeatureEnvironmentTable, Prisma.sql`t.feature_name = any(${names}::text[])`);

/** Features of projects that are not archived, by name. */
export const readActiveFeatures = (
  db: Db,
  viewer: Viewer,
  projectIds: readonly string[],
): Promise<Feature[]> =>
  readTable(
    db,
    FeatureTable,
    Prisma.sql`t.project = any(${projectIds}::text[]) and t.archived_at is null
      and ${inVisibleProject(viewer, Prisma.sql`t.project`)}`,
    Prisma.sql`t.name`,
  );
