import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TOKEN_KINDS } from '../../../src/cli/create-token.js';
import { demoCommand } from '../../../src/cli/load-demo.js';
import type { Terminal } from '../../../src/cli/terminal.js';
import { tokenCommand } from '../../../src/cli/token.js';
import { openDatabase } from '../../../src/data/connect.js';
import { isDemoLoaded } from '../../../src/demo/load-demo-data.js';
import { createRole, runSql } from '../../testkit/attach.js';
import {
  createDatabase,
  createMigratedDatabase,
  embeddedTemplate,
  type TestDatabase,
} from '../../testkit/database.js';

/** Runs a command like the command line does and collects its output. */
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
  let gatewayDatabase: TestDatabase;
  let unleashDatabase: TestDatabase;
  beforeAll(async () => {
    gatewayDatabase = await createMigratedDatabase();
    unleashDatabase = await createMigratedDatabase();
    const client = new pg.Client({ connectionString: unleashDatabase.url });
    await client.connect();
    await client.query('create table migrations (name text)');
    await client.end();
  });
  afterAll(async () => {
    await gatewayDatabase.drop();
    await unleashDatabase.drop();
  });

  test('prints a new secret and lists it shortened, as text and as JSON', async () => {
    const env = { DATABASE_URL: gatewayDatabase.url };
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

  test('revokes the only token with a name or start of a secret', async () => {
    const env = { DATABASE_URL: gatewayDatabase.url };
    const create = (name: string) => run(tokenCommand, env, 'create', 'client', '--name', name);
    const namesOf = async (): Promise<string[]> => {
      const { printed } = await run(tokenCommand, env, 'list', '--json');
      return (JSON.parse(printed.join('')) as { name: string }[]).map(({ name }) => name);
    };
    await create('lost');
    const twin = await create('twin');
    const start = twin.printed.join('').replace(/(\.\w{4}).*/, '$1');
    await create('twin');

    const revoked = await run(tokenCommand, env, 'revoke', 'lost');
    expect(revoked.printed).toEqual([expect.stringMatching(/^Revoked client token 'lost' \(\*:/)]);
    expect(await namesOf()).not.toContain('lost');

    const ambiguous = await run(tokenCommand, env, 'revoke', 'twin');
    expect(ambiguous).toMatchObject({ failed: true, printed: [] });
    expect(ambiguous.errors).toContain(`${start}…`);
    expect(await run(tokenCommand, env, 'revoke', start)).toMatchObject({ failed: false });
    const asJson = await run(tokenCommand, env, 'revoke', 'twin', '--json');
    expect(JSON.parse(asJson.printed.join(''))).toMatchObject({ kind: 'client', name: 'twin' });
    expect(asJson.printed.join('')).not.toMatch(/[0-9a-f]{20}/);
    expect(await namesOf()).not.toContain('twin');

    const absent = await run(tokenCommand, env, 'revoke', 'twin');
    expect(absent).toMatchObject({ failed: true, printed: [] });
    expect(absent.errors).toContain('flaggraph token list');
  });

  test('revokes a personal token', async () => {
    const env = { DATABASE_URL: gatewayDatabase.url };
    const owner = ['--user', 'admin'];
    await runSql(gatewayDatabase.url, "insert into users (name, username) values ('A', 'admin')");
    await run(tokenCommand, env, 'create', 'personal', '--name', 'laptop', ...owner);
    expect(await run(tokenCommand, env, 'revoke', 'laptop')).toMatchObject({ failed: false });
    expect(
      await run(tokenCommand, env, 'create', 'personal', '--name', 'laptop', ...owner),
    ).toMatchObject({ failed: false, errors: '' });
  });

  test.each([['create', 'admin', '--name', 'ci'], ['list'], ['revoke', 'ci']])(
    'rejects a database of Unleash without --allow-foreign-database (%s)',
    async (...args) => {
      const env = { DATABASE_URL: unleashDatabase.url };
      const rejected = await run(tokenCommand, env, ...args);
      expect(rejected).toMatchObject({ failed: true, printed: [] });
      expect(rejected.errors).toContain('--allow-foreign-database');

      const allowed = await run(tokenCommand, env, ...args, '--allow-foreign-database');
      expect(allowed).toMatchObject({ failed: false, errors: '' });
    },
  );

  test.each([['create', 'admin', '--name', 'ci'], ['list'], ['revoke', 'ci']])(
    'names the missing privilege of the database user (%s)',
    async (...args) => {
      const role = await createRole(gatewayDatabase.url);
      await runSql(
        gatewayDatabase.url,
        `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role.name}`,
        `REVOKE ALL ON api_tokens FROM ${role.name}`,
        // As documented for the gateway.
        `GRANT SELECT (secret, username, type, expires_at, alias, token_name) ON api_tokens TO ${role.name}`,
      );
      const { failed, errors } = await run(tokenCommand, { DATABASE_URL: role.url }, ...args);
      await role.drop();
      expect(failed).toBe(true);
      expect(errors).toMatch(/^error: .*lacks a privilege on table api_tokens/);
      expect(errors).not.toMatch(/prisma|\bat /i);
    },
  );

  test('rejects a database without tables instead of creating them', async () => {
    const { url, drop } = await createDatabase();
    const { failed, errors } = await run(tokenCommand, { DATABASE_URL: url }, 'list');
    await drop();
    expect(failed).toBe(true);
    expect(errors).toMatch(/^error: /);
  });

  test('reports what to do while a process without a control socket holds the embedded database', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'flaggraph-token-'));
    const server = await openDatabase({ dataDir, embeddedTemplate: embeddedTemplate() });
    const rejected = await run(tokenCommand, { DATA_DIR: dataDir }, 'list');
    await server.close();
    expect(rejected).toMatchObject({ failed: true, printed: [] });
    expect(rejected.errors).toContain('Stop that server');
    expect(rejected.errors).toContain('DATABASE_URL');

    expect(await run(tokenCommand, { DATA_DIR: dataDir }, 'list')).toMatchObject({ failed: false });
    rmSync(dataDir, { recursive: true });
  });

  test('reports invalid settings and arguments without a crash', async () => {
    const settings = await run(tokenCommand, { PORT: 'many' }, 'list');
    expect(settings.errors).toContain('PORT');
    const kind = await run(tokenCommand, {}, 'create', 'golden', '--name', 'x');
    for (const known of TOKEN_KINDS) expect(kind.errors).toContain(known);
    const withoutName = await run(tokenCommand, {}, 'create', 'admin');
    expect(withoutName.errors).toContain('--name');
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

  test('prints its help', async () => {
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
    expect(loaded.printed.join('\n')).toMatch(
      / {2}admin {3}\*:\*\.[\w-]{43}\n {2}viewer {2}user:[\w-]{43}$/,
    );

    const again = await run(demoCommand, { DATABASE_URL: url });
    expect(again).toMatchObject({ failed: true });
    expect(again.errors).toContain('already loaded');

    const database = await openDatabase({ databaseUrl: url, dataDir: 'memory://' });
    expect(await isDemoLoaded(database.client)).toBe(true);
    await database.close();
    await drop();
  });

  test('never changes a database of Unleash', async () => {
    const { url, drop } = await createMigratedDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('create table migrations (name text)');
    const { failed, errors } = await run(demoCommand, { DATABASE_URL: url });
    const { rows } = await client.query('select count(*)::int as features from features');
    await client.end();
    await drop();
    expect(failed).toBe(true);
    expect(errors).toContain('Unleash owns this database');
    expect(rows).toEqual([{ features: 0 }]);
  });
});
