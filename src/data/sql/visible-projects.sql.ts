import { Prisma } from '../db.js';
import type { Viewer } from '../viewer.js';

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
