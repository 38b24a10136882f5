import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { tableOf } from '../../../src/data/layout/layout.js';
import { type OperationName, REQUIREMENTS } from '../../../src/data/layout/requirements.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import {
  createRole,
  runDoctor,
  runDoctorJson,
  runSql,
  type TestRole,
} from '../../testkit/attach.js';
import { cloneOverGraphql, cloneOverRest } from '../../testkit/clone-calls.js';
import { openPostgresWorld, type PostgresWorld } from '../../testkit/clone-postgres.js';
import { addCloneWorld, addFeature, CLONE_TOKENS, PEOPLE } from '../../testkit/clone-world.js';
import { createDatabase, createMigratedDatabase } from '../../testkit/database.js';
import { startReplica } from '../../testkit/postgres.js';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const open = async (databaseUrl: string): Promise<Database> => {
  const database = await openDatabase({ dataDir: 'memory://', databaseUrl });
  cleanUps.push(database.close);
  return database;
};

const serve = async (database: Database): Promise<Gateway> => {
  const gateway = await startGateway(database);
  cleanUps.push(gateway.stop);
  return gateway;
};

/** A feature whose clone and health report use every table that either can use. */
const addRichFeature = async (db: Database['client']): Promise<void> => {
  await addFeature(db, { name: 'parent' });
  await addFeature(db, {
    name: 'rich',
    environments: {
      development: {
        strategies: [
          {
            name: 'flexibleRollout',
            constraints: [{ contextName: 'country', operator: 'IN', values: ['no'] }],
            segments: [1],
          },
        ],
      },
    },
    parents: [{ feature: 'parent' }],
  });
  await db.feature.update({ where: { name: 'rich' }, data: { createdByUserId: PEOPLE.ann } });
  await db.changeRequest.create({
    data: {
      state: 'In review',
      projectId: 'shop',
      environmentName: 'development',
      createdByUserId: PEOPLE.ann,
    },
  });
  await db.$executeRaw`insert into change_request_events (feature, action, created_by, change_request_id)
    select 'rich', 'updateEnabled', created_by, id from change_requests`;
  await db.integration.create({ data: { id: 1, provider: 'webhook' } });
  await db.projectSettings.upsert({
    where: { projectId: 'plaza' },
    create: { projectId: 'plaza', mode: 'private' },
    update: { mode: 'private' },
  });
};

/** 403 if any field is rejected. */
const statusOf = async (gateway: Gateway, query: string): Promise<number> => {
  const { errors = [] } = await gateway.graphql(query);
  return errors.some(({ extensions }) => extensions?.['code'] === 'FORBIDDEN') ? 403 : 200;
};

let copies = 0;
const OPERATIONS: Readonly<Record<OperationName, (gateway: Gateway) => Promise<number>>> = {
  authentication: async (gateway) => {
    const calls = [CLONE_TOKENS.admin, CLONE_TOKENS.ben, CLONE_TOKENS.vic].map((token) =>
      gateway.rest('/api/admin/search/events', { token }),
    );
    return Math.max(...(await Promise.all(calls)).map(({ status }) => status));
  },
  searchEvents: async (gateway) => (await gateway.rest('/api/admin/search/events')).status,
  healthReport: async (gateway) =>
    (await gateway.rest('/api/admin/projects/shop/health-report')).status,
  integrationEvents: async (gateway) => (await gateway.rest('/api/admin/addons/1/events')).status,
  cloneFeature: async (gateway) => {
    copies += 1;
    return (await cloneOverRest(gateway, { source: 'rich', name: `copy-${copies}` })).status;
  },
  featureUsage: (gateway) =>
    statusOf(
      gateway,
      '{ feature(name: "rich") { environments { usage { yes lastSeenAt variants { count } } } } }',
    ),
  plannedChanges: (gateway) =>
    statusOf(
      gateway,
      `{ feature(name: "rich") {
        changeRequests { approvalCount createdByUser { name } project { name } }
        environments { releasePlans { name } strategies { milestone { name } } }
      } }`,
    ),
};

