import { expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import type { PrismaClient } from '../../../src/data/db.js';
import { createDeployment } from '../../../src/domain/deployment.js';
import { startGateway } from '../../testkit/app.js';
import { createRole, runSql } from '../../testkit/attach.js';
import {
  createDatabase,
  createMigratedDatabase,
  describeWithDatabase,
} from '../../testkit/database.js';
import { addAdminToken } from '../../testkit/seeded.js';

const NAME = 'instanceInfo';
const setInfo = (client: PrismaClient, content: object) =>
  client.setting.upsert({
    where: { name: NAME },
    create: { name: NAME, content },
    update: { content },
  });
const fingerprintOf = (client: PrismaClient) => createDeployment(client).findFingerprint();

describeWithDatabase('the deployment fingerprint', (open) => {
  test('is created with the tables and depends on the instance ID of Unleash', async () => {
    const { client } = await open();
    const initial = await fingerprintOf(client);
    expect(initial).toMatch(/^[\w-]{6}$/);
    expect(await fingerprintOf(client)).toBe(initial);

    await setInfo(client, { id: 'one' });
    const one = await fingerprintOf(client);
    await setInfo(client, { id: 'two' });
    expect(new Set([initial, one, await fingerprintOf(client)]).size).toBe(3);
    await setInfo(client, { id: 'one', more: true });
    expect(await fingerprintOf(client)).toBe(one);
  });

  test('is null without an instance ID', async () => {
    const { client } = await open();
    for (const content of [{}, { id: 5 }, { id: '' }, { id: null }, ['id']]) {
      await setInfo(client, content);
      expect([content, await fingerprintOf(client)]).toEqual([content, null]);
    }
    await client.setting.delete({ where: { name: NAME } });
    expect(await fingerprintOf(client)).toBeNull();
  });

  test('is read once for concurrent callers', async () => {
    const statements: string[] = [];
    const { client } = await open({ onQuery: (sql) => statements.push(sql) });
    const deployment = createDeployment(client);
    statements.length = 0;
    const fingerprints = await Promise.all(
      Array.from({ length: 50 }, () => deployment.findFingerprint()),
    );
    await deployment.findFingerprint();
    expect(new Set(fingerprints).size).toBe(1);
    expect(statements).toHaveLength(1);
  });

  test('is read again after a failed read', async () => {
    const { client } = await open();
    const deployment = createDeployment(client);
    await client.$executeRawUnsafe('ALTER TABLE settings RENAME TO settings_away');
    await expect(deployment.findFingerprint()).rejects.toThrow();
    await client.$executeRawUnsafe('ALTER TABLE settings_away RENAME TO settings');
    expect(await deployment.findFingerprint()).toMatch(/^[\w-]{6}$/);
  });
});

const NODE_ID = '{ project(id: "default") { nodeId } }';
const NODE = 'query ($id: ID!) { node(id: $id) { __typename nodeId } }';

const withGateway = async <Result>(
  databaseUrl: string,
  work: (gateway: Awaited<ReturnType<typeof startGateway>>, database: Database) => Promise<Result>,
): Promise<Result> => {
  const database = await openDatabase({ dataDir: 'memory://', databaseUrl });
  const gateway = await startGateway(database);
  try {
    return await work(gateway, database);
  } finally {
    await gateway.stop();
    await database.close();
  }
};

test('node IDs of one new database are rejected by another', async () => {
  const [one, two] = await Promise.all([createDatabase(), createDatabase()]);
  const idIn = (url: string) =>
    withGateway(url, async (gateway, { client }) => {
      await addAdminToken(client);
      const { data } = await gateway.graphql(NODE_ID);
      expect((await gateway.graphql(NODE, { id: data.project.nodeId })).data.node).not.toBeNull();
      return data.project.nodeId as string;
    });
  const id = await idIn(one.url);
  expect(await idIn(two.url)).not.toBe(id);

  const { data, errors } = await withGateway(two.url, (gateway) => gateway.graphql(NODE, { id }));
  expect(data).toEqual({ node: null });
  expect(errors?.[0].message).toMatch(/^'id' is a nodeId of another deployment\. /);
  await Promise.all([one.drop(), two.drop()]);
});

test('without SELECT on settings, node IDs have no fingerprint and those of any deployment are accepted', async () => {
  const { url, drop } = await createMigratedDatabase();
  const marked = await withGateway(url, async (gateway, { client }) => {
    await addAdminToken(client);
    return (await gateway.graphql(NODE_ID)).data.project.nodeId as string;
  });
  const role = await createRole(url);
  await runSql(
    url,
    `GRANT USAGE ON SCHEMA public TO ${role.name}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role.name}`,
    `REVOKE SELECT ON settings FROM ${role.name}`,
  );

  await withGateway(role.url, async (gateway) => {
    const { data, errors } = await gateway.graphql(NODE_ID);
    expect(errors).toBeUndefined();
    expect(Buffer.from(data.project.nodeId, 'base64url').toString()).toBe('1::Project:default');
    for (const id of [marked, data.project.nodeId]) {
      expect((await gateway.graphql(NODE, { id })).data.node).toEqual({
        __typename: 'Project',
        nodeId: data.project.nodeId,
      });
    }
  });
  await role.drop();
  await drop();
});
