import { isAtLeast } from '../version.js';
import type { Sql } from './sql.js';

/** IDs of the projects visible to each caller by the private project rules, without callers that are not limited. */
export type VisibleProjects = Readonly<Record<string, readonly string[]>>;

const LIMITED = `
  exists (select from role_user h join roles r on r.id = h.role_id
    where h.user_id = $1 and r.name = 'Viewer' and r.type = 'root')`;

const LIFTED = `
  exists (select from group_user m join groups g on g.id = m.group_id join roles r on r.id = g.root_role_id
    where m.user_id = $1 and r.name in ('Admin', 'Editor') and r.type = 'root')`;

const VISIBLE = `
  select p.id from projects p left join project_settings s on s.project = p.id
  where coalesce(s.project_mode, 'open') <> 'private'
    or p.id in (select project from role_user where user_id = $1)
    or p.id in (select h.project from group_role h join group_user m using (group_id) where m.user_id = $1)`;

/** Read after the world is filled. Enterprise limits Viewers; the open source edition limits no user. */
export const readVisibleProjects = async (
  sql: Sql,
  version: string,
  userIds: Readonly<Record<string, number>>,
): Promise<VisibleProjects> => {
  const limit = isAtLeast(version, '7.0.0') ? `${LIMITED} and not ${LIFTED}` : LIMITED;
  const visible: Record<string, readonly string[]> = {};
  for (const [caller, id] of Object.entries(userIds)) {
    const { limited } = await sql.one<{ limited: boolean }>(`select ${limit} as limited`, [id]);
    if (!limited) continue;
    const projects = await sql.query<{ id: string }>(VISIBLE, [id]);
    visible[caller] = projects.map((project) => project.id);
  }
  return visible;
};