describe('a database user', () => {
  let world: PostgresWorld;
  let role: TestRole;
  beforeAll(async () => {
    world = await openPostgresWorld();
    await addRichFeature(world.db);
    role = await createRole(world.url);
    world.onClose(role.drop);
  });
  afterAll(() => world.close());

  const run = (...statements: string[]) => runSql(world.url, ...statements);
  const withoutRights = () =>
    run(
      `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role.name}`,
      `REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM ${role.name}`,
      `GRANT SELECT ON _prisma_migrations TO ${role.name}`,
    );
  const maySelectAll = () => run(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role.name}`);

  type Right = { right: string; name: string };
  const grant = ({ right, name }: Right) =>
    `GRANT ${right} ON ${right === 'USAGE' ? 'SEQUENCE ' : ''}${name} TO ${role.name}`;
  const revoke = ({ right, name }: Right) =>
    `REVOKE ${right} ON ${right === 'USAGE' ? 'SEQUENCE ' : ''}${name} FROM ${role.name}`;

  test.each(Object.keys(OPERATIONS) as OperationName[])(
    'requires for %s exactly the privileges that the doctor lists',
    async (operation) => {
      await withoutRights();
      const { report } = await runDoctorJson(role.url);
      const own: Right[] = report.operations[operation].missingRights;
      const always: Right[] = report.operations.authentication.missingRights;
      const search: Right[] = report.operations.searchEvents.missingRights;
      const further = operation === 'authentication' ? search : always;
      await run(...[...own, ...further].map(grant));

      const gateway = await serve(await open(role.url));
      expect(await OPERATIONS[operation](gateway)).toBe(200);

      const others = new Set(further.map(({ right, name }) => `${right} ${name}`));
      const unnecessary: Right[] = [];
      for (const right of own.filter((one) => !others.has(`${one.right} ${one.name}`))) {
        await run(revoke(right));
        if ((await OPERATIONS[operation](gateway)) !== 403) unnecessary.push(right);
        await run(grant(right));
      }
      expect(unnecessary).toEqual([]);
    },
  );

  test('gets the missing privileges from the statements that the doctor prints', async () => {
    await withoutRights();
    const { status, report } = await runDoctorJson(role.url);
    expect(status).toBe(1);
    expect(report.grants.join('\n')).not.toMatch(/password_hash|parameters.* ON addons/);
    await run(...report.grants);
    expect(await runDoctorJson(role.url)).toMatchObject({ status: 0, report: { grants: [] } });
  });

  test('without SELECT on a single column is reported with that column', async () => {
    await withoutRights();
    await maySelectAll();
    await run(
      `REVOKE SELECT ON events FROM ${role.name}`,
      `GRANT SELECT (id, type, data) ON events TO ${role.name}`,
    );
    const { report } = await runDoctorJson(role.url);
    const [obstacle] = report.operations.searchEvents.obstacles;
    expect(obstacle).toMatch(
      /has no SELECT on events \(created_at, created_by, .*, ip, group_type, group_id\)$/,
    );
    await run(...report.grants);
    expect((await runDoctorJson(role.url, '--read-only')).status).toBe(0);
  });

  test('with read-only privileges can read, and clones are rejected with the reason', async () => {
    await withoutRights();
    await maySelectAll();
    const { status, report } = await runDoctorJson(role.url);
    expect(status).toBe(1);
    expect(report.operations.cloneFeature.obstacles).toEqual([
      `the database user '${role.name}' has a read-only role: no INSERT on features, feature_environments, feature_strategies, feature_strategy_segment, dependent_features, events, stat_environment_updates; UPDATE on stat_environment_updates; USAGE on events_id_seq`,
    ]);
    expect((await runDoctorJson(role.url, '--read-only')).status).toBe(0);

    const database = await open(role.url);
    expect(database.warnings).toEqual([
      expect.stringMatching(/^Not available on this database: clone \(.* has a read-only role/),
    ]);
    const gateway = await serve(database);
    expect(await OPERATIONS.searchEvents(gateway)).toBe(200);
    expect(await OPERATIONS.healthReport(gateway)).toBe(200);
    const { status: rejected, body } = await cloneOverRest(gateway, { source: 'rich', name: 'x' });
    expect([rejected, body.name]).toEqual([403, 'NoAccessError']);
    expect(body.message).toContain('This gateway cannot clone features');
    expect(body.message).toContain('read-only role');
    const { data } = await cloneOverGraphql(gateway, { source: 'rich', name: 'x' });
    expect(data.cloneFeature).toMatchObject({
      __typename: 'NoAccessError',
      message: body.message,
    });
  });

  test('can use privileges granted while the gateway runs', async () => {
    await withoutRights();
    await maySelectAll();
    const gateway = await serve(await open(role.url));
    expect(await OPERATIONS.cloneFeature(gateway)).toBe(403);
    await run(...(await runDoctorJson(role.url)).report.grants);
    expect(await OPERATIONS.cloneFeature(gateway)).toBe(200);
  });

  test('without privileges on one table gets a warning, and only operations that need it are rejected', async () => {
    await withoutRights();
    await maySelectAll();
    await run(`REVOKE SELECT ON project_stats FROM ${role.name}`);
    const database = await open(role.url);
    expect(database.warnings).toContain(
      `Not available on this database: health report (the database user '${role.name}' has no SELECT on project_stats).`,
    );
    const gateway = await serve(database);
    expect(await OPERATIONS.searchEvents(gateway)).toBe(200);
    const { status, body } = await gateway.rest('/api/admin/projects/shop/health-report');
    expect([status, body.name]).toEqual([403, 'NoAccessError']);
    expect(body.message).toContain('privilege on table project_stats');
  });

  test('without SELECT on users and tokens stops the start with the grants to add', async () => {
    await withoutRights();
    await maySelectAll();
    await run(`REVOKE SELECT ON api_tokens, users FROM ${role.name}`);
    await expect(open(role.url)).rejects.toThrow(
      /^The gateway cannot run on this database: the database user '.*' has no SELECT on api_tokens, users\. .*doctor --print-grants/,
    );
  });

  test('without SELECT on the migration history is reported by the doctor', async () => {
    await withoutRights();
    await maySelectAll();
    await run(`REVOKE ALL ON _prisma_migrations FROM ${role.name}`);
    const { status, report } = await runDoctorJson(role.url);
    expect(status).toBe(1);
    expect(report.layout).toEqual({ owner: 'unreadable' });
    await expect(open(role.url)).rejects.toThrow(/cannot be prepared: .*_prisma_migrations/);
  });

  test('with read-only sessions is reported as such', async () => {
    const url = new URL(world.url);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const { status, report } = await runDoctorJson(url.href);
    expect(status).toBe(1);
    expect(report.database).toMatchObject({ isReplica: false, isReadOnly: true });
    const database = await open(url.href);
    expect(database.warnings.join()).toContain('default_transaction_read_only');
    const gateway = await serve(database);
    const { status: rejected, body } = await cloneOverRest(gateway, { source: 'rich', name: 'x' });
    expect(rejected).toBe(403);
    expect(body.message).toContain('default_transaction_read_only is on');
  });
});

test('the doctor checks the tables of newer token kinds where they exist', async () => {
  const { url, drop } = await createMigratedDatabase();
  cleanUps.push(drop);
  const role = await createRole(url);
  cleanUps.push(role.drop);
  await runSql(
    url,
    `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role.name}`,
    `CREATE TABLE api_tokens_v2 (selector text PRIMARY KEY, verifier text NOT NULL,
      token_name text NOT NULL, type text NOT NULL, expires_at timestamptz)`,
  );
  const { report } = await runDoctorJson(role.url);
  expect(report.operations.authentication.missingRights).toEqual([
    {
      right: 'SELECT',
      name: 'api_tokens_v2',
      columns: [],
      needed: ['selector', 'verifier', 'token_name', 'type', 'expires_at'],
    },
  ]);
});

test('every required model has columns', () => {
  const models = Object.values(REQUIREMENTS).flatMap(({ reads }) => reads);
  expect(models.filter((model) => tableOf(model).columns.length === 0)).toEqual([]);
});

describe('a replica', () => {
  let url: string;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const server = await startReplica(async (primaryUrl) => {
      const database = await openDatabase({ dataDir: 'memory://', databaseUrl: primaryUrl });
      await addCloneWorld(database.client);
      await addRichFeature(database.client);
      await database.close();
    });
    ({ adminUrl: url, stop } = server);
  });
  afterAll(() => stop());

  test('serves reads and rejects clones with the reason', async () => {
    const database = await open(url);
    expect(database.warnings).toEqual([
      'Not available on this database: clone (the database is a read replica).',
    ]);
    const gateway = await serve(database);
    expect(await OPERATIONS.searchEvents(gateway)).toBe(200);
    expect(await OPERATIONS.healthReport(gateway)).toBe(200);
    expect(await OPERATIONS.integrationEvents(gateway)).toBe(200);
    const { status, body } = await cloneOverRest(gateway, { source: 'rich', name: 'x' });
    expect([status, body.name]).toEqual([403, 'NoAccessError']);
    expect(body.message).toBe(
      'This gateway cannot clone features: the database is a read replica.',
    );
  });

  test('is detected by the doctor, which changes nothing there', async () => {
    const { status, report } = await runDoctorJson(url);
    expect(status).toBe(1);
    expect(report.database).toMatchObject({ isReplica: true, isReadOnly: true });
    expect((await runDoctorJson(url, '--read-only')).status).toBe(0);
    expect((await runDoctorJson(url, '--read-only', '--apply-indexes')).report.built).toEqual([]);
  });
});

describe('a schema other than public', () => {
  const database = async () => {
    const { url, drop } = await createDatabase();
    cleanUps.push(drop);
    return url;
  };
  const schemaOf = async (url: string) => (await runDoctorJson(url)).report.database.schema;
  const check = async (url: string) => {
    const opened = await open(url);
    await addCloneWorld(opened.client);
    await addRichFeature(opened.client);
    const gateway = await serve(opened);
    for (const call of Object.values(OPERATIONS)) expect(await call(gateway)).toBe(200);
  };
  const tablesIn = async (url: string) =>
    (
      await runSql(
        url,
        `SELECT DISTINCT relnamespace::regnamespace::text AS schema FROM pg_class
         WHERE relname IN ('events', 'features', '_prisma_migrations')`,
      )
    ).map(({ schema }) => schema);

  test('is served when the database URL names it', async () => {
    const url = new URL(await database());
    await runSql(url.href, 'CREATE SCHEMA "Flags"');
    const plain = url.href;
    url.searchParams.set('schema', 'Flags');
    await check(url.href);
    expect(await tablesIn(plain)).toEqual(['"Flags"']);
    expect(await schemaOf(url.href)).toBe('Flags');

    await runSql(plain, 'DROP INDEX "Flags".flaggraph_events_type_id');
    const { status, report } = await runDoctorJson(url.href, '--apply-indexes');
    expect(status).toBe(0);
    expect(report.built).toEqual([{ name: 'flaggraph_events_type_id', result: 'built' }]);
  });

  test('is served when it comes first in the search path of the user', async () => {
    const url = await database();
    const role = await createRole(url);
    cleanUps.push(role.drop);
    await runSql(
      url,
      `CREATE SCHEMA "my flags" AUTHORIZATION ${role.name}`,
      `ALTER ROLE ${role.name} SET search_path = "my flags", public`,
    );
    await check(role.url);
    expect(await tablesIn(url)).toEqual(['"my flags"']);
    await runSql(url, 'DROP INDEX "my flags".flaggraph_events_type_id');
    const { report } = await runDoctorJson(role.url);
    expect(report.database.schema).toBe('my flags');
    await runSql(
      url,
      report.indexes.find(({ state }: { state: string }) => state === 'missing').statement,
    );
    expect((await runDoctorJson(role.url)).status).toBe(0);
  });

  test("is skipped when it is the user's own, empty, and the tables are elsewhere", async () => {
    const { url, drop } = await createMigratedDatabase();
    cleanUps.push(drop);
    const role = await createRole(url);
    cleanUps.push(role.drop);
    await runSql(
      url,
      `CREATE SCHEMA AUTHORIZATION ${role.name}`,
      `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role.name}`,
    );
    expect(await schemaOf(role.url)).toBe('public');
    expect(await open(role.url)).toMatchObject({ ownership: 'flaggraph', isNew: false });
  });

  test('is requested when the URL omits it, and no tables are created beside those in it', async () => {
    const { url, drop } = await createMigratedDatabase();
    cleanUps.push(drop);
    await runSql(url, 'ALTER SCHEMA public RENAME TO flags', 'CREATE SCHEMA public');
    const message = /^The tables are in schema 'flags', not in schema 'public'\. .*\?schema=flags/;
    await expect(open(url)).rejects.toThrow(message);
    expect((await runDoctor({ DATABASE_URL: url })).stderr).toContain('?schema=flags');
    expect(await tablesIn(url)).toEqual(['flags']);

    const named = new URL(url);
    named.searchParams.set('schema', 'flags');
    expect(await open(named.href)).toMatchObject({ isNew: false });
    named.searchParams.set('schema', 'public');
    expect(await open(named.href)).toMatchObject({ isNew: true });
  });

  test('is named in the error when it does not exist', async () => {
    const url = new URL(await database());
    url.searchParams.set('schema', 'nowhere');
    await expect(open(url.href)).rejects.toThrow("The schema 'nowhere' of DATABASE_URL");
    url.searchParams.delete('schema');
    url.searchParams.set('options', '-c search_path=nowhere');
    await expect(open(url.href)).rejects.toThrow('contains no schema that exists');
  });
});
