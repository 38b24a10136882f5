import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readRecommendedIndexes } from '../../src/data/doctor/recommended-indexes.js';
import { askDoctor, createRole, runDoctor, runSql, turnIntoOriginal } from '../testkit/attach.js';
import { createMigratedDatabase } from '../testkit/database.js';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const TYPE_INDEX = 'flaggraph_events_type_id';
const STATES = `SELECT indexrelid::regclass::text AS name, indisvalid AS valid
  FROM pg_index WHERE indexrelid::regclass::text LIKE 'flaggraph_%' ORDER BY 1`;

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** The original's tables without any index of ours. */
const attached = async (): Promise<string> => {
  const { url, drop } = await createMigratedDatabase();
  cleanUps.push(drop);
  await turnIntoOriginal(url);
  return url;
};

const stateOf = async (url: string, name: string) => {
  const { report } = await askDoctor(url);
  return report.indexes.find((index: { name: string }) => index.name === name);
};

describe('missing indexes', () => {
  test('are told with a statement each, which makes exactly what was missing', async () => {
    const url = await attached();
    const { status, report } = await askDoctor(url);
    expect(status).toBe(2);
    expect(report.indexes).toHaveLength(readRecommendedIndexes().length);
    for (const index of report.indexes) {
      expect(index).toMatchObject({ state: 'missing', servedBy: null, mayCreate: true });
      expect(index.bytes).toBeGreaterThan(0);
      await runSql(url, index.statement);
    }
    const afterwards = await askDoctor(url);
    expect(afterwards.status).toBe(0);
    expect(afterwards.report.indexes.map(({ state }: { state: string }) => state)).toEqual(
      report.indexes.map(() => 'present'),
    );
  });

  test('are made one by one, and nothing else is', async () => {
    const url = await attached();
    const everythingElse = `
      SELECT c.relname, c.relkind, c.relowner, c.relacl::text, a.attname, a.atttypid
      FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND c.relkind <> 'i'
      WHERE c.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE 'flaggraph%' ORDER BY 1, 5`;
    const before = await runSql(url, everythingElse);
    const { status, report, told } = await askDoctor(url, '--apply-indexes');
    expect(status).toBe(0);
    expect(report.built).toEqual(
      readRecommendedIndexes().map(({ name }) => ({ name, result: 'built' })),
    );
    expect(told).toContain(`Making ${TYPE_INDEX}, about 16 kB`);
    expect(told).toContain(`${TYPE_INDEX}: done`);
    expect(await runSql(url, everythingElse)).toEqual(before);
    expect((await runSql(url, STATES)).length).toBe(readRecommendedIndexes().length);

    const again = await askDoctor(url, '--apply-indexes');
    expect(again).toMatchObject({ status: 0, told: '', report: { built: [] } });
  });

  test('can be made by the owner of the tables only', async () => {
    const url = await attached();
    const role = await createRole(url);
    cleanUps.push(role.drop);
    await runSql(url, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role.name}`);
    const { status, report, told } = await askDoctor(role.url, '--apply-indexes', '--read-only');
    expect(status).toBe(2);
    const owner = new URL(url).username;
    expect(told).toContain(`only '${owner}', who owns the table events, may make indexes on it`);
    expect(report.built[0]).toMatchObject({ result: 'refused' });
    expect(await runSql(url, STATES)).toEqual([]);
    const { text } = await runDoctor({ DATABASE_URL: role.url });
    expect(text).toContain(`Only '${owner}', who owns the tables, may make them.`);
    expect(text).toContain(
      `--apply-indexes does when '${owner}', who owns the tables, is the user`,
    );
    expect(text).toContain(
      'Cannot work as it stands: clone. If none is meant to, add --read-only.',
    );
  });

  test('are not made where sessions may only read', async () => {
    const url = new URL(await attached());
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const { status, told } = await askDoctor(url.href, '--apply-indexes', '--read-only');
    expect(status).toBe(2);
    expect(told).toBe('No indexes were made: the database takes only reads from this user.\n');
  });
});

describe('an index under another name', () => {
  let url: string;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    ({ url, drop } = await createMigratedDatabase());
    await turnIntoOriginal(url);
  });
  afterAll(() => drop());
  afterEach(() => runSql(url, 'DROP INDEX somebodys'));

  test.each([
    'CREATE INDEX somebodys ON events (type, id)',
    'CREATE INDEX somebodys ON events (type DESC, id DESC, project)',
    'CREATE INDEX somebodys ON events (type, id DESC) INCLUDE (project)',
    'CREATE UNIQUE INDEX somebodys ON events (type, id)',
  ])('does as well: %s', async (statement) => {
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
  ])('does not when it is another: %s', async (statement) => {
    await runSql(url, statement);
    expect(await stateOf(url, TYPE_INDEX)).toMatchObject({ state: 'missing', servedBy: null });
  });
});

test('something else under our name is left alone and told', async () => {
  const url = await attached();
  await runSql(url, `CREATE INDEX ${TYPE_INDEX} ON events (created_by)`);
  const { status, told, report } = await askDoctor(url, '--apply-indexes');
  expect(status).toBe(2);
  expect(told).toContain(`something else is called ${TYPE_INDEX}`);
  expect(report.indexes.map(({ state }: { state: string }) => state).sort()).toEqual([
    'conflict',
    ...Array.from({ length: 7 }, () => 'present'),
  ]);
});

describe('a build that is interrupted', () => {
  const connect = async (url: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    cleanUps.push(() => client.end());
    return client;
  };

  /** A doctor of its own process, at work on the one index that is missing. */
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
    let told = '';
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
    return {
      child,
      told: () => told,
      report: () => JSON.parse(printed),
      ended: exit.then(([code]) => code as number),
      says: async (words: string) => {
        while (!told.includes(words)) {
          const more = once(child.stderr, 'data').then(() => true);
          const isGone = await Promise.race([more, exit.then(() => false)]);
          if (!isGone) throw new Error(`The doctor ended before it said "${words}":\n${told}`);
        }
      },
    };
  };

  const withOneMissing = async (): Promise<string> => {
    const url = await attached();
    await askDoctor(url, '--apply-indexes');
    await runSql(url, `DROP INDEX ${TYPE_INDEX}`);
    return url;
  };

  test('while it waits for readers is taken back', async () => {
    const url = await withOneMissing();
    const reader = await connect(url);
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT count(*) FROM settings');

    const doctor = startDoctor(url);
    await doctor.says('waiting for old snapshots');
    doctor.child.kill('SIGINT');
    expect(await doctor.ended).toBe(130);
    expect(doctor.told()).toContain(`${TYPE_INDEX}: interrupted`);
    expect(doctor.report()).toMatchObject({ built: [{ name: TYPE_INDEX, result: 'interrupted' }] });
    expect(await runSql(url, STATES)).toHaveLength(7);
    expect(await stateOf(url, TYPE_INDEX)).toMatchObject({ state: 'missing' });
  });

  test('while it waits for a writer leaves what the next run recognises and replaces', async () => {
    const url = await withOneMissing();
    const writer = await connect(url);
    await writer.query('BEGIN');
    await writer.query("INSERT INTO events (type, created_by) VALUES ('feature-created', 'ada')");

    const doctor = startDoctor(url);
    await doctor.says('waiting for writers before build');
    const { rows } = await writer.query('SELECT pg_backend_pid() AS pid');
    await doctor.says(`for process ${rows[0].pid} to end its transaction`);
    const rival = await askDoctor(url, '--apply-indexes');
    expect(rival.told).toContain('another doctor is making indexes right now');
    doctor.child.kill('SIGTERM');
    expect(await doctor.ended).toBe(130);
    expect(doctor.told()).toContain('its unfinished index is still there');
    expect(await stateOf(url, TYPE_INDEX)).toMatchObject({ state: 'invalid', servedBy: null });
    const { text } = await runDoctor({ DATABASE_URL: url });
    expect(text).toContain(`${TYPE_INDEX} was begun and never finished`);

    await writer.query('COMMIT');
    expect(await askDoctor(url, '--apply-indexes')).toMatchObject({
      status: 0,
      report: { built: [{ name: TYPE_INDEX, result: 'built' }] },
    });
    expect(await runSql(url, STATES)).toHaveLength(8);
  });
});

describe('the index for free text', () => {
  test('is never made unasked, and not without its extension', async () => {
    const url = await attached();
    const plain = await runDoctor({ DATABASE_URL: url }, '--apply-indexes');
    expect(plain.status).toBe(0);
    expect(plain.text).toContain('Optional index');
    expect(plain.text).toContain('needs the extension pg_trgm first: CREATE EXTENSION pg_trgm;');
    expect(await runSql(url, "SELECT to_regclass('flaggraph_events_text')::text AS name")).toEqual([
      { name: null },
    ]);

    const asked = await askDoctor(url, '--apply-indexes', '--with-text-index');
    expect(asked.status).toBe(2);
    expect(asked.told).toContain('the extension pg_trgm is not installed');
    expect(asked.report.recommendations).toEqual([expect.stringContaining('CREATE EXTENSION')]);
    expect(asked.report.textIndex).toMatchObject({
      state: 'missing',
      extension: { name: 'pg_trgm', isInstalled: false, isAvailable: true },
    });
  });

  test('serves the search once it is made', async () => {
    const url = await attached();
    await runSql(url, 'CREATE SCHEMA tools', 'CREATE EXTENSION pg_trgm SCHEMA tools');
    const { status, report } = await askDoctor(url, '--apply-indexes', '--with-text-index');
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
