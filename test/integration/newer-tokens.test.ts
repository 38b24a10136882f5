import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isVerified } from '../../src/auth/credential.js';
import { createToken } from '../../src/cli/create-token.js';
import { listTokens } from '../../src/cli/list-tokens.js';
import { tokenCommand } from '../../src/cli/token.js';
import { type Database, openDatabase } from '../../src/data/connect.js';
import { ORIGINAL_VERSIONS } from '../../src/data/doctor/original-version.js';
import { type Gateway, startGateway } from '../testkit/app.js';
import { askDoctor, runSql, turnIntoOriginal } from '../testkit/attach.js';
import { cloneOverRest } from '../testkit/clone-calls.js';
import { addCloneWorld, addFeature, CLONE_TOKENS, PEOPLE } from '../testkit/clone-world.js';
import { createMigratedDatabase } from '../testkit/database.js';

/** What version 8.2 of the original changes about tokens. */
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

type Place = {
  url: string;
  db: Database['client'];
  gateway: Gateway;
  close: () => Promise<void>;
};

/** A database of the original with its old tokens in it, after some changes, and a gateway on it. */
const attach = async (changes: readonly string[]): Promise<Place> => {
  const { url, drop } = await createMigratedDatabase();
  const filling = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
  await addCloneWorld(filling.client);
  await addFeature(filling.client, { name: 'source' });
  await filling.close();
  await turnIntoOriginal(url, [ORIGINAL_VERSIONS[3].lastMigration]);
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
  { db }: Place,
  { type = 'admin', name = 'secure', expires, verifier }: ApiTokenOptions = {},
): Promise<Credential> => {
  const made = makeCredential('*:development.');
  await db.$executeRaw`insert into api_tokens_v2 (selector, verifier, token_name, type, environment, expires_at)
    values (${made.selector}, ${verifier ?? made.verifier}, ${name}, ${type}, 'development', ${expires ?? null}::timestamptz)`;
  return made;
};

type PersonalOptions = { user?: number; expires?: string; verifier?: string; name?: string };

const addPersonalToken = async (
  { db }: Place,
  { user = PEOPLE.ann, expires = '2099-01-01', verifier, name = 'new kind' }: PersonalOptions = {},
): Promise<Credential> => {
  const made = makeCredential('user:');
  await db.$executeRaw`insert into personal_access_tokens (selector, verifier, user_id, description, expires_at)
    values (${made.selector}, ${verifier ?? made.verifier}, ${user}, ${name}, ${expires}::timestamptz)`;
  return made;
};

const MAKERS = { API: addApiToken, personal: addPersonalToken } as const;
type Kind = keyof typeof MAKERS;
const KINDS: Kind[] = ['API', 'personal'];

const statusOf = async ({ gateway }: Place, token: string): Promise<number> => {
  const { status, body } = await gateway.rest('/api/admin/search/events', { token });
  const graphql = await gateway.graphql('{ viewer { kind } }', {}, { token });
  // A token of an SDK is known, so GraphQL tells 403 as well.
  expect(graphql.status).toBe(status);
  if (status === 401) {
    expect(body).toMatchObject({
      name: 'AuthenticationRequired',
      message: expect.stringContaining('unknown, expired or belongs to nobody'),
    });
  }
  return status;
};

const swapCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

const withoutPrefix = (secret: string): string => secret.replace(/^(user:|[^.]*\.)/, '');

/** Ends on another character; the last one of 43 holds fewer bits than it could, so it is not that one. */
const alterSecret = (secret: string): string => {
  const at = secret.length - 5;
  return `${secret.slice(0, at)}${secret[at] === 'x' ? 'y' : 'x'}${secret.slice(at + 1)}`;
};

const otherSelector = (secret: string, selector: string): string =>
  secret.replace(selector, randomBytes(16).toString('base64url'));

let place: Place;
beforeAll(async () => {
  place = await attach(NEWER_TOKENS);
});
afterAll(() => place?.close());

