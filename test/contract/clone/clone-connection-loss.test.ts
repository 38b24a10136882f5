import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/data/connect.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { type CloneCall, outcomeOverGraphql, outcomeOverRest } from '../../testkit/clone-calls.js';
import { openPostgresWorld, type PostgresWorld, until } from '../../testkit/clone-postgres.js';
import { type StatementProxy, startStatementProxy } from '../../testkit/clone-proxy.js';
import {
  CLONE_WRITES,
  changesBetween,
  changesOf,
  countsOf,
  NO_CHANGE,
  readTables,
} from '../../testkit/clone-tables.js';
import { addFullSource, FULL_CLONE_ROWS } from '../../testkit/clone-world.js';

describe.each([
  { kind: 'clone', featureLimit: null, last: /insert into features/, begins: 0 },
  { kind: 'clone into a project with a limit', featureLimit: 1000, last: /^COMMIT$/, begins: 1 },
])('a $kind whose session PostgreSQL terminates', ({ featureLimit, last, begins }) => {
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

  // Another connection may still be closing; the next query reports that.
  const retryClone = (call: CloneCall) =>
    until(`${call.name} is cloned at last`, async () => {
      const { kind } = await outcomeOverRest(gateway, call);
      expect(['cloned', '503 OverloadedError']).toContain(kind);
      return kind === 'cloned';
    });

  test('before any of its statements leaves no rows and can be retried', async () => {
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
      await retryClone(call);
    }

    const written = statements.flatMap((sql) =>
      [...sql.matchAll(/insert into (\w+)/gi)].map(([, table]) => table),
    );
    expect(written).toEqual(CLONE_WRITES.filter((table) => table !== 'stat_environment_updates'));
    expect(statements.filter((sql) => sql === 'BEGIN')).toHaveLength(begins);
  });

  test.each([[/select json_build_object\('targets'/], [/insert into events/], [last]])(
    'at %s leaves no rows over GraphQL either',
    async (at) => {
      const call = { source: 'origin', name: `ended-at-${at.source.replace(/\W/g, '-')}` };
      const changes = await changesOf(world.db, async () => {
        proxy.setTrap({ at, when: 'before' });
        expect((await outcomeOverGraphql(gateway, call)).kind).toBe('OVERLOADED');
        expect(proxy.takeTrap()).toMatch(at);
      });
      expect(changes).toEqual(NO_CHANGE);
      await retryClone(call);
    },
  );

  test('after its last statement is complete, although the client gets no response', async () => {
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
