import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/data/connect.js';
import { type Gateway, startGateway } from '../testkit/app.js';
import {
  type CloneCall,
  cloneOverRest,
  outcomeOverGraphql,
  outcomeOverRest,
} from '../testkit/clone-calls.js';
import {
  openPostgresWorld,
  type PostgresWorld,
  until,
  untilWaiting,
} from '../testkit/clone-postgres.js';
import { type GatewayProcess, startGatewayFromSource } from '../testkit/clone-process.js';
import { type StatementProxy, startStatementProxy } from '../testkit/clone-proxy.js';
import {
  changesBetween,
  changesOf,
  countsOf,
  NO_CHANGE,
  readTables,
} from '../testkit/clone-tables.js';
import {
  addCloneWorld,
  addFullSource,
  CLONE_TOKENS,
  describeCloneOnBothDatabases,
  FULL_CLONE_ROWS,
} from '../testkit/clone-world.js';
import { embeddedTemplate } from '../testkit/database.js';

const WRITTEN = [
  'features',
  'feature_environments',
  'feature_strategies',
  'feature_strategy_segment',
  'dependent_features',
  'events',
  'stat_environment_updates',
] as const;

describeCloneOnBothDatabases('a clone that fails', ({ gateway, db }) => {
  beforeAll(async () => {
    await addFullSource(db(), 'origin');
    await db().$executeRaw`
      create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'the lights went out'; end $$`;
  });

  const failsWith = async (trigger: string, table: string, name: string) => {
    await db().$executeRawUnsafe(trigger);
    const call: CloneCall = { source: 'origin', name };
    const changes = await changesOf(db(), async () => {
      const rest = await outcomeOverRest(gateway(), call);
      const graphql = await outcomeOverGraphql(gateway(), call);
      expect([rest.kind, graphql.kind]).toEqual(['500 UnknownError', 'INTERNAL_SERVER_ERROR']);
      for (const { message } of [rest, graphql]) expect(message).not.toContain('lights');
    });
    expect(changes).toEqual(NO_CHANGE);

    await db().$executeRawUnsafe(`drop trigger failing on ${table}`);
    expect(await outcomeOverRest(gateway(), call)).toMatchObject({ kind: 'cloned' });
  };

  test.each(WRITTEN)('after %s leaves nothing, and can be tried again', async (table) => {
    const trigger = `create trigger failing after insert or update on ${table} for each statement execute function refuse()`;
    await failsWith(trigger, table, `failed-after-${table}`);
  });

  test('at the commit leaves nothing, and can be tried again', async () => {
    const trigger =
      'create constraint trigger failing after insert on events deferrable initially deferred for each row execute function refuse()';
    await failsWith(trigger, 'events', 'failed-at-commit');
  });
});

describe.each([
  { kind: 'clone', featureLimit: null, last: /insert into features/, begins: 0 },
  { kind: 'clone into a project with a limit', featureLimit: 1000, last: /^COMMIT$/, begins: 1 },
])('a $kind whose session PostgreSQL ends', ({ featureLimit, last, begins }) => {
  let world: PostgresWorld;
  let proxy: StatementProxy;
  let gateway: Gateway;

  beforeAll(async () => {
    world = await openPostgresWorld();
    await addFullSource(world.db, 'origin');
    await world.db.projectSettings.update({
      where: { projectId: 'shop' },
      data: { featureLimit },
    });
    proxy = await startStatementProxy(world.url);
    world.onClose(proxy.close);
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl: proxy.url });
    world.onClose(database.close);
    gateway = await startGateway(database);
    world.onClose(gateway.stop);
  });
  afterAll(() => world.close());

  // Another connection may still be on its way out, and says so to whoever comes first.
  const tryAgain = (call: CloneCall) =>
    until(`${call.name} is cloned at last`, async () => {
      const { kind } = await outcomeOverRest(gateway, call);
      expect(['cloned', '503 OverloadedError']).toContain(kind);
      return kind === 'cloned';
    });

  test('before any of its statements leaves nothing, and can be tried again', async () => {
    const statements: string[] = [];
    for (let at = 1; !last.test(statements.at(-1) ?? ''); at++) {
      const call = { source: 'origin', name: `ended-at-${at}` };
      const before = await readTables(world.db);
      proxy.setTrap({ at, when: 'before' });
      const { kind } = await outcomeOverRest(gateway, call);
      const statement = proxy.takeTrap();
      if (statement === null) expect.fail(`The clone took no ${at} statements and no last one.`);
      statements.push(statement);

      expect([statement, kind]).toEqual([statement, '503 OverloadedError']);
      expect(changesBetween(before, await readTables(world.db))).toEqual(NO_CHANGE);
      await tryAgain(call);
    }

    const written = statements.flatMap((sql) =>
      [...sql.matchAll(/insert into (\w+)/gi)].map(([, table]) => table),
    );
    expect(written).toEqual(WRITTEN.filter((table) => table !== 'stat_environment_updates'));
    expect(statements.filter((sql) => sql === 'BEGIN')).toHaveLength(begins);
  });

  test.each([[/select json_build_object\('targets'/], [/insert into events/], [last]])(
    'at %s leaves nothing over GraphQL either',
    async (at) => {
      const call = { source: 'origin', name: `ended-at-${at.source.replace(/\W/g, '-')}` };
      const changes = await changesOf(world.db, async () => {
        proxy.setTrap({ at, when: 'before' });
        expect((await outcomeOverGraphql(gateway, call)).kind).toBe('OVERLOADED');
        expect(proxy.takeTrap()).toMatch(at);
      });
      expect(changes).toEqual(NO_CHANGE);
      await tryAgain(call);
    },
  );

  test('right after its last statement is whole, although nobody heard of it', async () => {
    const call = { source: 'origin', name: 'unheard-of' };
    const { added } = await changesOf(world.db, async () => {
      proxy.setTrap({ at: last, when: 'after' });
      expect((await outcomeOverRest(gateway, call)).kind).toBe('503 OverloadedError');
      expect(proxy.takeTrap()).toMatch(last);
    });
    expect(countsOf(added)).toMatchObject(FULL_CLONE_ROWS);
    await until('the name is known to be taken', async () => {
      const { kind } = await outcomeOverRest(gateway, call);
      expect(['409 NameExistsError', '503 OverloadedError']).toContain(kind);
      return kind === '409 NameExistsError';
    });
  });
});

