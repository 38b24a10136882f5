import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/data/connect.js';
import { startGateway } from '../../testkit/app.js';
import { cloneOverRest } from '../../testkit/clone-calls.js';
import { openPostgresWorld, until, untilWaiting } from '../../testkit/clone-postgres.js';
import { type GatewayProcess, startCompiledGateway } from '../../testkit/clone-process.js';
import {
  changesBetween,
  changesOf,
  countsOf,
  NO_CHANGE,
  readTables,
} from '../../testkit/clone-tables.js';
import {
  addCloneWorld,
  addFullSource,
  CLONE_TOKENS,
  FULL_CLONE_ROWS,
} from '../../testkit/clone-world.js';
import { embeddedTemplate } from '../../testkit/database.js';

describe('a gateway killed in the middle of a clone', () => {
  const cleanUps: (() => Promise<unknown> | undefined)[] = [];
  afterAll(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });

  /** Requests a clone whose response never arrives. */
  const requestClone = ({ url }: GatewayProcess, name: string) =>
    fetch(`${url}/api/admin/projects/shop/features/origin/clone`, {
      method: 'POST',
      headers: { authorization: CLONE_TOKENS.ann, 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    }).then(
      ({ status }) => `answered with ${status}`,
      () => 'no answer',
    );

  /** Kills a gateway whose last statement waits for a lock; returns the rows it left behind. */
  const killWhileWriting = async (featureLimit: number | null) => {
    const world = await openPostgresWorld();
    cleanUps.push(world.close);
    await addFullSource(world.db, 'origin');
    await world.db.projectSettings.update({
      where: { projectId: 'shop' },
      data: { featureLimit },
    });
    const [lockHolder, watcher] = [await world.connect(), await world.connect()];
    const gatewaySessions = async () => {
      const { rows } = await watcher.query(`
        select pid from pg_stat_activity where datname = current_database() and application_name = 'flaggraph'`);
      return rows.map(({ pid }) => pid as number);
    };
    const own = await gatewaySessions();
    const victim = await startCompiledGateway({ DATABASE_URL: world.url });
    cleanUps.push(victim.kill);

    const changes = await changesOf(world.db, async () => {
      await lockHolder.query('begin');
      await lockHolder.query('lock table events in share mode');
      const response = requestClone(victim, 'cut-short');
      await untilWaiting(watcher);
      await victim.kill();
      expect(await response).toBe('no answer');
      await lockHolder.query('rollback');
      await until('the sessions of the killed gateway are gone', async () =>
        (await gatewaySessions()).every((pid) => own.includes(pid)),
      );
    });
    const again = await cloneOverRest(world.gateway, { source: 'origin', name: 'cut-short' });
    return { changes, again: again.status };
  };

  test('leaves the whole clone once its single statement was sent', async () => {
    const { changes, again } = await killWhileWriting(null);
    expect(countsOf(changes.added)).toMatchObject(FULL_CLONE_ROWS);
    expect(again).toBe(409);
  });

  test('leaves no rows before the commit of a queued clone', async () => {
    const { changes, again } = await killWhileWriting(1000);
    expect(changes).toEqual(NO_CHANGE);
    expect(again).toBe(200);
  });

  test('leaves no rows in the embedded database, and the next gateway can create the clone', async () => {
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

    const victim = await startCompiledGateway({ DATA_DIR: dataDir });
    cleanUps.push(victim.kill);
    const response = requestClone(victim, 'cut-short');
    // The embedded database runs one statement at a time: while one hangs, no other returns.
    await until('the clone hangs', () =>
      fetch(`${victim.url}/api/admin/search/events`, {
        headers: { authorization: CLONE_TOKENS.ann },
        signal: AbortSignal.timeout(1_000),
      }).then(
        () => false,
        () => true,
      ),
    );
    expect((await fetch(`${victim.url}/livez`)).status).toBe(200);
    await victim.kill();
    expect(await response).toBe('no answer');

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
