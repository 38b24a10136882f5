import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/data/connect.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { outcomesOf, sendClones } from '../../testkit/clone-lists.js';
import {
  openPostgresWorld,
  type PostgresWorld,
  until,
  untilWaiting,
} from '../../testkit/clone-postgres.js';
import { type StatementProxy, startStatementProxy } from '../../testkit/clone-proxy.js';
import { changesOf, NO_CHANGE } from '../../testkit/clone-tables.js';
import { addFeature, addFullSource, CLONE_TOKENS, PEOPLE } from '../../testkit/clone-world.js';

const WRITE = /insert into features/;
const COPIED = 'CloneFeaturePayload';

describe('cloning several features while something changes', () => {
  let world: PostgresWorld;
  let proxy: StatementProxy;
  let gateway: Gateway;
  let withShortTimeout: Gateway;

  beforeAll(async () => {
    world = await openPostgresWorld();
    await addFullSource(world.db, 'wanted');
    await addFeature(world.db, { name: 'plain' });
    proxy = await startStatementProxy(world.url);
    world.onClose(proxy.close);
    const start = async (settings: Record<string, string>) => {
      const database = await openDatabase({ dataDir: 'memory://', databaseUrl: proxy.url });
      world.onClose(database.close);
      const started = await startGateway(database, settings);
      world.onClose(started.stop);
      return started;
    };
    gateway = await start({});
    withShortTimeout = await start({ REQUEST_TIMEOUT_MS: '1500' });
  });
  afterAll(() => world.close());

  const run = (sql: string) => world.db.$executeRawUnsafe(sql);
  const countOf = (startsWith: string) =>
    world.db.feature.count({ where: { name: { startsWith } } });
  const limit = (featureLimit: number | null) =>
    world.db.projectSettings.update({ where: { projectId: 'small' }, data: { featureLimit } });
  const listOf = (prefix: string, count: number, project = 'shop') =>
    Array.from({ length: count }, (_, index) => ({
      source: index % 2 ? 'plain' : 'wanted',
      name: `${prefix}-${index}`,
      project,
    }));

  test.each([
    [
      'a name is taken',
      `insert into features (name, project) values ('late-1', 'shop')`,
      ['NotWrittenError', 'NameExistsError'],
    ],
    [
      'a source is archived',
      `update features set archived_at = now() where name = 'plain'`,
      ['NotWrittenError', 'NotFoundError'],
    ],
    [
      'the project gets change requests',
      `insert into change_request_settings (project, environment, required_approvals) values ('shop', 'production', 1)`,
      ['CloneRefusedError', 'CloneRefusedError'],
    ],
    [
      'the caller loses the permission',
      `delete from role_user where user_id = ${PEOPLE.ben} and project = 'shop'`,
      ['NoAccessError', 'NoAccessError'],
    ],
  ])('is checked again before the write: %s', async (_title, sql, expected) => {
    proxy.holdAt(WRITE, () => run(sql));
    const outcomes = await outcomesOf(gateway, listOf('late', 2), { token: CLONE_TOKENS.ben });
    expect(outcomes.kinds).toEqual(expected);
    await run(`delete from features where name = 'late-1'`);
    await run(`update features set archived_at = null where name = 'plain'`);
    await run(`delete from change_request_settings where project = 'shop'`);
    await run(
      `insert into role_user (role_id, user_id, project) values (5, ${PEOPLE.ben}, 'shop') on conflict do nothing`,
    );
    expect(await countOf('late')).toBe(0);
  });

  test('checks the limits again for all of them together', async () => {
    await limit(3);
    proxy.holdAt(WRITE, () =>
      run(`insert into features (name, project) values ('filler', 'small')`),
    );
    const listed = listOf('limited', 3, 'small').map((clone) => ({ ...clone, source: 'plain' }));
    const outcomes = await outcomesOf(gateway, listed);
    expect(outcomes.kinds).toEqual(['NotWrittenError', 'NotWrittenError', 'FeatureLimitError']);
    expect(await countOf('limited')).toBe(0);
    await limit(1);
  });

  test('concurrent lists fill a project and do not exceed its limit', async () => {
    const before = await world.db.feature.count({ where: { projectId: 'small' } });
    await limit(before + 10);
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, list) =>
        outcomesOf(
          gateway,
          listOf(`raced-${list}`, 4, 'small').map((clone) => ({ ...clone, source: 'plain' })),
        ),
      ),
    );
    expect(outcomes.filter(({ succeeded }) => succeeded)).toHaveLength(2);
    expect(await countOf('raced')).toBe(8);
    await limit(1);
  });

  test('lists with the same keys in another order wait for each other, and write one copy each', async () => {
    const listed = Array.from({ length: 8 }, (_, index) => ({
      source: 'plain',
      name: `keyed-${index}`,
      idempotencyKey: `key-${index}`,
    }));
    const outcomes = await Promise.all(
      [listed, listed.toReversed(), listed, listed.toReversed()].map((list) =>
        outcomesOf(gateway, list),
      ),
    );
    for (const { kinds } of outcomes) expect(kinds).toEqual(Array(8).fill(COPIED));
    const created = { type: 'feature-created', featureName: { startsWith: 'keyed' } };
    expect(await world.db.event.count({ where: created })).toBe(8);
  });

  test('writes nothing if the connection is lost before the write', async () => {
    const changes = await changesOf(world.db, async () => {
      proxy.setTrap({ at: WRITE, when: 'before' });
      const { errors } = await sendClones(gateway, listOf('lost', 3));
      expect(proxy.takeTrap()).toMatch(WRITE);
      expect(errors?.[0].extensions.code).toBe('OVERLOADED');
    });
    expect(changes).toEqual(NO_CHANGE);
  });

  describe('that times out', () => {
    const timeOut = async (listed: ReturnType<typeof listOf>) => {
      const [lockHolder, watcher] = [await world.connect(), await world.connect()];
      await lockHolder.query('begin');
      await lockHolder.query('lock table events in share mode');
      const response = sendClones(withShortTimeout, listed);
      await untilWaiting(watcher);
      const { errors } = await response;
      await lockHolder.query('commit');
      return errors?.[0];
    };

    test('is not cancelled once the write has started, and the outcomes are reported as unknown', async () => {
      const { message, extensions } = await timeOut(listOf('overdue', 2));
      expect(extensions).toMatchObject({
        code: 'TIMEOUT',
        clones: { created: [], unknown: ['overdue-0', 'overdue-1'] },
      });
      expect(message).toContain("'overdue-0', 'overdue-1' may have been created");
      await until('the copies exist', async () => (await countOf('overdue')) === 2);
    });

    test('is rolled back before the commit, as reported', async () => {
      const listed = listOf('undone', 2).map((clone) => ({ ...clone, idempotencyKey: clone.name }));
      const { message, extensions } = await timeOut(listed);
      expect(extensions.clones).toEqual({ created: [], unknown: [] });
      expect(message).toContain('Nothing was created');
      await until('the transaction has ended', async () => {
        const [found] = await world.db.$queryRaw<[{ count: number }]>`
          select count(*)::int as count from pg_stat_activity where datname = current_database()
            and pid <> pg_backend_pid() and state <> 'idle' and query like '%insert into features%'`;
        return found.count === 0;
      });
      expect(await countOf('undone')).toBe(0);
      expect((await outcomesOf(gateway, listed)).succeeded).toBe(true);
    });
  });
});
