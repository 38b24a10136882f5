import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { schema } from '../../../src/graphql/schema/index.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import {
  createRole,
  runDoctor,
  runDoctorJson,
  runSql,
  type TestRole,
} from '../../testkit/attach.js';
import {
  createDatabase,
  createMigratedDatabase,
  type TestDatabase,
} from '../../testkit/database.js';
import { queriesOfEveryType } from '../../testkit/every-type.js';
import { runCommand, startCommand, stopCommands } from '../../testkit/gateway-process.js';
import { convertToUnleashVersion, type UnleashVersion } from '../../testkit/unleash-layouts.js';

const SECRETS = [
  'SELECT password_hash FROM users',
  'SELECT * FROM users',
  'SELECT reset_token FROM reset_tokens',
  'SELECT parameters FROM addons',
  'SELECT sess FROM unleash_session',
];

/** Read at startup or written by a trigger, so not among the recorded statements. */
const UNREADABLE = ['migrations', 'stat_environment_updates'];

const linesOf = (script: string) => script.split('\n').filter((line) => line.startsWith('GRANT'));

type Granted = { right: string; columns: string[]; table: string };

const parseGrants = (script: string): Granted[] =>
  linesOf(script).flatMap((line) => {
    const [, right = '', columns = '', table = ''] =
      /^GRANT (\w+) \(([^)]+)\) ON (\w+) /.exec(line) ?? [];
    return right === '' ? [] : [{ right, columns: columns.split(', '), table }];
  });

const isNamedIn = (statements: readonly string[], { table, right }: Granted, column: string) =>
  statements
    .filter((sql) => (right === 'INSERT' ? sql.includes(`insert into ${table} `) : true))
    .some(
      (sql) => new RegExp(`\\b${table}\\b`).test(sql) && new RegExp(`\\b${column}\\b`).test(sql),
    );

const makeVerified = (prefix: string) => {
  const selector = randomBytes(16).toString('base64url');
  const secret = `${prefix}v2_${selector}_${randomBytes(32).toString('base64url')}`;
  const verifier = createHash('sha256').update(secret).digest('base64url');
  return { secret, selector, verifier };
};

/** An API token and a personal token as 8.x stores them. */
const addVerifiedTokens = async (url: string): Promise<string[]> => {
  const api = makeVerified('*:development.');
  const personal = makeVerified('user:');
  await runSql(
    url,
    `INSERT INTO api_tokens_v2 (selector, verifier, token_name, type, environment)
     VALUES ('${api.selector}', '${api.verifier}', 'new', 'admin', 'development')`,
    `INSERT INTO personal_access_tokens (user_id, expires_at, selector, verifier)
     VALUES (1, now() + interval '1 hour', '${personal.selector}', '${personal.verifier}')`,
  );
  return [api.secret, personal.secret];
};

