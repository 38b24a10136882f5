import { Prisma } from '../db.js';
import { condition, literalPattern } from '../sql/conditions.sql.js';
import { inVisibleProject } from '../sql/visible-projects.sql.js';
import type { Viewer } from '../viewer.js';

export type FeatureCriteria = {
  names?: readonly string[];
  namesOtherThan?: readonly string[];
  projects?: readonly string[];
  projectsOtherThan?: readonly string[];
  types?: readonly string[];
  typesOtherThan?: readonly string[];
  /** Literal text, matched case-insensitively in the name or the description. */
  text?: string;
  archived?: boolean;
  stale?: boolean;
  favorite?: boolean;
  tag?: { type: string; value: string };
};

/** Also matches null. */
const otherThan = (column: Prisma.Sql, values: readonly string[]): Prisma.Sql =>
  Prisma.sql`(${column} = any(${values}::text[])) is not true`;

/** Condition on features (alias `t`) that every list of features uses. */
export const matchingFeatures = (viewer: Viewer, criteria: FeatureCriteria): Prisma.Sql => {
  const { names, projects, types, namesOtherThan, projectsOtherThan, typesOtherThan, text, tag } =
    criteria;
  const pattern = text === undefined ? undefined : `%${literalPattern(text)}%`;
  const favorite = Prisma.sql`exists (select from favorite_features held
    where held.feature = t.name and held.user_id = ${viewer.userId})`;
  const conditions = [
    inVisibleProject(viewer, Prisma.sql`t.project`),
    ...condition(names, (list) => Prisma.sql`t.name = any(${list}::text[])`),
    ...condition(projects, (list) => Prisma.sql`t.project = any(${list}::text[])`),
    ...condition(types, (list) => Prisma.sql`t.type = any(${list}::text[])`),
    ...condition(namesOtherThan, (list) => otherThan(Prisma.sql`t.name`, list)),
    ...condition(projectsOtherThan, (list) => otherThan(Prisma.sql`t.project`, list)),
    ...condition(typesOtherThan, (list) => otherThan(Prisma.sql`t.type`, list)),
    ...condition(
      pattern,
      (like) => Prisma.sql`(t.name ilike ${like} or t.description ilike ${like})`,
    ),
    ...condition(criteria.archived, (is) =>
      is ? Prisma.sql`t.archived_at is not null` : Prisma.sql`t.archived_at is null`,
    ),
    ...condition(criteria.stale, (is) => Prisma.sql`coalesce(t.stale, false) = ${is}`),
    ...condition(criteria.favorite, (is) => (is ? favorite : Prisma.sql`not ${favorite}`)),
    ...condition(
      tag,
      ({ type, value }) => Prisma.sql`exists (select from feature_tag held
        where held.feature_name = t.name and held.tag_type = ${type} and held.tag_value = ${value})`,
    ),
  ];
  return Prisma.join(conditions, ' and ');
};

/** Condition on the feature (alias `t`) of this name, if the viewer may see it. */
export const isFeature = (viewer: Viewer, name: string): Prisma.Sql =>
  Prisma.sql`t.name = ${name} and ${inVisibleProject(viewer, Prisma.sql`t.project`)}`;

/** Condition on the unarchived features (alias `t`) of a project. */
export const isActiveIn = (projectId: string): Prisma.Sql =>
  Prisma.sql`t.project = ${projectId} and t.archived_at is null`;
