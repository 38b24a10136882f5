import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { tokenCommand } from '../../../src/cli/token.js';
import { openDatabase } from '../../../src/data/connect.js';
import { readMigrations } from '../../../src/data/layout/migrations-folder.js';
import {
  convertToUnleash,
  createRole,
  runDoctor,
  runDoctorJson,
  runSql,
} from '../../testkit/attach.js';
import {
  createDatabase,
  createMigratedDatabase,
  embeddedTemplate,
  type TestDatabase,
} from '../../testkit/database.js';

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const temporary = async (database: Promise<TestDatabase>): Promise<string> => {
  const { url, drop } = await database;
  cleanUps.push(drop);
  return url;
};

const temporaryRole = async (url: string) => {
  const role = await createRole(url);
  cleanUps.push(role.drop);
  return role;
};

const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'flaggraph-doctor-'));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const MIGRATIONS = readMigrations().map(({ name }) => name);

describe('a database owned by the gateway', () => {
  test('has no problems', async () => {
    const url = await temporary(createMigratedDatabase());
    const { status, text, stderr } = await runDoctor({ DATABASE_URL: url });
    expect(status).toBe(0);
    expect(stderr).toBe('');
    expect(text).toContain(
      `created by the gateway: ${MIGRATIONS.length} migrations applied, 0 pending`,
    );
    for (const line of ['✓ authentication', '✓ event search', '✓ clone']) {
      expect(text).toContain(line);
    }
    expect(text).toMatch(
      /✓ events \(project, type, id\): flaggraph_events_project_type_id, \d+ kB/,
    );
    expect(text).toMatch(/✓ No problems found\.$/);
    expect(text).not.toContain('\u001b');
  });

  test('is reported to scripts under fixed keys', async () => {
    const url = await temporary(createMigratedDatabase());
    const { report } = await runDoctorJson(url);
    expect(report).toMatchObject({
      status: 'fine',
      database: {
        kind: 'postgres',
        place: new URL(url).host + new URL(url).pathname,
        schema: 'public',
        role: new URL(url).username,
        serverVersion: expect.stringMatching(/^\d+\.\d+$/),
        isReplica: false,
        isReadOnly: false,
        encoding: 'UTF8',
        collation: expect.any(String),
        ctype: expect.any(String),
        timeZone: { server: expect.any(String), gateway: 'UTC' },
      },
      layout: {
        owner: 'flaggraph',
        applied: MIGRATIONS,
        pending: [],
        unfinished: [],
      },
      events: { count: 0, isExact: true },
      sequence: { name: 'events_id_seq', cache: 1 },
      grants: [],
      built: [],
      faults: [],
      recommendations: [],
    });
    expect(Object.keys(report.operations)).toEqual([
      'authentication',
      'searchEvents',
      'healthReport',
      'integrationEvents',
      'cloneFeature',
      'featureUsage',
      'plannedChanges',
    ]);
    expect(report.operations.cloneFeature).toEqual({
      isPossible: true,
      missingTables: [],
      missingColumns: [],
      missingRights: [],
      obstacles: [],
    });
  });

  test('with a pending migration has to be started once, and its indexes are not created', async () => {
    const url = await temporary(createMigratedDatabase());
    await runSql(
      url,
      "DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_search_indexes'",
      'DROP INDEX flaggraph_events_type_id',
    );
    const { status, report, stderr } = await runDoctorJson(url, '--apply-indexes');
    expect(status).toBe(2);
    expect(report.layout.pending).toEqual(['20260101000100_search_indexes']);
    expect(report.recommendations[0]).toContain('Start the gateway once');
    expect(stderr).toContain('at its next start');
    expect(report.built).toEqual([]);
    expect(
      await runSql(url, "SELECT to_regclass('flaggraph_events_type_id')::text AS name"),
    ).toEqual([{ name: null }]);
  });

  test('with an unfinished migration cannot be started', async () => {
    const url = await temporary(createMigratedDatabase());
    await runSql(url, 'UPDATE _prisma_migrations SET finished_at = NULL');
    const { status, report } = await runDoctorJson(url);
    expect(status).toBe(1);
    expect(report.faults).toHaveLength(MIGRATIONS.length);
  });
});

