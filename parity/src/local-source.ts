import type { ParityRequest } from './request.js';
import type { View } from './view.js';
import type { Sql } from './world/sql.js';

/** Moves the source to the target project during a request, because newer versions clone only within a project. */
export const withLocalSource = async (
  sql: Sql,
  { clone }: ParityRequest,
  work: () => Promise<View>,
): Promise<View> => {
  const { source = '', project = '' } = clone ?? {};
  const [feature] = await sql.query<{ project: string | null }>(
    'select project from features where name = $1',
    [source],
  );
  const [settings] = await sql.query<{ feature_limit: number | null; size: number }>(
    `select feature_limit, (select count(*)::int from features where project = $1 and archived_at is null) as size
     from project_settings where project = $1`,
    [project],
  );
  const limit = settings?.feature_limit ?? null;
  // The moved source must not count: raises the limit by one, or removes it for an empty project, where it has no
  // effect.
  const raised = limit === null || settings?.size === 0 ? null : limit + 1;
  const moveSource = async (where: string | null, allowed: number | null) => {
    await sql.query('update features set project = $2 where name = $1', [source, where]);
    await sql.query('update project_settings set feature_limit = $2 where project = $1', [
      project,
      allowed,
    ]);
  };
  await moveSource(project, feature?.project === project ? limit : raised);
  try {
    return await work();
  } finally {
    await moveSource(feature?.project ?? null, limit);
  }
};
