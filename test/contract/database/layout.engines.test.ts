import { afterEach, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { neededColumns } from '../../../src/data/layout/layout.js';
import {
  createMigratedDatabase,
  describeOn,
  describeWithDatabase,
} from '../../testkit/database.js';

describeWithDatabase('a database created by the gateway', (open, kind) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });

  test('has the initial rows of every installation', async () => {
    const { client } = database;
    expect(database).toMatchObject({ kind, ownership: 'flaggraph', isNew: false });

    const roles = await client.role.findMany({ orderBy: { id: 'asc' }, include: { grants: true } });
    expect(roles.map(({ name, type, grants }) => [name, type, grants.length])).toEqual([
      ['Admin', 'root', 1],
      ['Editor', 'root', 49],
      ['Viewer', 'root', 1],
      ['Owner', 'project', 26],
      ['Member', 'project', 23],
    ]);
    expect(
      await client.permission.groupBy({ by: ['type'], _count: true, orderBy: { type: 'asc' } }),
    ).toEqual([
      { type: 'environment', _count: 8 },
      { type: 'project', _count: 20 },
      { type: 'root', _count: 37 },
    ]);
    const project = await client.project.findUniqueOrThrow({
      where: { id: 'default' },
      include: { environments: { orderBy: { environmentName: 'asc' } } },
    });
    expect(project.environments.map((link) => link.environmentName)).toEqual([
      'development',
      'production',
    ]);
    const system = await client.user.findMany({
      where: { isSystem: true },
      orderBy: { id: 'asc' },
    });
    expect(system.map(({ id, username }) => [id, username])).toEqual([
      [-1337, 'unleash_system_user'],
      [-42, 'unleash_admin_token'],
    ]);
  });

  test('assigns IDs to new rows after the initial ones', async () => {
    const { client } = database;
    expect(await client.role.create({ data: { name: 'Auditor' } })).toMatchObject({ id: 6 });
    expect(await client.user.create({ data: { username: 'ada' } })).toMatchObject({ id: 1 });
  });

  test('counts events per day and environment', async () => {
    const { client } = database;
    const createdAt = new Date('2026-03-01T23:30:00Z');
    const event = { type: 'feature-created', createdBy: 'ada', createdAt };
    await client.event.createMany({
      data: [
        { ...event, environment: 'production' },
        { ...event, environment: 'production' },
        { ...event, environment: 'development' },
        event,
      ],
    });
    const counts = await client.$queryRaw`
      SELECT day::text, environment, updates::int FROM stat_environment_updates ORDER BY environment`;
    expect(counts).toEqual([
      { day: '2026-03-01', environment: 'development', updates: 1 },
      { day: '2026-03-01', environment: 'production', updates: 2 },
    ]);
  });

  test('has one row per environment, strategy and segment in its feature view, without release plans', async () => {
    const { client } = database;
    await client.feature.create({ data: { name: 'checkout', createdByUserId: -42 } });
    await client.feature.create({ data: { name: 'bare' } });
    await client.featureEnvironment.create({
      data: { featureName: 'checkout', environmentName: 'production', enabled: true },
    });
    const strategy = {
      featureName: 'checkout',
      environmentName: 'production',
      projectId: 'default',
      name: 'default',
    };
    await client.strategy.create({ data: { ...strategy, id: 's1' } });
    await client.$executeRaw`INSERT INTO release_plan_definitions (id, discriminator, name, created_by_user_id)
      VALUES ('p', 'plan', 'p', -1337)`;
    await client.$executeRaw`INSERT INTO milestones (id, name, sort_order, release_plan_definition_id)
      VALUES ('m', 'm', 0, 'p')`;
    await client.strategy.create({ data: { ...strategy, id: 's2', milestoneId: 'm' } });
    for (const name of ['eu', 'beta']) {
      const segment = await client.segment.create({ data: { name } });
      await client.strategySegment.create({ data: { strategyId: 's1', segmentId: segment.id } });
    }

    const rows = await client.$queryRaw`
      SELECT name, environment, environment_type, strategy_id, segments, user_username
      FROM features_view ORDER BY name, segments`;
    const row = {
      environment: 'production',
      environment_type: 'production',
      strategy_id: 's1',
      user_username: 'unleash_admin_token',
    };
    expect(rows).toEqual([
      {
        name: 'bare',
        environment: null,
        environment_type: null,
        strategy_id: null,
        segments: null,
        user_username: null,
      },
      { name: 'checkout', ...row, segments: 1 },
      { name: 'checkout', ...row, segments: 2 },
    ]);
  });
});

describeOn('postgres', 'a database of Unleash', () => {
  const cleanUps: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  /** Tables of the gateway with the migration history of Unleash, after `change`. */
  const original = async (change: string): Promise<string> => {
    const { url, drop } = await createMigratedDatabase();
    cleanUps.push(drop);
    const { client, close } = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
    await client.$executeRaw`DROP TABLE _prisma_migrations`;
    await client.$executeRaw`CREATE TABLE migrations (id serial PRIMARY KEY, name varchar(255), run_on timestamp)`;
    for (const statement of change.split(';')) await client.$executeRawUnsafe(statement);
    await close();
    return url;
  };

  const open = async (databaseUrl: string): Promise<Database> => {
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl });
    cleanUps.push(database.close);
    return database;
  };

  test('is attached without changes', async () => {
    const url = await original('DROP INDEX flaggraph_events_type_id');
    const { client, ...database } = await open(url);
    expect(database).toMatchObject({ ownership: 'unleash', isNew: false });
    expect(
      await client.$queryRaw`SELECT to_regclass('_prisma_migrations')::text AS ours,
      to_regclass('flaggraph_events_type_id')::text AS index`,
    ).toEqual([{ ours: null, index: null }]);
  });

  test('may lack objects that the gateway does not need', async () => {
    const url = await original(
      'ALTER TABLE addons DROP COLUMN parameters; ALTER TABLE users DROP COLUMN scim_id; DROP TABLE unleash_session',
    );
    expect(await open(url)).toMatchObject({ ownership: 'unleash' });
  });

  test('is rejected with the names of all missing objects', async () => {
    const url = await original(
      'ALTER TABLE events DROP COLUMN pre_data; ALTER TABLE projects DROP COLUMN health; DROP TABLE project_stats',
    );
    const opening = open(url);
    await expect(opening).rejects.toThrow(
      'Missing: events.pre_data, projects.health, table project_stats.',
    );
    await expect(opening).rejects.toMatchObject({ name: 'LayoutError' });
  });
});

describeOn('postgres', 'the required columns', () => {
  test('are those of the Prisma schema, with their database names', async () => {
    const needed = neededColumns();
    expect(needed.size).toBeGreaterThan(30);
    expect(needed.get('project_environments')).toEqual([
      'project_id',
      'environment_name',
      'default_strategy',
    ]);
    expect(needed.get('addons')).not.toContain('parameters');
  });
});
