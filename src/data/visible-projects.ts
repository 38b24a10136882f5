import { Prisma } from './db.js';

/** The caller whose view of the data is read, as far as statements depend on it. */
export type Viewer = {
  userId: number;
  /** IDs of the projects it may see. Null means all. */
  visibleProjects: readonly string[] | null;
};

/** Whether a column contains the ID of a project that the viewer may see. */
export const inVisibleProject = (
  { visibleProjects }: Pick<Viewer, 'visibleProjects'>,
  column: Prisma.Sql,
): Prisma.Sql =>
  visibleProjects === null
    ? Prisma.sql`true`
    : Prisma.sql`${column} = any(${visibleProjects}::text[])`;

/** Whether a column names a feature that the viewer may see. Missing features are not visible. */
export const isVisibleFeature = (
  viewer: Pick<Viewer, 'visibleProjects'>,
  column: Prisma.Sql,
): Prisma.Sql =>
  viewer.visibleProjects === null
    ? Prisma.sql`true`
    : Prisma.sql`exists (select from features seen
        where seen.name = ${column} and ${inVisibleProject(viewer, Prisma.sql`seen.project`)})`;

/** The same as a filter for Prisma's model queries, on a column with a project ID. */
export const visibleIds = ({
  visibleProjects,
}: Pick<Viewer, 'visibleProjects'>): { in?: string[] } =>
  visibleProjects === null ? {} : { in: [...visibleProjects] };
