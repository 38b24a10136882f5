import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readRecommendedIndexes } from '../../../src/data/doctor/recommended-indexes.js';
import { UNLEASH_VERSIONS } from '../../../src/data/doctor/unleash-version.js';
import {
  convertToUnleash,
  createRole,
  runDoctor,
  runDoctorJson,
  runSql,
} from '../../testkit/attach.js';
import { createMigratedDatabase } from '../../testkit/database.js';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const TYPE_INDEX = 'flaggraph_events_type_id';
const STATES = `SELECT indexrelid::regclass::text AS name, indisvalid AS valid
  FROM pg_index WHERE indexrelid::regclass::text LIKE 'flaggraph_%' ORDER BY 1`;

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Tables of an Unleash version (default: the newest), without indexes of the gateway. */
const attached = async (
  { lastMigration }: { lastMigration: string } = UNLEASH_VERSIONS[3],
): Promise<string> => {
  const { url, drop } = await createMigratedDatabase();
  cleanUps.push(drop);
  await convertToUnleash(url, [lastMigration]);
  return url;
};

const stateOf = async (url: string, name: string) => {
  const { report } = await runDoctorJson(url);
  return report.indexes.find((index: { name: string }) => index.name === name);
};

describe('missing indexes', () => {
  test('are reported with one statement each, which creates exactly that index', async () => {
    const url = await attached();
    const { status, report } = await runDoctorJson(url);
    expect(status).toBe(2);
    expect(report.indexes).toHaveLength(readRecommendedIndexes().length);
    for (const index of report.indexes) {
      expect(index).toMatchObject({ state: 'missing', servedBy: null, mayCreate: true });
      expect(index.bytes).toBeGreaterThan(0);
      await runSql(url, index.statement);
    }
    const afterwards = await runDoctorJson(url);
    expect(afterwards.status).toBe(0);
    expect(afterwards.report.indexes.map(({ state }: { state: string }) => state)).toEqual(
      report.indexes.map(() => 'present'),
    );
  });

  test('are created one by one, and nothing else is', async () => {
    const url = await attached();
    const everythingElse = `
      SELECT c.relname, c.relkind, c.relowner, c.relacl::text, a.attname, a.atttypid
      FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND c.relkind <> 'i'
      WHERE c.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE 'flaggraph%' ORDER BY 1, 5`;
    const before = await runSql(url, everythingElse);
    const { status, report, stderr } = await runDoctorJson(url, '--apply-indexes');
    expect(status).toBe(0);
    expect(report.built).toEqual(
      readRecommendedIndexes().map(({ name }) => ({ name, result: 'built' })),
    );
    expect(stderr).toContain(`Creating ${TYPE_INDEX}, about 16 kB`);
    expect(stderr).toContain(`${TYPE_INDEX}: done`);
    expect(await runSql(url, everythingElse)).toEqual(before);
    expect((await runSql(url, STATES)).length).toBe(readRecommendedIndexes().length);

    const again = await runDoctorJson(url, '--apply-indexes');
    expect(again).toMatchObject({ status: 0, stderr: '', report: { built: [] } });
  });

  test('exclude columns that an older version does not have', async () => {
    const url = await attached(UNLEASH_VERSIONS[0]);
    const { status, report } = await runDoctorJson(url, '--apply-indexes');
    expect(status).toBe(0);
    expect(report.built).toHaveLength(readRecommendedIndexes().length - 1);
    expect(await stateOf(url, 'flaggraph_events_group_id_id')).toMatchObject({
      state: 'inapplicable',
    });
  });

  test('can be created only by the owner of the tables', async () => {
    const url = await attached();
    const role = await createRole(url);
    cleanUps.push(role.drop);
    await runSql(url, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role.name}`);
    const { status, report, stderr } = await runDoctorJson(
      role.url,
      '--apply-indexes',
      '--read-only',
    );
    expect(status).toBe(2);
    const owner = new URL(url).username;
    expect(stderr).toContain(
      `only the owner of the table events, '${owner}', can create indexes on it`,
    );
    expect(report.built[0]).toMatchObject({ result: 'refused' });
    expect(await runSql(url, STATES)).toEqual([]);
    const { text } = await runDoctor({ DATABASE_URL: role.url });
    expect(text).toContain(`Only the owner of the tables, '${owner}', can create them.`);
    expect(text).toContain(`--apply-indexes, connected as the owner of the tables, '${owner}'.`);
    expect(text).toContain('Unavailable: clone. If that is intended, add --read-only.');
  });

  test('are not created in read-only sessions', async () => {
    const url = new URL(await attached());
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const { status, stderr } = await runDoctorJson(url.href, '--apply-indexes', '--read-only');
    expect(status).toBe(2);
    expect(stderr).toBe('No indexes were created: this user can only read.\n');
  });
});

describe('an index with another name', () => {
  let url: string;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    ({ url, drop } = await createMigratedDatabase());
    await convertToUnleash(url);
  });
  afterAll(() => drop());
  afterEach(() => runSql(url, 'DROP INDEX somebodys'));

  test.each([
    'CREATE INDEX somebodys ON events (type, id)',
    'CREATE INDEX somebodys ON events (type DESC, id DESC, project)',
    'CREATE INDEX somebodys ON events (type, id DESC) INCLUDE (project)',
    'CREATE UNIQUE INDEX somebodys ON events (type, id)',
  ])('counts as equivalent: %s', async (statement) => {
    await runSql(url, statement);
    expect(await stateOf(url, TYPE_INDEX)).toMatchObject({
      state: 'equivalent',
      servedBy: 'somebodys',
    });
  });

  test.each([
    'CREATE INDEX somebodys ON events (id, type)',
    'CREATE INDEX somebodys ON events (type)',
    "CREATE INDEX somebodys ON events (type, id) WHERE type <> 'x'",
    'CREATE INDEX somebodys ON events (lower(type), id)',
    'CREATE INDEX somebodys ON events (type varchar_pattern_ops, id)',
    'CREATE INDEX somebodys ON events (type COLLATE "C", id)',
    'CREATE INDEX somebodys ON events USING brin (type, id)',
    'CREATE INDEX somebodys ON features (type, created_by_user_id)',
  ])('does not count as equivalent: %s', async (statement) => {
    await runSql(url, statement);
    expect(await stateOf(url, TYPE_INDEX)).toMatchObject({ state: 'missing', servedBy: null });
  });
});

test('the doctor reports and keeps another object with the name of a recommended index', async () => {
  const url = await attached();
  await runSql(url, `CREATE INDEX ${TYPE_INDEX} ON events (created_by)`);
  const { status, stderr, report } = await runDoctorJson(url, '--apply-indexes');
  expect(status).toBe(2);
  expect(stderr).toContain(`another relation is named ${TYPE_INDEX}`);
  expect(report.indexes.map(({ state }: { state: string }) => state).sort()).toEqual([
    'conflict',
    ...Array.from({ length: readRecommendedIndexes().length - 1 }, () => 'present'),
  ]);
});

describe('an interrupted index build', () => {
  const connect = async (url: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    cleanUps.push(() => client.end());
    return client;
  };

  /** A doctor in a process of its own, which builds the one missing index. */
  const startDoctor = (url: string) => {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', MAIN, 'doctor', '--apply-indexes', '--json'],
      { env: { PATH: process.env['PATH'], DATABASE_URL: url }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const exit = once(child, 'exit');
    cleanUps.push(async () => {
      child.kill('SIGKILL');
      await exit;
    });
    let stderr = '';
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    return {
      child,
      stderr: () => stderr,
      report: () => JSON.parse(printed),
      ended: exit.then(([code]) => code as number),
      says: async (text: string) => {
        while (!stderr.includes(text)) {
          const more = once(child.stderr, 'data').then(() => true);
          const isRunning = await Promise.race([more, exit.then(() => false)]);
          if (!isRunning) throw new Error(`The doctor ended before it said "${text}":\n${stderr}`);
        }
      },
    };
  };

  const withOneMissing = async (): Promise<string> => {
    const url = await attached();
    await runDoctorJson(url, '--apply-indexes');
    await runSql(url, `DROP INDEX ${TYPE_INDEX}`);
    return url;
  };

  test('that waits for readers is rolled back', async () => {
    const url = await withOneMissing();
    const reader = await connect(url);
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT count(*) FROM settings');

    const doctor = startDoctor(url);
    await doctor.says('waiting for old snapshots');
    doctor.child.kill('SIGINT');
    expect(await doctor.ended).toBe(130);
    expect(doctor.stderr()).toContain(`${TYPE_INDEX}: interrupted`);
    expect(doctor.report()).toMatchObject({ built: [{ name: TYPE_INDEX, result: 'interrupted' }] });
    expect(await runSql(url, STATES)).toHaveLength(readRecommendedIndexes().length - 1);
    expect(await stateOf(url, TYPE_INDEX)).toMatchObject({ state: 'missing' });
  });

  test('that waits for a writer leaves an invalid index, which the next run replaces', async () => {
    const url = await withOneMissing();
    const writer = await connect(url);
    await writer.query('BEGIN');
    await writer.query("INSERT INTO events (type, created_by) VALUES ('feature-created', 'ada')");

    const doctor = startDoctor(url);
    await doctor.says('waiting for writers before build');
    const { rows } = await writer.query('SELECT pg_backend_pid() AS pid');
    await doctor.says(`waiting for the transaction of process ${rows[0].pid}`);
    const concurrent = await runDoctorJson(url, '--apply-indexes');
    expect(concurrent.stderr).toContain('another doctor process is creating indexes');
    doctor.child.kill('SIGTERM');
    expect(await doctor.ended).toBe(130);
    expect(doctor.stderr()).toContain('its unfinished index is still there');
    expect(await stateOf(url, TYPE_INDEX)).toMatchObject({ state: 'invalid', servedBy: null });
    const { text } = await runDoctor({ DATABASE_URL: url });
    expect(text).toContain(`${TYPE_INDEX} is incomplete`);

    await writer.query('COMMIT');
    expect(await runDoctorJson(url, '--apply-indexes')).toMatchObject({
      status: 0,
      report: { built: [{ name: TYPE_INDEX, result: 'built' }] },
    });
    expect(await runSql(url, STATES)).toHaveLength(readRecommendedIndexes().length);
  });
});

describe('the full-text index', () => {
  test('is created only on request, and only if its extension is available', async () => {
    const url = await attached();
    const plain = await runDoctor({ DATABASE_URL: url }, '--apply-indexes');
    expect(plain.status).toBe(0);
    expect(plain.text).toContain('Optional index');
    expect(plain.text).toContain('requires an extension: CREATE EXTENSION pg_trgm;');
    expect(await runSql(url, "SELECT to_regclass('flaggraph_events_text')::text AS name")).toEqual([
      { name: null },
    ]);

    const result = await runDoctorJson(url, '--apply-indexes', '--with-text-index');
    expect(result.status).toBe(2);
    expect(result.stderr).toContain('the extension pg_trgm is not installed');
    expect(result.report.recommendations).toEqual([expect.stringContaining('CREATE EXTENSION')]);
    expect(result.report.textIndex).toMatchObject({
      state: 'missing',
      extension: { name: 'pg_trgm', isInstalled: false, isAvailable: true },
    });
  });

  test('is used by searches once it exists', async () => {
    const url = await attached();
    await runSql(url, 'CREATE SCHEMA tools', 'CREATE EXTENSION pg_trgm SCHEMA tools');
    const { status, report } = await runDoctorJson(url, '--apply-indexes', '--with-text-index');
    expect(status).toBe(0);
    expect(report.textIndex).toMatchObject({ state: 'present', servedBy: 'flaggraph_events_text' });

    const plan = await runSql(
      url,
      'SET enable_seqscan = off',
      `EXPLAIN SELECT count(*) FROM events e WHERE e.data::text ILIKE '%checkout%'
        OR e.tags::text ILIKE '%checkout%' OR e.pre_data::text ILIKE '%checkout%'`,
    );
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines.match(/Bitmap Index Scan on flaggraph_events_text/g)).toHaveLength(3);
  });
});
