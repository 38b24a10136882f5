import { type Db, Prisma } from '../db.js';

/** Members of each project. A group without members counts as one unknown member, as in Unleash. */
export const countMembers = (
  db: Db,
  projectIds: readonly string[],
): Promise<{ projectId: string; members: bigint }[]> =>
  db.$queryRaw(Prisma.sql`
    select "projectId", count(*) as members from (
      select held.project as "projectId", held.user_id from role_user held
      join roles role on role.id = held.role_id
      where role.type <> 'root' and held.project = any(${projectIds}::text[])
      union
      select held.project, member.user_id from group_role held
      left join group_user member on member.group_id = held.group_id
      where held.project = any(${projectIds}::text[])
    ) member group by 1`);
