import { Prisma } from '../../data/db.js';

export type FeatureMark = { type: string; value: string };

/** What belongs to a feature without being part of a clone. */
export type CloneSurroundings = {
  tags: readonly FeatureMark[];
  /** Whether the source is a favorite of who asks. */
  isFavorite: boolean;
  /** How many features depend on it. */
  children: number;
  /** How many stages of its life are noted. */
  stages: number;
  /** In how many environments applications reported using it. */
  seenIn: number;
  /** How many of its strategies belong to release plans. */
  planned: number;
  /** How many of its own strategies are in environments it has no row for. */
  outOfSight: number;
  /** Names of all environments, in their order. */
  environments: readonly string[];
};

type Counts = Omit<CloneSurroundings, 'tags' | 'environments'>;

export type SurroundingRows = {
  tags: FeatureMark[];
  counts: Counts[];
  places: { name: string }[];
};

/** Parts of the statement that reads the facts of a clone. */
export const selectSurroundings = (
  source: string,
  userId: number,
): Record<keyof SurroundingRows, Prisma.Sql> => ({
  tags: Prisma.sql`select tag_type as type, tag_value as value from feature_tag
    where feature_name = ${source} order by tag_type, tag_value`,
  counts: Prisma.sql`
    select exists (select from favorite_features where feature = ${source} and user_id = ${userId}) as "isFavorite",
      (select count(*) from dependent_features where parent = ${source}) as children,
      (select count(*) from feature_lifecycles where feature = ${source}) as stages,
      (select count(*) from last_seen_at_metrics where feature_name = ${source}) as "seenIn",
      (select count(*) from feature_strategies
        where feature_name = ${source} and milestone_id is not null) as planned,
      (select count(*) from feature_strategies t where t.feature_name = ${source} and t.milestone_id is null
        and not exists (select from feature_environments held
          where held.feature_name = t.feature_name and held.environment = t.environment)) as "outOfSight"`,
  places: Prisma.sql`select name from environments order by sort_order, name`,
});

export const toSurroundings = (rows: Partial<SurroundingRows>): CloneSurroundings | null => {
  const [counts] = rows.counts ?? [];
  if (!counts) return null;
  return {
    ...counts,
    tags: rows.tags ?? [],
    environments: (rows.places ?? []).map(({ name }) => name),
  };
};