describe.each(KINDS)('a newer %s token', (kind) => {
  const add = MAKERS[kind];

  test('is let in', async () => {
    expect(await statusOf(place, (await add(place)).secret)).toBe(200);
  });

  test('is let in with the scheme Bearer in front', async () => {
    expect(await statusOf(place, `Bearer ${(await add(place)).secret}`)).toBe(200);
  });

  test.each<[string, (made: Credential) => string]>([
    ['with another secret part', ({ secret }) => alterSecret(secret)],
    [
      'with a wholly different secret part',
      ({ secret }) => `${secret.slice(0, -43)}${'A'.repeat(43)}`,
    ],
    ['with another selector', ({ secret, selector }) => otherSelector(secret, selector)],
    ['with its letters in the other case', ({ secret }) => swapCase(secret)],
    [
      'with the selector in the other case',
      ({ secret, selector }) => secret.replace(selector, swapCase(selector)),
    ],
    ['with the mark of its kind in capitals', ({ secret }) => secret.replace('v2_', 'V2_')],
    ['with a character more', ({ secret }) => `${secret}A`],
    ['with padding', ({ secret }) => `${secret}=`],
    ['with a character less', ({ secret }) => secret.slice(0, -1)],
    ['with a character in front', ({ secret }) => `x${secret}`],
    ['given twice', ({ secret }) => `${secret}${secret}`],
    ['without its secret part', ({ secret }) => secret.slice(0, -44)],
    ['without its prefix', ({ secret }) => withoutPrefix(secret)],
    ['by its selector alone', ({ selector }) => selector],
    ['by its verifier alone', ({ verifier }) => verifier],
    [
      'with the verifier for a secret part',
      ({ secret, verifier }) => `${secret.slice(0, -43)}${verifier}`,
    ],
    [
      'with a wildcard for the selector',
      ({ secret, selector }) => secret.replace(selector, '%'.repeat(22)),
    ],
  ])('is refused %s', async (_, forge) => {
    expect(await statusOf(place, forge(await add(place)))).toBe(401);
  });

  test('is refused as one of the other kind', async () => {
    const { secret } = await add(place);
    const prefix = kind === 'API' ? 'user:' : '*:development.';
    expect(await statusOf(place, `${prefix}${withoutPrefix(secret)}`)).toBe(401);
    expect(await statusOf(place, `user:${secret}`)).toBe(401);
  });

  test('is refused under the prefix of other projects and environments', async () => {
    const { secret } = await add(place);
    expect(await statusOf(place, `*:*.${withoutPrefix(secret)}`)).toBe(401);
  });

  test('is refused with the secret part of another', async () => {
    const [one, other] = [await add(place), await add(place)];
    const mixed = `${one.secret.slice(0, -43)}${other.secret.slice(-43)}`;
    expect(await statusOf(place, mixed)).toBe(401);
  });

  test.each([
    ['is of another token', makeCredential('user:').verifier],
    ['is empty', ''],
    ['is longer', `${makeCredential('user:').verifier}A`],
  ])('is refused when the verifier kept for it %s', async (_, verifier) => {
    expect(await statusOf(place, (await add(place, { verifier })).secret)).toBe(401);
  });

  test('is refused once it has expired', async () => {
    expect(await statusOf(place, (await add(place, { expires: '2020-01-01' })).secret)).toBe(401);
    expect(await statusOf(place, (await add(place, { expires: '2098-01-01' })).secret)).toBe(200);
  });

  test('is refused from the moment it is revoked', async () => {
    const { secret, selector } = await add(place);
    expect(await statusOf(place, secret)).toBe(200);
    const table = kind === 'API' ? 'api_tokens_v2' : 'personal_access_tokens';
    await runSql(place.url, `DELETE FROM ${table} WHERE selector = '${selector}'`);
    expect(await statusOf(place, secret)).toBe(401);
  });
});