describe('a gateway killed in the middle of a clone', () => {
  const cleanUps: (() => Promise<unknown> | undefined)[] = [];
  afterAll(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });

  /** Asks for a clone that nobody will answer. */
  const askForClone = ({ url }: GatewayProcess, name: string) =>
    fetch(`${url}/api/admin/projects/shop/features/origin/clone`, {
      method: 'POST',
      headers: { authorization: CLONE_TOKENS.admin, 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    }).then(
      ({ status }) => `answered with ${status}`,
      () => 'no answer',
    );

  /** Kills a gateway whose last statement waits for somebody; answers what that left behind. */
  const killWhileWriting = async (featureLimit: number | null) => {
    const world = await openPostgresWorld();
    cleanUps.push(world.close);
    await addFullSource(world.db, 'origin');
    await world.db.projectSettings.update({
      where: { projectId: 'shop' },
      data: { featureLimit },
    });
    const [keeper, watcher] = [await world.connect(), await world.connect()];
    const gatewaySessions = async () => {
      const { rows } = await watcher.query(`
        select pid from pg_stat_activity where datname = current_database() and application_name = 'flaggraph'`);
      return rows.map(({ pid }) => pid as number);
    };
    const own = await gatewaySessions();
    const victim = await startGatewayFromSource({ DATABASE_URL: world.url });
    cleanUps.push(victim.kill);

    const changes = await changesOf(world.db, async () => {
      await keeper.query('begin');
      await keeper.query('lock table events in share mode');
      const answer = askForClone(victim, 'cut-short');
      await untilWaiting(watcher);
      await victim.kill();
      expect(await answer).toBe('no answer');
      await keeper.query('rollback');
      await until('the sessions of the killed gateway are gone', async () =>
        (await gatewaySessions()).every((pid) => own.includes(pid)),
      );
    });
    const again = await cloneOverRest(world.gateway, { source: 'origin', name: 'cut-short' });
    return { changes, again: again.status };
  };

  test('leaves all of it once its one statement was sent: the server ends that', async () => {
    const { changes, again } = await killWhileWriting(null);
    expect(countsOf(changes.added)).toMatchObject(FULL_CLONE_ROWS);
    expect(again).toBe(409);
  });

  test('leaves nothing before the commit of one that had to queue', async () => {
    const { changes, again } = await killWhileWriting(1000);
    expect(changes).toEqual(NO_CHANGE);
    expect(again).toBe(200);
  });

  test('leaves nothing in the embedded database, and the next gateway makes the clone', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'flaggraph-clone-'));
    cleanUps.push(async () => rmSync(dataDir, { recursive: true, force: true }));
    const open = () => openDatabase({ dataDir, embeddedTemplate: embeddedTemplate() });

    const first = await open();
    await addCloneWorld(first.client);
    await addFullSource(first.client, 'origin');
    await first.client.$executeRaw`
      create function hang() returns trigger language plpgsql as $$ begin loop end loop; end $$`;
    await first.client.$executeRaw`
      create trigger hanging after insert on events for each row execute function hang()`;
    const before = await readTables(first.client);
    await first.close();

    const victim = await startGatewayFromSource({ DATA_DIR: dataDir });
    cleanUps.push(victim.kill);
    const answer = askForClone(victim, 'cut-short');
    // The embedded database works in the thread of the gateway: once a statement hangs, nothing is answered.
    await until('the clone hangs', () =>
      fetch(`${victim.url}/livez`, { signal: AbortSignal.timeout(1_000) }).then(
        () => false,
        () => true,
      ),
    );
    await victim.kill();
    expect(await answer).toBe('no answer');

    const next = await open();
    cleanUps.push(next.close);
    expect(changesBetween(before, await readTables(next.client))).toEqual(NO_CHANGE);
    await next.client.$executeRaw`drop trigger hanging on events`;
    const gateway = await startGateway(next);
    cleanUps.push(gateway.stop);
    const call = { source: 'origin', name: 'cut-short' };
    expect((await cloneOverRest(gateway, call)).status).toBe(200);
  });
});
