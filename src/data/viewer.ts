/** The caller whose view of the data is read, as far as statements depend on it. */
export type Viewer = {
  userId: number;
  /** IDs of the projects it may see. Null means all. */
  visibleProjects: readonly string[] | null;
};

/** A filter for Prisma's model queries, on a column with the ID of a project. */
export const visibleIds = ({
  visibleProjects,
}: Pick<Viewer, 'visibleProjects'>): { in?: string[] } =>
  visibleProjects === null ? {} : { in: [...visibleProjects] };
