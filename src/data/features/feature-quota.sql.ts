import { Prisma } from '../db.js';

/** Features that are not archived: of the whole instance, and of the target project. */
export type ActiveCounts = { everywhere: number; inTarget: number };

export const countActive = (targetProject: string): Prisma.Sql => Prisma.sql`
  select count(*) as everywhere, count(*) filter (where project = ${targetProject}) as "inTarget"
  from features where archived_at is null`;

/** Whether there is room for one more feature when a statement begins. A project may have no limit. */
export const isWithinQuota = (
  targetProject: string,
  limits: { project: number | null; instance: number },
): Prisma.Sql =>
  Prisma.sql`(select everywhere < ${limits.instance}
    and ("inTarget" = 0 or "inTarget" < coalesce(${limits.project}::int, "inTarget" + 1))
    from (${countActive(targetProject)}) active)`;