describe.each<UnleashVersion>(['6.6', '8.2'])('the printed grants on Unleash %s', (version) => {
  const statements: string[] = [];
  let testDatabase: TestDatabase;
  let role: TestRole;
  let script: string;
  let database: Database;
  let gateway: Gateway;

  const print = async (...args: string[]) =>
    (await runDoctor({ DATABASE_URL: testDatabase.url }, '--print-grants', ...args)).text;

  beforeAll(async () => {
    testDatabase = await createMigratedDatabase('demo');
    await convertToUnleashVersion(testDatabase.url, version);
    await runSql(
      testDatabase.url,
      `INSERT INTO favorite_features (feature, user_id) SELECT 'checkout-one-page', user_id
        FROM personal_access_tokens WHERE secret = '${DEMO_TOKENS.rootAdmin}' ON CONFLICT DO NOTHING`,
    );
    if (version === '8.2') {
      await runSql(
        testDatabase.url,
        `UPDATE project_settings SET link_templates = '[{"urlTemplate": "https://wiki.example/{{feature}}"}]'`,
      );
    }
    role = await createRole(testDatabase.url);

    script = await print('--role', role.name);
    await runSql(testDatabase.url, ...linesOf(script));
    database = await openDatabase({
      dataDir: 'memory://',
      databaseUrl: role.url,
      onQuery: (sql) => statements.push(sql),
    });
    gateway = await startGateway(database);
  });
  afterAll(async () => {
    await stopCommands();
    await gateway?.stop();
    await database?.close();
    await role?.drop();
    await testDatabase?.drop();
  });

  test('leave nothing for the doctor to report as missing', async () => {
    const { status, text } = await runDoctor({ DATABASE_URL: role.url }, '--json');
    expect(JSON.parse(text)).toMatchObject({ grants: [], layout: { unleash: { version } } });
    // Only the indexes are missing.
    expect(status).toBe(2);
    expect(database.warnings).toEqual([]);
  });

  test('suffice for tokens of every kind', async () => {
    const known = [DEMO_TOKENS.admin, DEMO_TOKENS.rootAdmin, DEMO_TOKENS.groupMember];
    const verified = version === '8.2' ? await addVerifiedTokens(testDatabase.url) : [];
    for (const token of [...known, ...verified]) {
      expect((await gateway.rest('/api/admin/search/events', { token })).status).toBe(200);
    }
    // Names of personal tokens are only logged, and no grant is printed for them.
    await expect.poll(() => gateway.log.length).toBeGreaterThanOrEqual(known.length);
    const kinds = gateway.log
      .map((line) => JSON.parse(line).actor)
      .filter((actor) => actor?.token !== undefined)
      .map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['ADMIN_TOKEN']));
  });

  test('suffice for the four REST paths', async () => {
    const project = '/api/admin/projects/web-shop';
    const paths = ['/api/admin/search/events?query=checkout', `${project}/health-report`];
    for (const token of [DEMO_TOKENS.admin, DEMO_TOKENS.rootAdmin]) {
      for (const path of [...paths, '/api/admin/addons/1/events']) {
        expect(await gateway.rest(path, { token })).toMatchObject({ status: 200 });
      }
    }
    const clone = `${project}/features/checkout-address-autocomplete/clone`;
    expect(await gateway.rest(clone, { body: { name: 'copy' } })).toMatchObject({
      status: 200,
    });
    expect((await gateway.rest('/readyz')).status).toBe(200);
  });

  test.each([...queriesOfEveryType(schema)])(
    'suffice for all fields of %s',
    async (_type, query) => {
      const { data, errors } = await gateway.graphql(query, {}, { token: DEMO_TOKENS.rootAdmin });
      expect(errors).toBeUndefined();
      expect(data).toEqual(expect.anything());
    },
  );

  test.each([
    [
      'the plan of a clone',
      'query ($input: CloneFeatureInput!) { clonePlan(input: $input) { refusals { message } } }',
      { clonePlan: { refusals: [] } },
    ],
    [
      'a clone',
      'mutation ($input: CloneFeatureInput!) { cloneFeature(input: $input) { __typename } }',
      { cloneFeature: { __typename: 'CloneFeaturePayload' } },
    ],
  ])('suffice for %s with tags and favorite', async (_title, query, expected) => {
    const input = {
      featureName: 'checkout-one-page',
      newName: 'checkout-copy',
      include: ['TAGS', 'FAVORITE'],
    };
    const response = await gateway.graphql(query, { input }, { token: DEMO_TOKENS.rootAdmin });
    expect(response.errors).toBeUndefined();
    expect(response.data).toEqual(expected);
  });

  test('suffice for export and tail', async () => {
    const settings = { DATABASE_URL: role.url };
    expect(await runCommand(['export', '--quiet'], settings)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"typeName":"feature-created"'),
    });
    const tail = startCommand(['tail', '--last', '1'], settings);
    await tail.waitForOutput(/\n/);
    expect(await tail.stop('SIGTERM')).toMatchObject({ code: 0 });
  });

  test('keep secrets unreadable', async () => {
    for (const secret of SECRETS) {
      await expect(runSql(role.url, secret)).rejects.toThrow('permission denied');
    }
    expect(script).not.toMatch(/password_hash|reset_token|\bparameters\b.* ON addons/);
  });

  test.each([
    ['no', {}],
    ['no', { UNLEASH_SECRET: 'hush', SESSIONS: 'off' }],
    ['the', { UNLEASH_SECRET: 'hush' }],
    ['the', { SESSIONS: 'on' }],
  ])('include %s sign-in sessions with %o', async (granted, settings) => {
    const env = { DATABASE_URL: testDatabase.url, ...settings };
    const { text } = await runDoctor(env, '--print-grants', '--role', 'x');
    const line = 'GRANT SELECT (sid, sess, expired) ON unleash_session TO x;';
    expect(text.split('\n')).toContain(granted === 'no' ? `-- ${line}` : line);
    expect(text).not.toContain('hush');
  });

  test('are those for reading with --read-only', async () => {
    const forReading = await print('--role', role.name, '--read-only');
    expect(script).toContain(forReading);
    expect(parseGrants(forReading).filter(({ right }) => right !== 'SELECT')).toEqual([]);
  });

  test('name no column that is never used', () => {
    const unused = parseGrants(script)
      .filter(({ table }) => !UNREADABLE.includes(table))
      .flatMap((granted) =>
        granted.columns
          .filter((column) => !isNamedIn(statements, granted, column))
          .map((column) => `${granted.right} ${granted.table}.${column}`),
      );
    expect(unused.join('\n')).toBe('');
  });
});

