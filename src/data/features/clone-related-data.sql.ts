import { Prisma } from '../db.js';
import { isVisibleFeature } from '../sql/visible-projects.sql.js';
import type { Viewer } from '../viewer.js';

export type TagRow = { type: string; value: string };

export type RelatedCounts = {
  /** Whether the source is a favorite of the caller. */
  isFavorite: boolean;
  /** Number of features that depend on it. */
  children: number;
  /** Number of recorded lifecycle stages. */
  stages: number;
  /** Number of environments in which applications reported using it. */
  seenIn: number;
  /** Number of its strategies that belong to release plans. */
  planned: number;
  /** Number of its own strategies in environments without a row for it. */
  outOfSight: number;
};

/** What belongs to a feature but is not part of a clone. */
export type RelatedRows = {
  tags: TagRow[];
  counts: RelatedCounts[];
  /** All environments, in order. */
  places: { name: string }[];
};

/** Parts of the statement that reads the facts of a clone. */
export const selectRelatedData = (
  source: string,
  viewer: Viewer,
): Record<keyof RelatedRows, Prisma.Sql> => ({
  tags: Prisma.sql`select tag_type as type, tag_value as value from feature_tag
    where feature_name = ${source} order by tag_type, tag_value`,
  counts: Prisma.sql`
    select exists (select from favorite_features where feature = ${source} and user_id = ${viewer.userId}) as "isFavorite",
      (select count(*) from dependent_features t
        where t.parent = ${source} and ${isVisibleFeature(viewer, Prisma.sql`t.child`)}) as children,
      (select count(*) from feature_lifecycles where feature = ${source}) as stages,
      (select count(*) from last_seen_at_metrics where feature_name = ${source}) as "seenIn",
      (select count(*) from feature_strategies
        where feature_name = ${source} and milestone_id is not null) as planned,
      (select count(*) from feature_strategies t where t.feature_name = ${source} and t.milestone_id is null
        and not exists (select from feature_environments held
          where held.feature_name = t.feature_name and held.environment = t.environment)) as "outOfSight"`,
  places: Prisma.sql`select name from environments order by sort_order, name`,
});
