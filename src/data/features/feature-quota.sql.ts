import { Prisma } from '../db.js';

/** Features that are not archived: of the whole instance, and of the target project. */
export type ActiveCounts = { everywhere: number; inTarget: number };

export const countActive = (targetProject: string): Prisma.Sql => Prisma.sql`
  select count(*) as everywhere, count(*) filter (where project = ${targetProject}) as "inTarget"
  from features where archived_at is null`;

/**
 * Whether there is room for new features when a statement begins. A project may have no limit. The first feature of a
 * project fits, whatever its limit.
 */
export const isWithinQuota = (
  targetProject: string,
  limits: { project: number | null; instance: number },
  added: { everywhere: number; inTarget: number } = { everywhere: 1, inTarget: 1 },
): Prisma.Sql =>
  Prisma.sql`(select everywhere + ${added.everywhere - 1}::int < ${limits.instance}
    and ("inTarget" + ${added.inTarget - 1}::int = 0
      or "inTarget" + ${added.inTarget - 1}::int < coalesce(${limits.project}::int, "inTarget" + ${added.inTarget}::int))
    from (${countActive(targetProject)}) active)`;
