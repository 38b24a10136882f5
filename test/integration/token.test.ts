import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createToken, TOKEN_KINDS } from '../../src/cli/create-token.js';
import { listTokens } from '../../src/cli/list-tokens.js';
import { demoCommand } from '../../src/cli/load-demo.js';
import type { Terminal } from '../../src/cli/on-database.js';
import { tokenCommand } from '../../src/cli/token.js';
import { openDatabase } from '../../src/data/connect.js';
import type { PrismaClient } from '../../src/data/db.js';
import { isDemoLoaded, loadDemoWorld } from '../../src/demo/load-demo-world.js';
import { DEMO_TOKENS } from '../../src/demo/tokens.js';
import {
  createDatabase,
  createMigratedDatabase,
  describeOnBothDatabases,
  embeddedTemplate,
  type TestDatabase,
} from '../testkit/database.js';

const DAY_MS = 86_400_000;

describeOnBothDatabases('tokens', (open) => {
  let db: PrismaClient;
  beforeAll(async () => {
    db = (await open()).client;
    await loadDemoWorld(db, { now: new Date() });
  });

  test('take the forms the original gives them', async () => {
    const admin = await createToken(db, { kind: 'admin', name: 'ci' });
    const client = await createToken(db, { kind: 'client', name: 'backend' });
    const frontend = await createToken(db, {
      kind: 'frontend',
      name: 'page',
      environment: 'production',
    });
    const personal = await createToken(db, { kind: 'personal', name: 'laptop', user: 'ada' });
    expect(admin).toMatch(/^\*:\*\.[0-9a-f]{56}$/);
    expect(client).toMatch(/^\*:development\.[0-9a-f]{56}$/);
    expect(frontend).toMatch(/^\*:production\.[0-9a-f]{56}$/);
    expect(personal).toMatch(/^user:[0-9a-f]{56}$/);
    expect(new Set([admin, client, frontend].map((secret) => secret.split('.')[1])).size).toBe(3);

    expect(await db.apiToken.findUnique({ where: { secret: admin } })).toMatchObject({
      type: 'admin',
      username: 'ci',
      tokenName: 'ci',
      environment: null,
      expiresAt: null,
    });
    expect(await db.apiToken.findUnique({ where: { secret: frontend } })).toMatchObject({
      type: 'frontend',
      environment: 'production',
    });
  });

  test('of a person belong to the one named by user name, e-mail or number', async () => {
    const names = ['olu', 'Ada.Berg@harbour-pine.example', '3'];
    const owners = [4, 1, 3];
    for (const [index, user] of names.entries()) {
      const secret = await createToken(db, {
        kind: 'personal',
        name: 'phone',
        user,
        expiresInDays: 30,
      });
      const row = await db.personalAccessToken.findFirstOrThrow({ where: { secret } });
      expect(row).toMatchObject({ userId: owners[index], description: 'phone' });
      const days = (row.expiresAt.getTime() - Date.now()) / DAY_MS;
      expect(Math.round(days)).toBe(30);
    }
  });

  test.each([
    ['without an owner', { kind: 'personal', name: 'x' }, /--user/],
    ['for nobody', { kind: 'personal', name: 'x', user: 'nobody' }, /no user 'nobody'/],
    ['for somebody who left', { kind: 'personal', name: 'x', user: '13' }, /no user '13'/],
    ['for the system', { kind: 'personal', name: 'x', user: 'unleash_system_user' }, /no user/],
    ['twice by one name', { kind: 'personal', name: 'demo viewer', user: '3' }, /already has/],
    ['with an owner it cannot have', { kind: 'admin', name: 'x', user: 'ada' }, /--user/],
    ['without a name', { kind: 'admin', name: '  ' }, /name/],
    ['for no time at all', { kind: 'admin', name: 'x', expiresInDays: 0 }, /days/],
    ['for half a day', { kind: 'admin', name: 'x', expiresInDays: 0.5 }, /days/],
    ['beyond all dates', { kind: 'admin', name: 'x', expiresInDays: 1e12 }, /days/],
    ['for an unknown environment', { kind: 'client', name: 'x', environment: 'moon' }, /'moon'/],
  ] as const)('are refused %s', async (_, token, message) => {
    const count = async () => (await db.apiToken.count()) + (await db.personalAccessToken.count());
    const before = await count();
    await expect(createToken(db, token)).rejects.toThrow(message);
    expect(await count()).toBe(before);
  });

  test('are listed without their secrets', async () => {
    await createToken(db, { kind: 'admin', name: 'listed' });
    const tokens = await listTokens(db);
    const secrets = [
      ...(await db.apiToken.findMany()),
      ...(await db.personalAccessToken.findMany()),
    ].map(({ secret }) => secret);
    expect(tokens.length).toBe(secrets.length);
    const printed = tokens.map(({ secret }) => secret).join(' ');
    const random = secrets.map((secret) => secret.replace(/^(user:|.*\.)/, '').slice(0, 8));
    expect(random.filter((start) => printed.includes(start))).toEqual([]);

    expect(tokens.find(({ name }) => name === 'listed')).toMatchObject({
      kind: 'admin',
      owner: null,
      expiresAt: null,
      expired: false,
      secret: expect.stringMatching(/^\*:\*\.[0-9a-f]{4}…$/),
    });
    const expired = tokens.filter((token) => token.expired).map(({ name }) => name);
    expect(expired).toEqual(['migration-script', 'demo expired']);
    expect(tokens.find(({ name }) => name === 'demo owner')?.owner).toBe('olu');
  });
});

