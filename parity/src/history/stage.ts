import { type Gateway, startGateway } from '../gateway.js';
import type { PartContext } from '../part.js';
import { startUpstream, type Upstream } from '../upstream.js';
import { type AdminApi, createAdminApi } from '../world/admin-api.js';
import { createTables } from '../world/filled-database.js';
import { pauseBackgroundWork } from '../world/pause-background-work.js';
import { openSql, type Sql } from '../world/sql.js';

/** Upstream and the gateway on one database. */
export type Stage = {
  sql: Sql;
  api: AdminApi;
  upstream: Upstream;
  gateway: Gateway;
  stop(): Promise<void>;
};

export const PROJECTS = ['default', 'second'] as const;
export const ENVIRONMENTS = ['development', 'production'] as const;

/** Upstream without a license creates no projects. */
const addProject = async (sql: Sql): Promise<void> => {
  const [, id] = PROJECTS;
  await sql.insert('projects', [{ id, name: 'Second' }]);
  await sql.insert('project_settings', [{ project: id, project_mode: 'open' }]);
  await sql.insert(
    'project_environments',
    ENVIRONMENTS.map((name) => ({ project_id: id, environment_name: name })),
  );
};

export const startStage = async ({
  databases,
  version,
  progress,
  gateway: program,
}: PartContext): Promise<Stage> => {
  const onProgress = (message: string) => progress.log(`${version}: ${message}`);
  const url = await createTables(databases, version, 'history', onProgress);
  const sql = await openSql(url);
  await pauseBackgroundWork(sql);
  await addProject(sql);
  const upstream = await startUpstream(version, url, { announces: false });
  const gateway = await startGateway(url, program === undefined ? {} : { program });
  return {
    sql,
    api: createAdminApi(upstream.url),
    upstream,
    gateway,
    stop: async () => {
      await sql.close();
      await Promise.all([upstream.stop(), gateway.stop()]);
    },
  };
};