describe('a newer API token', () => {
  const statusOfType = async (type: string) =>
    statusOf(place, (await addApiToken(place, { type })).secret);

  test('is let in by its type', async () => {
    expect(await statusOfType('admin')).toBe(200);
    expect(await statusOfType('client')).toBe(403);
    expect(await statusOfType('backend')).toBe(403);
    expect(await statusOfType('frontend')).toBe(403);
  });

  test('of type admin clones under its name', async () => {
    const { secret } = await addApiToken(place, { name: 'secure robot' });
    const { status } = await cloneOverRest(place.gateway, {
      source: 'source',
      name: 'copy-by-robot',
      token: secret,
    });
    expect(status).toBe(200);
    const events = await runSql(
      place.url,
      "SELECT created_by, created_by_user_id FROM events WHERE feature_name = 'copy-by-robot'",
    );
    expect(events).toEqual([{ created_by: 'secure robot', created_by_user_id: -42 }]);
  });

  test('is not looked for among the older ones', async () => {
    const { secret } = makeCredential('*:development.');
    await place.db.apiToken.create({ data: { secret, username: 'by hand', type: 'admin' } });
    expect(await statusOf(place, secret)).toBe(401);
  });
});

describe('a newer personal token', () => {
  test('stands for its owner and no other', async () => {
    const { secret } = await addPersonalToken(place, { user: PEOPLE.ben });
    const { data } = await place.gateway.graphql(
      '{ viewer { userId name isAdmin } }',
      {},
      { token: secret },
    );
    expect(data.viewer).toEqual({ userId: PEOPLE.ben, name: 'Ben', isAdmin: false });
  });

  test('is refused once its owner has left', async () => {
    const { db } = place;
    const leaver = await db.user.create({ data: { username: 'leaver' } });
    const { secret } = await addPersonalToken(place, { user: leaver.id });
    expect(await statusOf(place, secret)).toBe(200);
    await db.user.update({ where: { id: leaver.id }, data: { deletedAt: new Date() } });
    expect(await statusOf(place, secret)).toBe(401);
  });
});

test('older tokens go on beside the newer ones', async () => {
  expect(await statusOf(place, CLONE_TOKENS.admin)).toBe(200);
  expect(await statusOf(place, CLONE_TOKENS.ann)).toBe(200);
  for (const token of ['user:', 'user:null', 'user:v2_', '*:*.v2_', 'null']) {
    expect(await statusOf(place, token)).toBe(401);
  }
});

test('verifiers of any form are compared without a complaint', () => {
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

test('before the newer kinds were introduced, such a text is a secret like any other', async () => {
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

    // The original is upgraded while the gateway runs.
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

  test('lists tokens of every kind without anything to use them by', async () => {
    const api = await addApiToken(place, { name: 'listed api', type: 'frontend' });
    const personal = await addPersonalToken(place, { name: 'listed personal' });
    const { printed, errors } = await run(place.url, 'list');
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

  test('makes tokens that are let in', async () => {
    await addPersonalToken(place, { name: 'namesake' });
    const admin = await run(place.url, 'create', 'admin', '--name', 'made');
    const personal = await run(place.url, 'create', 'personal', '--name', 'made', '--user', 'ann');
    expect([admin.errors, personal.errors]).toEqual(['', '']);
    expect(await statusOf(place, admin.printed.join())).toBe(200);
    expect(await statusOf(place, personal.printed.join())).toBe(200);

    const again = await run(place.url, 'create', 'personal', '--name', 'namesake', '--user', 'ann');
    expect(again.errors).toContain("already has a token called 'namesake'");
  });
});

describe('an original that keeps no plain personal tokens any more', () => {
  let later: Place;
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
    const { report } = await askDoctor(later.url);
    expect(report.operations.authentication).toMatchObject({
      isPossible: true,
      missingColumns: [],
    });
  });

  test('has its tokens listed, and makes them itself', async () => {
    await addPersonalToken(later, { name: 'listed' });
    const names = (await listTokens(later.db)).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['clone-robot', 'listed']));
    await expect(
      createToken(later.db, { kind: 'personal', name: 'made', user: 'ann' }),
    ).rejects.toThrow('Make the token in the service it belongs to');
    const admin = await createToken(later.db, { kind: 'admin', name: 'made' });
    expect(await statusOf(later, admin)).toBe(200);
  });

  test('and has nothing else to know them by is not one that can be served', async () => {
    const { url, drop } = await createMigratedDatabase();
    await turnIntoOriginal(url);
    await runSql(url, 'ALTER TABLE personal_access_tokens DROP COLUMN secret');
    const opening = openDatabase({ dataDir: 'memory://', databaseUrl: url });
    await expect(opening).rejects.toThrow('Missing: personal_access_tokens.secret.');
    await drop();
  });
});
