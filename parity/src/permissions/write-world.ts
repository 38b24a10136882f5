import type { Sql } from '../world/sql.js';
import type { World } from './world.js';
import { writeFeatures } from './write-features.js';
import { writePeople } from './write-people.js';

const EARLIER = '2020-01-01T00:00:00.000Z';

/** The integration whose deliveries are requested. */
export const INTEGRATION_ID = 1;

const writeProjects = async (sql: Sql, { projects, environments }: World): Promise<void> => {
  await sql.insert(
    'environments',
    environments.map((name) => ({
      name,
      type: 'test',
      // Sorts before the default environments: an error names the first environment without permission.
      sort_order: 1,
      enabled: true,
      protected: false,
    })),
  );
  const added = projects.filter(({ id }) => id !== 'default');
  await sql.insert(
    'projects',
    added.map(({ id, isArchived }) => ({
      id,
      name: id,
      description: '',
      health: 100,
      updated_at: EARLIER,
      ...(isArchived && { archived_at: EARLIER }),
    })),
  );
  await sql.insert(
    'project_settings',
    projects.flatMap(({ id, mode }) => (mode ? [{ project: id, project_mode: mode }] : [])),
  );
  await sql.query(
    `insert into project_environments (project_id, environment_name)
     select * from unnest($1::text[], $2::text[]) on conflict do nothing`,
    [
      projects.flatMap(({ id, environments: linked }) => linked.map(() => id)),
      projects.flatMap(({ environments: linked }) => linked),
    ],
  );
};

const writeLog = async (sql: Sql, { events, deliveries, authorId }: World): Promise<void> => {
  await sql.insert(
    'events',
    events.map(({ id, type, project }) => ({
      id,
      type,
      project,
      created_by: 'permissions',
      created_by_user_id: authorId,
      data: { name: `of ${project}` },
      tags: [],
      feature_name: project && `flag-of-${project}`,
      environment: null,
      announced: true,
      created_at: new Date().toISOString(),
    })),
  );
  // Later events must have larger IDs.
  await sql.query(
    `select setval(pg_get_serial_sequence('events', 'id'), (select max(id) from events))`,
  );
  await sql.query(
    `insert into addons (id, provider, parameters, events) values ($1, 'webhook', '{}', '[]')
     on conflict do nothing`,
    [INTEGRATION_ID],
  );
  await sql.insert(
    'integration_events',
    deliveries.map(({ id, project }) => ({
      id,
      integration_id: INTEGRATION_ID,
      state: 'success',
      state_details: '',
      event: { id, type: 'feature-created', createdBy: 'permissions', data: {}, project },
      details: {},
      created_at: new Date().toISOString(),
    })),
  );
};

/** Deletes the data of earlier worlds except their events. */
export const clearWorld = async (sql: Sql): Promise<void> => {
  for (const statement of [
    'delete from features',
    `delete from unleash_session`,
    `delete from api_tokens where username = 'permissions'`,
    `delete from groups where created_by = 'permissions'`,
    `delete from users where username like 'user-%'`,
    `delete from roles where type in ('custom', 'root-custom')`,
    `delete from projects where id <> 'default'`,
    `delete from project_settings`,
    `delete from environments where name not in ('default', 'development', 'production')`,
    'delete from integration_events',
  ]) {
    await sql.query(statement);
  }
};

/** Writes a world directly to the tables, because the open source edition has no routes for it. */
export const writeWorld = async (sql: Sql, world: World): Promise<void> => {
  await writeProjects(sql, world);
  await writePeople(sql, world);
  await writeFeatures(sql, world);
  await writeLog(sql, world);
};
