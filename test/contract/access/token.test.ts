import { beforeAll, expect, test } from 'vitest';
import { createToken } from '../../../src/cli/create-token.js';
import { listTokens } from '../../../src/cli/list-tokens.js';
import type { PrismaClient } from '../../../src/data/db.js';
import { loadDemoData } from '../../../src/demo/load-demo-data.js';
import { describeWithDatabase } from '../../testkit/database.js';

const DAY_MS = 86_400_000;

describeWithDatabase('tokens', (open) => {
  let db: PrismaClient;
  beforeAll(async () => {
    db = (await open()).client;
    await loadDemoData(db, { now: new Date() });
  });

  test('have the format of Unleash', async () => {
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

  test('belong to the user named by username, email, display name or ID', async () => {
    const names = ['olu', 'Ada.Berg@harbour-pine.example', '3', 'Ada Berg'];
    const owners = [4, 1, 3, 1];
    for (const [index, user] of names.entries()) {
      const name = `phone ${index}`;
      const secret = await createToken(db, {
        kind: 'personal',
        name,
        user,
        expiresInDays: 30,
      });
      const row = await db.personalAccessToken.findFirstOrThrow({ where: { secret } });
      expect(row).toMatchObject({ userId: owners[index], description: name });
      const days = (row.expiresAt.getTime() - Date.now()) / DAY_MS;
      expect(Math.round(days)).toBe(30);
    }
  });

  test('are rejected for a display name of several users, with the candidates', async () => {
    await db.user.createMany({
      data: ['one', 'two'].map((username) => ({ name: 'Same Name', username })),
    });
    const namesakes = await db.user.findMany({ where: { name: 'Same Name' } });
    const rejected = createToken(db, { kind: 'personal', name: 'x', user: 'Same Name' });
    await expect(rejected).rejects.toThrow(/'Same Name' matches several users/);
    for (const { id, username } of namesakes) {
      await expect(rejected).rejects.toThrow(`${id} ${username}, Same Name`);
    }
    await db.user.deleteMany({ where: { name: 'Same Name' } });
  });

  test.each([
    ['without an owner', { kind: 'personal', name: 'x' }, /--user/],
    ['for an unknown user', { kind: 'personal', name: 'x', user: 'nobody' }, /no user 'nobody'/],
    ['for a deleted user', { kind: 'personal', name: 'x', user: '13' }, /no user '13'/],
    [
      'for the system user',
      { kind: 'personal', name: 'x', user: 'unleash_system_user' },
      /no user/,
    ],
    [
      'with a name that is taken',
      { kind: 'personal', name: 'demo viewer', user: '3' },
      /already has/,
    ],
    ['with an owner for an admin token', { kind: 'admin', name: 'x', user: 'ada' }, /--user/],
    ['without a name', { kind: 'admin', name: '  ' }, /name/],
    ['with an escape sequence', { kind: 'admin', name: 'x\u001b[2Jy' }, /control characters/],
    ['with a line break', { kind: 'personal', name: 'x\ny', user: '3' }, /control characters/],
    ['with a direction mark', { kind: 'admin', name: 'x\u202ey' }, /direction marks/],
    ['with a lone surrogate', { kind: 'admin', name: 'x\ud800' }, /control characters/],
    ['with a lifetime of 0 days', { kind: 'admin', name: 'x', expiresInDays: 0 }, /days/],
    ['with a lifetime of half a day', { kind: 'admin', name: 'x', expiresInDays: 0.5 }, /days/],
    ['with an expiry out of range', { kind: 'admin', name: 'x', expiresInDays: 1e12 }, /days/],
    ['for an unknown environment', { kind: 'client', name: 'x', environment: 'moon' }, /'moon'/],
  ] as const)('are rejected %s', async (_, token, message) => {
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
