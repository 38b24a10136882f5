import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isVerified } from '../../../src/auth/credential.js';
import { createToken } from '../../../src/cli/create-token.js';
import { listTokens } from '../../../src/cli/list-tokens.js';
import { tokenCommand } from '../../../src/cli/token.js';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { UNLEASH_VERSIONS } from '../../../src/data/doctor/unleash-version.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { convertToUnleash, runDoctorJson, runSql } from '../../testkit/attach.js';
import { cloneOverRest } from '../../testkit/clone-calls.js';
import { addCloneWorld, addFeature, CLONE_TOKENS, PEOPLE } from '../../testkit/clone-world.js';
import { createMigratedDatabase } from '../../testkit/database.js';

/** Schema changes of Unleash 8.2 for tokens. */
const NEWER_TOKENS = [
  `CREATE TABLE api_tokens_v2 (
    selector text PRIMARY KEY,
    verifier text NOT NULL,
    token_name text NOT NULL,
    type text NOT NULL,
    environment text NOT NULL REFERENCES environments (name),
    expires_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz,
    user_created boolean NOT NULL DEFAULT true)`,
  'ALTER TABLE personal_access_tokens ALTER COLUMN secret DROP NOT NULL',
  'ALTER TABLE personal_access_tokens ADD COLUMN selector text UNIQUE, ADD COLUMN verifier text',
  `ALTER TABLE personal_access_tokens ADD CHECK (
    (secret IS NULL) <> (selector IS NULL) AND (selector IS NULL) = (verifier IS NULL))`,
];

type AttachedGateway = {
  url: string;
  db: Database['client'];
  gateway: Gateway;
  close: () => Promise<void>;
};

/** A database of Unleash with its old tokens, after some changes, and a gateway on it. */
const attach = async (changes: readonly string[]): Promise<AttachedGateway> => {
  const { url, drop } = await createMigratedDatabase();
  const filling = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
  await addCloneWorld(filling.client);
  await addFeature(filling.client, { name: 'source' });
  await filling.close();
  await convertToUnleash(url, [UNLEASH_VERSIONS[3].lastMigration]);
  await runSql(url, ...changes);

  const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
  const gateway = await startGateway(database);
  return {
    url,
    db: database.client,
    gateway,
    close: async () => {
      await gateway.stop();
      await database.close();
      await drop();
    },
  };
};

type Credential = { secret: string; selector: string; verifier: string };

const makeCredential = (prefix: string): Credential => {
  const selector = randomBytes(16).toString('base64url');
  const secret = `${prefix}v2_${selector}_${randomBytes(32).toString('base64url')}`;
  return { secret, selector, verifier: createHash('sha256').update(secret).digest('base64url') };
};

type ApiTokenOptions = { type?: string; name?: string; expires?: string; verifier?: string };

const addApiToken = async (
  { db }: AttachedGateway,
  { type = 'admin', name = 'secure', expires, verifier }: ApiTokenOptions = {},
): Promise<Credential> => {
  const credential = makeCredential('*:development.');
  await db.$executeRaw`insert into api_tokens_v2 (selector, verifier, token_name, type, environment, expires_at)
    values (${credential.selector}, ${verifier ?? credential.verifier}, ${name}, ${type}, 'development', ${expires ?? null}::timestamptz)`;
  return credential;
};

type PersonalOptions = { user?: number; expires?: string; verifier?: string; name?: string };

const addPersonalToken = async (
  { db }: AttachedGateway,
  { user = PEOPLE.ann, expires = '2099-01-01', verifier, name = 'new kind' }: PersonalOptions = {},
): Promise<Credential> => {
  const credential = makeCredential('user:');
  await db.$executeRaw`insert into personal_access_tokens (selector, verifier, user_id, description, expires_at)
    values (${credential.selector}, ${verifier ?? credential.verifier}, ${user}, ${name}, ${expires}::timestamptz)`;
  return credential;
};

const MAKERS = { API: addApiToken, personal: addPersonalToken } as const;
type Kind = keyof typeof MAKERS;
const KINDS: Kind[] = ['API', 'personal'];

const statusOf = async ({ gateway }: AttachedGateway, token: string): Promise<number> => {
  const { status, body } = await gateway.rest('/api/admin/search/events', { token });
  const graphql = await gateway.graphql('{ viewer { kind } }', {}, { token });
  // SDK tokens are known, so GraphQL returns 403 as well.
  expect(graphql.status).toBe(status);
  if (status === 401) {
    expect(body).toMatchObject({
      name: 'AuthenticationRequired',
      message: expect.stringContaining('its user was deleted'),
    });
  }
  return status;
};

const swapCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

const withoutPrefix = (secret: string): string => secret.replace(/^(user:|[^.]*\.)/, '');

/** Changes a character near the end; not the last of the 43, which encodes fewer bits. */
const alterSecret = (secret: string): string => {
  const at = secret.length - 5;
  return `${secret.slice(0, at)}${secret[at] === 'x' ? 'y' : 'x'}${secret.slice(at + 1)}`;
};

const otherSelector = (secret: string, selector: string): string =>
  secret.replace(selector, randomBytes(16).toString('base64url'));

let attached: AttachedGateway;
beforeAll(async () => {
  attached = await attach(NEWER_TOKENS);
});
afterAll(() => attached?.close());

describe.each(KINDS)('a newer %s token', (kind) => {
  const add = MAKERS[kind];

  test('is accepted', async () => {
    expect(await statusOf(attached, (await add(attached)).secret)).toBe(200);
  });

  test('is accepted with the Bearer scheme', async () => {
    expect(await statusOf(attached, `Bearer ${(await add(attached)).secret}`)).toBe(200);
  });

  test.each<[string, (credential: Credential) => string]>([
    ['with another secret part', ({ secret }) => alterSecret(secret)],
    [
      'with an entirely different secret part',
      ({ secret }) => `${secret.slice(0, -43)}${'A'.repeat(43)}`,
    ],
    ['with another selector', ({ secret, selector }) => otherSelector(secret, selector)],
    ['with its letter case swapped', ({ secret }) => swapCase(secret)],
    [
      'with the letter case of its selector swapped',
      ({ secret, selector }) => secret.replace(selector, swapCase(selector)),
    ],
    ['with its version prefix in upper case', ({ secret }) => secret.replace('v2_', 'V2_')],
    ['with an extra character', ({ secret }) => `${secret}A`],
    ['with padding', ({ secret }) => `${secret}=`],
    ['without its last character', ({ secret }) => secret.slice(0, -1)],
    ['with an extra leading character', ({ secret }) => `x${secret}`],
    ['repeated', ({ secret }) => `${secret}${secret}`],
    ['without its secret part', ({ secret }) => secret.slice(0, -44)],
    ['without its prefix', ({ secret }) => withoutPrefix(secret)],
    ['by its selector alone', ({ selector }) => selector],
    ['by its verifier alone', ({ verifier }) => verifier],
    [
      'with the verifier as secret part',
      ({ secret, verifier }) => `${secret.slice(0, -43)}${verifier}`,
    ],
    [
      'with a wildcard as selector',
      ({ secret, selector }) => secret.replace(selector, '%'.repeat(22)),
    ],
  ])('is rejected %s', async (_, forge) => {
    expect(await statusOf(attached, forge(await add(attached)))).toBe(401);
  });

  test('is rejected with the prefix of the other kind', async () => {
    const { secret } = await add(attached);
    const prefix = kind === 'API' ? 'user:' : '*:development.';
    expect(await statusOf(attached, `${prefix}${withoutPrefix(secret)}`)).toBe(401);
    expect(await statusOf(attached, `user:${secret}`)).toBe(401);
  });

  test('is rejected with the prefix of other projects and environments', async () => {
    const { secret } = await add(attached);
    expect(await statusOf(attached, `*:*.${withoutPrefix(secret)}`)).toBe(401);
  });

  test('is rejected with the secret part of another token', async () => {
    const [one, other] = [await add(attached), await add(attached)];
    const mixed = `${one.secret.slice(0, -43)}${other.secret.slice(-43)}`;
    expect(await statusOf(attached, mixed)).toBe(401);
  });

  test.each([
    ['is of another token', makeCredential('user:').verifier],
    ['is empty', ''],
    ['is longer', `${makeCredential('user:').verifier}A`],
  ])('is rejected when its stored verifier %s', async (_, verifier) => {
    expect(await statusOf(attached, (await add(attached, { verifier })).secret)).toBe(401);
  });

  test('is rejected once it has expired', async () => {
    expect(await statusOf(attached, (await add(attached, { expires: '2020-01-01' })).secret)).toBe(
      401,
    );
    expect(await statusOf(attached, (await add(attached, { expires: '2098-01-01' })).secret)).toBe(
      200,
    );
  });

  test('is rejected as soon as it is revoked', async () => {
    const { secret, selector } = await add(attached);
    expect(await statusOf(attached, secret)).toBe(200);
    const table = kind === 'API' ? 'api_tokens_v2' : 'personal_access_tokens';
    await runSql(attached.url, `DELETE FROM ${table} WHERE selector = '${selector}'`);
    expect(await statusOf(attached, secret)).toBe(401);
  });
});