/** Runs a command the way the command line does and gathers what it says. */
const run = async (
  make: (terminal: Terminal) => Command,
  env: Record<string, string>,
  ...args: string[]
) => {
  const printed: string[] = [];
  const errors: string[] = [];
  const command = make({ env, print: (line) => printed.push(line) });
  for (const one of [command, ...command.commands]) {
    one.exitOverride();
    one.configureOutput({
      writeErr: (text) => errors.push(text),
      writeOut: (text) => printed.push(text),
    });
  }
  const failed = await command.parseAsync(args, { from: 'user' }).then(
    () => false,
    () => true,
  );
  return { failed, printed, errors: errors.join('') };
};

describe('flaggraph token', () => {
  let ours: TestDatabase;
  let original: TestDatabase;
  beforeAll(async () => {
    ours = await createMigratedDatabase();
    original = await createMigratedDatabase();
    const client = new pg.Client({ connectionString: original.url });
    await client.connect();
    await client.query('create table migrations (name text)');
    await client.end();
  });
  afterAll(async () => {
    await ours.drop();
    await original.drop();
  });

  test('prints a new secret and lists it shortened, as text and as JSON', async () => {
    const env = { DATABASE_URL: ours.url };
    const created = await run(tokenCommand, env, 'create', 'admin', '--name', 'ci');
    expect(created.printed).toEqual([expect.stringMatching(/^\*:\*\.[0-9a-f]{56}$/)]);
    const again = await run(tokenCommand, env, 'create', 'admin', '--name', 'cd', '--json');
    expect(JSON.parse(again.printed.join(''))).toEqual({
      secret: expect.stringMatching(/^\*:\*\./),
    });

    const listed = await run(tokenCommand, env, 'list');
    expect(listed.printed[0]).toMatch(/^KIND +NAME +SECRET +OWNER +EXPIRES$/);
    expect(listed.printed[1]).toMatch(/^admin +ci +\*:\*\.[0-9a-f]{4}… +– +never$/);
    expect(listed.printed.join('\n')).not.toContain(created.printed[0]);
    const asJson = await run(tokenCommand, env, 'list', '--json');
    expect(JSON.parse(asJson.printed.join(''))).toMatchObject([{ name: 'ci' }, { name: 'cd' }]);
  });

  test.each([['create', 'admin', '--name', 'ci'], ['list']])(
    'stays away from a database of the original unless told otherwise (%s)',
    async (...args) => {
      const env = { DATABASE_URL: original.url };
      const refused = await run(tokenCommand, env, ...args);
      expect(refused).toMatchObject({ failed: true, printed: [] });
      expect(refused.errors).toContain('--allow-foreign-database');

      const allowed = await run(tokenCommand, env, ...args, '--allow-foreign-database');
      expect(allowed).toMatchObject({ failed: false, errors: '' });
    },
  );

  test('refuses a database without tables instead of laying them', async () => {
    const { url, drop } = await createDatabase();
    const { failed, errors } = await run(tokenCommand, { DATABASE_URL: url }, 'list');
    await drop();
    expect(failed).toBe(true);
    expect(errors).toMatch(/^error: /);
  });

  test('says how to go on while a server holds the embedded database', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'flaggraph-token-'));
    const server = await openDatabase({ dataDir, embeddedTemplate: embeddedTemplate() });
    const refused = await run(tokenCommand, { DATA_DIR: dataDir }, 'list');
    await server.close();
    expect(refused).toMatchObject({ failed: true, printed: [] });
    expect(refused.errors).toContain('stop that server');
    expect(refused.errors).toContain('DATABASE_URL');

    expect(await run(tokenCommand, { DATA_DIR: dataDir }, 'list')).toMatchObject({ failed: false });
    rmSync(dataDir, { recursive: true });
  });

  test('explains wrong settings and wrong arguments without a crash', async () => {
    const settings = await run(tokenCommand, { PORT: 'many' }, 'list');
    expect(settings.errors).toContain('PORT');
    const kind = await run(tokenCommand, {}, 'create', 'golden', '--name', 'x');
    for (const known of TOKEN_KINDS) expect(kind.errors).toContain(known);
    const nameless = await run(tokenCommand, {}, 'create', 'admin');
    expect(nameless.errors).toContain('--name');
    const days = await run(
      tokenCommand,
      {},
      'create',
      'admin',
      '--name',
      'x',
      '--expires-in-days',
      'ten',
    );
    expect(days.errors).toContain('whole number');
  });

  test('describes itself', async () => {
    const { printed } = await run(tokenCommand, {}, 'create', '--help');
    const help = printed.join('');
    for (const option of ['--name', '--user', '--expires-in-days', '--json']) {
      expect(help).toContain(option);
    }
  });
});

describe('flaggraph demo', () => {
  test('fills an empty database once', async () => {
    const { url, drop } = await createDatabase();
    const loaded = await run(demoCommand, { DATABASE_URL: url });
    expect(loaded).toMatchObject({ failed: false, errors: '' });
    expect(loaded.printed.at(-1)).toContain(DEMO_TOKENS.admin);

    const again = await run(demoCommand, { DATABASE_URL: url });
    expect(again).toMatchObject({ failed: true });
    expect(again.errors).toContain('loaded already');

    const database = await openDatabase({ databaseUrl: url, dataDir: 'memory://' });
    expect(await isDemoLoaded(database.client)).toBe(true);
    await database.close();
    await drop();
  });

  test('never touches a database of the original', async () => {
    const { url, drop } = await createMigratedDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('create table migrations (name text)');
    const { failed, errors } = await run(demoCommand, { DATABASE_URL: url });
    const { rows } = await client.query('select count(*)::int as features from features');
    await client.end();
    await drop();
    expect(failed).toBe(true);
    expect(errors).toContain('belongs to another service');
    expect(rows).toEqual([{ features: 0 }]);
  });
});