describe('a database owned by Unleash', () => {
  test.each([
    { migrations: ['20250110130010-add-permission-cors'], version: '6.6', notes: [] },
    {
      migrations: ['20240101000000-long-ago'],
      version: 'older than 6.6',
      notes: [expect.stringContaining('this one is older than 6.6')],
    },
    {
      migrations: ['20250110130010-add-permission-cors', '20991231000000-not-yet-made'],
      version: 'newer than 8.2',
      notes: [expect.stringContaining('this one is newer than 8.2')],
    },
  ])('is identified as $version and served', async ({ migrations, version, notes }) => {
    const url = await temporary(createMigratedDatabase());
    await convertToUnleash(url, migrations);
    const { status, report } = await runDoctorJson(url);
    expect(status).toBe(2);
    expect(report.layout).toMatchObject({
      owner: 'unleash',
      unleash: { lastMigration: migrations.at(-1), version },
    });
    expect(report.notes).toEqual(notes);

    const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
    await database.close();
    expect(database).toMatchObject({ ownership: 'unleash', warnings: [] });
  });

  test('is served when its migration history cannot be read', async () => {
    const url = await temporary(createMigratedDatabase());
    await convertToUnleash(url);
    const role = await temporaryRole(url);
    await runSql(
      url,
      `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role.name}`,
      `REVOKE ALL ON migrations FROM ${role.name}`,
    );
    const { status, report } = await runDoctorJson(role.url, '--read-only');
    expect(status).toBe(2);
    expect(report.layout).toEqual({ owner: 'unleash', unleash: null });
    expect(report.notes).toEqual([expect.stringContaining('version of Unleash is unknown')]);
  });

  test('that lacks tables and columns is reported per operation', async () => {
    const url = await temporary(createMigratedDatabase());
    await convertToUnleash(url, ['20240101000000-long-ago']);
    await runSql(url, 'ALTER TABLE events DROP COLUMN pre_data', 'DROP TABLE project_stats');
    const { status, report } = await runDoctorJson(url);
    expect(status).toBe(1);
    const { authentication, searchEvents, healthReport, integrationEvents } = report.operations;
    expect(authentication.isPossible).toBe(true);
    expect(integrationEvents.isPossible).toBe(true);
    expect(searchEvents).toMatchObject({ isPossible: false, missingColumns: ['events.pre_data'] });
    expect(healthReport).toMatchObject({
      missingTables: ['project_stats'],
      missingColumns: ['events.pre_data'],
    });
    expect(healthReport.obstacles).toEqual([
      'the database lacks table project_stats, events.pre_data',
    ]);
    await expect(openDatabase({ dataDir: 'memory://', databaseUrl: url })).rejects.toThrow(
      'Missing: events.pre_data, table project_stats.',
    );
  });

  test('with many events is reported with an estimated count', async () => {
    const url = await temporary(createMigratedDatabase());
    await runSql(url, "UPDATE pg_class SET reltuples = 2500000 WHERE relname = 'events'");
    const { text } = await runDoctor({ DATABASE_URL: url });
    expect(text).toContain('about 2,500,000 events (estimated)');
    const { report } = await runDoctorJson(url);
    expect(report.events).toEqual({ count: 2_500_000, isExact: false });
  });

  test('whose event sequence has a cache is reported with a recommendation', async () => {
    const url = await temporary(createMigratedDatabase());
    await runSql(url, 'ALTER SEQUENCE events_id_seq CACHE 20');
    const { status, report } = await runDoctorJson(url);
    expect(status).toBe(2);
    expect(report.sequence).toEqual({ name: 'events_id_seq', cache: 20 });
    expect(report.recommendations).toEqual([
      expect.stringContaining('Set the cache of events_id_seq to 1'),
    ]);
  });

  test('that hides rows by row-level security is reported with the tables', async () => {
    const url = await temporary(createMigratedDatabase());
    const role = await temporaryRole(url);
    await runSql(
      url,
      `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role.name}`,
      'ALTER TABLE features ENABLE ROW LEVEL SECURITY',
    );
    const { report } = await runDoctorJson(role.url);
    expect(report.notes).toEqual([
      expect.stringContaining('hides rows from this user in features'),
    ]);
  });
});

test('the doctor does not wait for a locked table', async () => {
  const url = await temporary(createMigratedDatabase());
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  try {
    await other.query('begin');
    await other.query('lock table events in access exclusive mode');
    const { status, stderr } = await runDoctor({ DATABASE_URL: url });
    expect(status).toBe(3);
    expect(stderr).toContain('Another session has locked the tables');
  } finally {
    await other.end();
  }
});