describe('a newer API token', () => {
  const statusOfType = async (type: string) =>
    statusOf(attached, (await addApiToken(attached, { type })).secret);

  test('is accepted depending on its type', async () => {
    expect(await statusOfType('admin')).toBe(200);
    expect(await statusOfType('client')).toBe(403);
    expect(await statusOfType('backend')).toBe(403);
    expect(await statusOfType('frontend')).toBe(403);
  });

  test('of type admin clones under its name', async () => {
    const { secret } = await addApiToken(attached, { name: 'secure robot' });
    const { status } = await cloneOverRest(attached.gateway, {
      source: 'source',
      name: 'copy-by-robot',
      token: secret,
    });
    expect(status).toBe(200);
    const events = await runSql(
      attached.url,
      "SELECT created_by, created_by_user_id FROM events WHERE feature_name = 'copy-by-robot'",
    );
    expect(events).toEqual([{ created_by: 'secure robot', created_by_user_id: -42 }]);
  });

  test('is not looked up among the older tokens', async () => {
    const { secret } = makeCredential('*:development.');
    await attached.db.apiToken.create({ data: { secret, username: 'by hand', type: 'admin' } });
    expect(await statusOf(attached, secret)).toBe(401);
  });
});

describe('a newer personal token', () => {
  test('authenticates its owner only', async () => {
    const { secret } = await addPersonalToken(attached, { user: PEOPLE.ben });
    const { data } = await attached.gateway.graphql(
      '{ viewer { userId name isAdmin } }',
      {},
      { token: secret },
    );
    expect(data.viewer).toEqual({ userId: PEOPLE.ben, name: 'Ben', isAdmin: false });
  });

  test('is rejected once its owner is deleted', async () => {
    const { db } = attached;
    const user = await db.user.create({ data: { username: 'leaver' } });
    const { secret } = await addPersonalToken(attached, { user: user.id });
    expect(await statusOf(attached, secret)).toBe(200);
    await db.user.update({ where: { id: user.id }, data: { deletedAt: new Date() } });
    expect(await statusOf(attached, secret)).toBe(401);
  });
});

test('older tokens stay valid beside the newer ones', async () => {
  expect(await statusOf(attached, CLONE_TOKENS.admin)).toBe(200);
  expect(await statusOf(attached, CLONE_TOKENS.ann)).toBe(200);
  for (const token of ['user:', 'user:null', 'user:v2_', '*:*.v2_', 'null']) {
    expect(await statusOf(attached, token)).toBe(401);
  }
});

test('verifiers of any form are compared without an error', () => {
  const { secret, verifier } = makeCredential('user:');
  expect(isVerified(secret, verifier)).toBe(true);
  for (const other of [
    '',
    'x',
    verifier.slice(1),
    `${verifier}=`,
    swapCase(verifier),
    'ä'.repeat(43),
  ]) {
    expect(isVerified(secret, other)).toBe(false);
  }
});

test('before an upgrade of Unleash, newer tokens are looked up like older ones', async () => {
  const older = await attach([]);
  try {
    const api = makeCredential('*:development.').secret;
    const personal = makeCredential('user:').secret;
    expect(await statusOf(older, api)).toBe(401);
    expect(await statusOf(older, personal)).toBe(401);
    await older.db.apiToken.create({ data: { secret: api, username: 'x', type: 'admin' } });
    const owner = { userId: PEOPLE.ann, expiresAt: new Date('2099-01-01') };
    await older.db.personalAccessToken.create({ data: { secret: personal, ...owner } });
    expect(await statusOf(older, api)).toBe(200);
    expect(await statusOf(older, personal)).toBe(200);

    // Unleash is upgraded while the gateway runs.
    await runSql(older.url, ...NEWER_TOKENS);
    expect(await statusOf(older, api)).toBe(401);
    expect(await statusOf(older, personal)).toBe(401);
    expect(await statusOf(older, (await addApiToken(older)).secret)).toBe(200);
    expect(await statusOf(older, (await addPersonalToken(older)).secret)).toBe(200);
    expect(await statusOf(older, CLONE_TOKENS.ann)).toBe(200);
  } finally {
    await older.close();
  }
});