describe('doctor --print-grants', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });
  const open = async (create: () => Promise<TestDatabase>) => {
    const database = await create();
    cleanUps.push(database.drop);
    return database.url;
  };

  test('prints grants for the current role on tables of the gateway itself', async () => {
    const url = await open(createMigratedDatabase);
    const role = await createRole(url);
    cleanUps.push(role.drop);
    const { status, text } = await runDoctor({ DATABASE_URL: role.url }, '--print-grants');
    expect(status).toBe(0);
    expect(text).toMatch(/^-- tables of the gateway, schema public\./);
    expect(text).toMatch(/GRANT SELECT \(migration_name, .*\) ON _prisma_migrations TO visitor_/);
    expect(text).not.toContain('unleash_session');

    await runSql(url, ...linesOf(text));
    const { report } = await runDoctorJson(role.url);
    expect(report).toMatchObject({ status: 'fine', grants: [], layout: { owner: 'flaggraph' } });
  });

  test('quotes names that need it', async () => {
    const plain = await open(createDatabase);
    await runSql(plain, 'CREATE SCHEMA "Flags"');
    const url = `${plain}?schema=Flags`;
    await (await openDatabase({ dataDir: 'memory://', databaseUrl: url })).close();
    const options = ['--print-grants', '--role', 'user "x"'];
    const { text } = await runDoctor({ DATABASE_URL: url }, ...options);
    expect(text).toContain('GRANT USAGE ON SCHEMA "Flags" TO "user ""x""";');
    expect(text).toContain(' ON "Flags".users TO "user ""x""";');
    expect(text).toContain(`-- Grants cannot restrict rows. Of settings,`);
  });

  test('fails without tables', async () => {
    const url = await open(createDatabase);
    const { status, text, stderr } = await runDoctor({ DATABASE_URL: url }, '--print-grants');
    expect([status, text]).toEqual([3, '']);
    expect(stderr).toMatch(/^error: The schema 'public' of the database at .* has no tables/);
  });

  test.each([
    [['--role', 'x']],
    [['--print-grants', '--json']],
    [['--print-grants', '--apply-indexes']],
  ])('rejects %j', async (options) => {
    const { status, stderr } = await runDoctor({}, ...options);
    expect(status).toBe(1);
    expect(stderr).toContain('--print-grants');
  });
});