describe('any other database', () => {
  test('that is empty is left empty', async () => {
    const url = await temporary(createDatabase());
    const { status, text, stderr } = await runDoctor({ DATABASE_URL: url }, '--apply-indexes');
    expect(status).toBe(1);
    expect(text).toContain('✗ no tables');
    expect(text).toContain('creates its own tables when it starts');
    expect(stderr).toBe('');
    expect(
      await runSql(url, "SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace"),
    ).toEqual([]);
  });

  test('that is empty is reported with the privilege the user lacks to create tables', async () => {
    const url = await temporary(createDatabase());
    const role = await temporaryRole(url);
    const { status, text } = await runDoctor({ DATABASE_URL: role.url });
    expect(status).toBe(1);
    const [, grant] = /may not: (GRANT CREATE .*;)$/m.exec(text) ?? [];
    await runSql(url, grant ?? '');
    expect((await runDoctor({ DATABASE_URL: role.url })).text).toContain(
      'creates its own tables when it starts',
    );
  });

  test('with tables of another application is reported as such', async () => {
    const url = await temporary(createDatabase());
    await runSql(url, 'CREATE TABLE invoices (id integer)');
    const { status, text } = await runDoctor({ DATABASE_URL: url });
    expect(status).toBe(1);
    expect(text).toContain('tables of neither the gateway nor Unleash');
  });
});

describe('the embedded database', () => {
  test('is examined and repaired while no process has it open', async () => {
    const dataDir = temporaryFolder();
    const database = await openDatabase({ dataDir, embeddedTemplate: embeddedTemplate() });
    await database.client.$executeRaw`DROP INDEX flaggraph_events_type_id`;

    const locked = await runDoctor({ DATA_DIR: dataDir }, '--json');
    expect(locked.status).toBe(3);
    expect(locked.stderr).toContain('is in use by');
    expect(JSON.parse(locked.text)).toMatchObject({ status: 'unusable' });
    await database.close();

    const rebuilt = await runDoctor({ DATA_DIR: dataDir }, '--apply-indexes');
    expect(rebuilt.stderr).toContain('flaggraph_events_type_id: done');
    expect(rebuilt.text).toContain(`at ${dataDir}, schema public`);
    expect(rebuilt.text).toContain('✓ events (type, id): flaggraph_events_type_id');
    expect(rebuilt.status).toBe(0);
  });

  test('is not created when it does not exist', async () => {
    const dataDir = join(temporaryFolder(), 'nothing');
    const { status, stderr } = await runDoctor({ DATA_DIR: dataDir });
    expect(status).toBe(3);
    expect(stderr).toContain('no embedded database');
    expect(existsSync(dataDir)).toBe(false);
  });

  test('is not created by the token command', async () => {
    const dataDir = join(temporaryFolder(), 'nothing');
    const command = tokenCommand({ env: { DATA_DIR: dataDir }, print: () => undefined });
    const listing = command.commands.find((each) => each.name() === 'list');
    listing?.exitOverride().configureOutput({ writeErr: () => undefined });
    await expect(command.parseAsync(['list'], { from: 'user' })).rejects.toThrow(
      /no embedded database/,
    );
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe('invalid settings', () => {
  test('end with exit status 3, without the password', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => free.once('listening', resolve));
    const address = free.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await new Promise((resolve) => free.close(resolve));

    const url = `postgresql://ada:secret-word@127.0.0.1:${port}/flags`;
    for (const args of [[], ['--json']]) {
      const { status, text, stderr } = await runDoctor({ DATABASE_URL: url }, ...args);
      expect(status).toBe(3);
      expect(stderr).toContain(`127.0.0.1:${port}/flags cannot be reached`);
      expect(text + stderr).not.toContain('secret-word');
    }
    const wrong = await runDoctor({ DATABASE_URL: 'mysql://ada:secret-word@localhost/flags' });
    expect(wrong.status).toBe(3);
    expect(wrong.stderr).toContain('DATABASE_URL');
    expect(wrong.text + wrong.stderr).not.toContain('secret-word');
  });

  test('never reveal the password of a reachable database', async () => {
    const url = await temporary(createMigratedDatabase());
    const role = await temporaryRole(url);
    const { text, stderr } = await runDoctor({ DATABASE_URL: role.url });
    expect(text).toContain(`user ${role.name}`);
    expect(text + stderr).not.toContain(new URL(role.url).password);
  });

  test('are rejected when options conflict', async () => {
    const { stderr } = await runDoctor({}, '--with-text-index');
    expect(stderr).toContain('requires --apply-indexes');
  });
});

test('the help lists the exit statuses', async () => {
  const { status, text } = await runDoctor({}, '--help');
  expect(status).toBe(0);
  for (const option of ['--json', '--read-only', '--apply-indexes', '--with-text-index']) {
    expect(text).toContain(option);
  }
  expect(text).toMatch(/0 {4}no problems found[\s\S]*1 {4}[\s\S]*2 {4}[\s\S]*3 {4}[\s\S]*130 {2}/);
});