describe('the command line', () => {
  const run = async (url: string, ...args: string[]) => {
    const printed: string[] = [];
    const errors: string[] = [];
    const command = tokenCommand({
      env: { DATABASE_URL: url },
      print: (line) => printed.push(line),
    });
    for (const one of [command, ...command.commands]) {
      one.exitOverride().configureOutput({ writeErr: (text) => errors.push(text) });
    }
    await command
      .parseAsync([...args, '--allow-foreign-database'], { from: 'user' })
      .catch(() => undefined);
    return { printed, errors: errors.join('') };
  };

  test('lists tokens of every kind without their secrets', async () => {
    const api = await addApiToken(attached, { name: 'listed api', type: 'frontend' });
    const personal = await addPersonalToken(attached, { name: 'listed personal' });
    const { printed, errors } = await run(attached.url, 'list');
    expect(errors).toBe('');
    const lineOf = (name: string) => printed.find((line) => line.includes(name)) ?? '';
    expect(lineOf('listed api')).toMatch(/^frontend +listed api +v2_\S{4}… +– +never$/);
    expect(lineOf('listed api')).toContain(api.selector.slice(0, 4));
    expect(lineOf('listed personal')).toMatch(
      /^personal +listed personal +user:v2_\S{4}… +ann@example.com +2099-01-01$/,
    );
    expect(lineOf('clone-robot')).toMatch(/^admin /);
    const all = printed.join('\n');
    for (const { secret, selector, verifier } of [api, personal]) {
      for (const part of [secret.slice(-43), selector, verifier]) expect(all).not.toContain(part);
    }
  });

  test('creates tokens that are accepted', async () => {
    await addPersonalToken(attached, { name: 'namesake' });
    const admin = await run(attached.url, 'create', 'admin', '--name', 'made');
    const personal = await run(
      attached.url,
      'create',
      'personal',
      '--name',
      'made',
      '--user',
      'ann',
    );
    expect([admin.errors, personal.errors]).toEqual(['', '']);
    expect(await statusOf(attached, admin.printed.join())).toBe(200);
    expect(await statusOf(attached, personal.printed.join())).toBe(200);

    const again = await run(
      attached.url,
      'create',
      'personal',
      '--name',
      'namesake',
      '--user',
      'ann',
    );
    expect(again.errors).toContain("already has a token named 'namesake'");
  });
});

describe('an Unleash version without plain personal tokens', () => {
  let later: AttachedGateway;
  beforeAll(async () => {
    later = await attach([
      ...NEWER_TOKENS,
      'DELETE FROM personal_access_tokens',
      'ALTER TABLE personal_access_tokens DROP COLUMN secret CASCADE',
    ]);
  });
  afterAll(() => later?.close());

  test('is served', async () => {
    expect(await statusOf(later, (await addPersonalToken(later)).secret)).toBe(200);
    expect(await statusOf(later, alterSecret((await addPersonalToken(later)).secret))).toBe(401);
    expect(await statusOf(later, CLONE_TOKENS.ann)).toBe(401);
    expect(await statusOf(later, CLONE_TOKENS.admin)).toBe(200);
    expect((await later.gateway.rest('/readyz', { token: null })).status).toBe(200);
    const { report } = await runDoctorJson(later.url);
    expect(report.operations.authentication).toMatchObject({
      isPossible: true,
      missingColumns: [],
    });
  });

  test('has its tokens listed, and creation of personal tokens is left to Unleash', async () => {
    await addPersonalToken(later, { name: 'listed' });
    const names = (await listTokens(later.db)).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['clone-robot', 'listed']));
    await expect(
      createToken(later.db, { kind: 'personal', name: 'made', user: 'ann' }),
    ).rejects.toThrow('Create the token in Unleash');
    const admin = await createToken(later.db, { kind: 'admin', name: 'made' });
    expect(await statusOf(later, admin)).toBe(200);
  });

  test('is rejected when it has no selector column either', async () => {
    const { url, drop } = await createMigratedDatabase();
    await convertToUnleash(url);
    await runSql(url, 'ALTER TABLE personal_access_tokens DROP COLUMN secret');
    const opening = openDatabase({ dataDir: 'memory://', databaseUrl: url });
    await expect(opening).rejects.toThrow('Missing: personal_access_tokens.secret.');
    await drop();
  });
});
