import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/data/connect.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import {
  type CloneCall,
  mutateClone,
  outcomeOverGraphql,
  outcomeOverRest,
} from '../../testkit/clone-calls.js';
import { openPostgresWorld, type PostgresWorld } from '../../testkit/clone-postgres.js';
import { type StatementProxy, startStatementProxy } from '../../testkit/clone-proxy.js';
import { addFeature, addFullSource, CLONE_TOKENS, PEOPLE } from '../../testkit/clone-world.js';

const WRITE = /insert into features/;

type Change = {
  title: string;
  call: CloneCall;
  /** Changes the state between the check and the write. */
  sql: string;
  undo: string;
  rest: string;
  graphql: string;
};

const SOURCE = { source: 'wanted', name: 'late' };

const CHANGES: readonly Change[] = [
  {
    title: 'change requests are switched on in the target project',
    call: { ...SOURCE, source: 'lonely', project: 'plaza' },
    sql: `insert into change_request_settings (project, environment, required_approvals) values ('plaza', 'qa', 1)`,
    undo: `delete from change_request_settings where project = 'plaza'`,
    rest: '403 ForbiddenError',
    graphql: 'CloneRefusedError',
  },
  {
    title: 'the target project is archived',
    call: { ...SOURCE, source: 'lonely', project: 'bare' },
    sql: `update projects set archived_at = now() where id = 'bare'`,
    undo: `update projects set archived_at = null where id = 'bare'`,
    rest: '404 NotFoundError',
    graphql: 'NotFoundError',
  },
  {
    title: 'the target project is deleted',
    call: { ...SOURCE, source: 'lonely', project: 'bare' },
    sql: `delete from projects where id = 'bare'`,
    undo: `insert into projects (id, name) values ('bare', 'bare')`,
    rest: '404 NotFoundError',
    graphql: 'NotFoundError',
  },
  {
    title: 'the source is archived',
    call: SOURCE,
    sql: `update features set archived_at = now() where name = 'wanted'`,
    undo: `update features set archived_at = null where name = 'wanted'`,
    rest: '404 NotFoundError',
    graphql: 'NotFoundError',
  },
  {
    title: 'the parent of the source is archived',
    call: SOURCE,
    sql: `update features set archived_at = now() where name = 'wanted-parent'`,
    undo: `update features set archived_at = null where name = 'wanted-parent'`,
    rest: '403 InvalidOperationError',
    graphql: 'CloneRefusedError',
  },
  {
    title: 'the name is taken',
    call: SOURCE,
    sql: `insert into features (name, project) values ('late', 'shop')`,
    undo: `delete from features where name = 'late'`,
    rest: '409 NameExistsError',
    graphql: 'NameExistsError',
  },
  {
    title: 'the name is taken by an archived feature',
    call: SOURCE,
    sql: `insert into features (name, project, archived_at) values ('late', 'shop', now())`,
    undo: `delete from features where name = 'late'`,
    rest: '409 NameExistsError',
    graphql: 'NameExistsError',
  },
  {
    title: 'the project gets a naming pattern',
    call: SOURCE,
    sql: `update project_settings set feature_naming_pattern = 'early-.*' where project = 'shop'`,
    undo: `update project_settings set feature_naming_pattern = null where project = 'shop'`,
    rest: '400 PatternError',
    graphql: 'NamingPatternError',
  },
  {
    title: 'the project gets a limit that it has reached',
    call: SOURCE,
    sql: `update project_settings set feature_limit = 1 where project = 'shop'`,
    undo: `update project_settings set feature_limit = null where project = 'shop'`,
    rest: '403 InvalidOperationError',
    graphql: 'FeatureLimitError',
  },
  {
    title: 'a limited project is filled',
    call: { ...SOURCE, source: 'lonely', project: 'small' },
    sql: `insert into features (name, project) values ('filler', 'small')`,
    undo: `delete from features where name = 'filler'`,
    rest: '403 InvalidOperationError',
    graphql: 'FeatureLimitError',
  },
  {
    title: 'maintenance mode begins',
    call: SOURCE,
    sql: `insert into settings (name, content) values ('maintenance.mode', '{"enabled": true}')`,
    undo: `delete from settings where name = 'maintenance.mode'`,
    rest: '503 MaintenanceModeError',
    graphql: 'MaintenanceModeError',
  },
  {
    title: 'the caller loses the permission',
    call: { ...SOURCE, token: CLONE_TOKENS.ben },
    sql: `delete from role_user where user_id = ${PEOPLE.ben} and project = 'shop'`,
    undo: `insert into role_user (role_id, user_id, project) values (5, ${PEOPLE.ben}, 'shop')`,
    rest: '403 NoAccessError',
    graphql: 'NoAccessError',
  },
];

describe('a clone whose state changes between the check and the write', () => {
  let world: PostgresWorld;
  let proxy: StatementProxy;
  let gateway: Gateway;

  beforeAll(async () => {
    world = await openPostgresWorld();
    await addFullSource(world.db, 'wanted');
    await addFeature(world.db, { name: 'lonely' });
    proxy = await startStatementProxy(world.url);
    world.onClose(proxy.close);
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl: proxy.url });
    world.onClose(database.close);
    gateway = await startGateway(database);
    world.onClose(gateway.stop);
  });
  afterAll(() => world.close());

  const run = (sql: string) => world.db.$executeRawUnsafe(sql);
  const drop = async (name: string) => {
    await run(`delete from events where feature_name = '${name}'`);
    await run(`delete from features where name = '${name}'`);
  };

  test.each(CHANGES)('is rejected with the error of the check when $title', async (change) => {
    const { call, sql, undo, rest, graphql } = change;
    for (const [clone, expected] of [
      [outcomeOverRest, rest],
      [outcomeOverGraphql, graphql],
    ] as const) {
      let isHeld = false;
      proxy.holdAt(WRITE, async () => {
        isHeld = true;
        await run(sql);
      });
      const late = await clone(gateway, call);
      const early = await clone(gateway, call);
      await run(undo);
      expect(isHeld).toBe(true);
      expect(late.kind).toBe(expected);
      expect(late).toEqual(early);
      expect(await world.db.event.count({ where: { featureName: call.name } })).toBe(0);

      expect((await clone(gateway, call)).kind).toBe('cloned');
      await drop(call.name);
    }
  });

  test('is rejected when the user is deleted', async () => {
    proxy.holdAt(WRITE, () => run(`update users set deleted_at = now() where id = ${PEOPLE.ann}`));
    const { kind } = await outcomeOverRest(gateway, { ...SOURCE, token: CLONE_TOKENS.ann });
    await run(`update users set deleted_at = null where id = ${PEOPLE.ann}`);
    expect(kind).toBe('403 NoAccessError');
    expect(await world.db.feature.count({ where: { name: 'late' } })).toBe(0);
  });

  test('copies the source in its state at the time of the write', async () => {
    proxy.holdAt(WRITE, () =>
      run(`with described as (update features set description = 'new' where name = 'wanted')
        delete from feature_strategies where feature_name = 'wanted' and strategy_name = 'default'`),
    );
    expect((await outcomeOverRest(gateway, SOURCE)).kind).toBe('cloned');
    expect(await world.db.feature.findUnique({ where: { name: 'late' } })).toMatchObject({
      description: 'new',
    });
    expect(await world.db.strategy.count({ where: { featureName: 'late' } })).toBe(1);
    await drop('late');
  });

  test('stays in the project of the source when the source is moved', async () => {
    proxy.holdAt(WRITE, () => run(`update features set project = 'plaza' where name = 'lonely'`));
    const { data } = await mutateClone(gateway, { featureName: 'lonely', newName: 'late' });
    await run(`update features set project = 'shop' where name = 'lonely'`);
    expect(data.cloneFeature.feature).toEqual({ name: 'late', projectId: 'plaza' });
    await drop('late');
  });

  test('is aborted when the state never stops changing', async () => {
    let changes = 0;
    const change = async (): Promise<void> => {
      changes += 1;
      await run(`update features set description = 'no ${changes}' where name = 'lonely'`);
      proxy.holdAt(WRITE, change);
    };
    proxy.holdAt(WRITE, change);
    const { kind, message } = await outcomeOverRest(gateway, { ...SOURCE, source: 'lonely' });
    proxy.holdAt(/nothing reads so/, async () => undefined);
    expect(kind).toBe('503 OverloadedError');
    expect(message).toContain('Nothing was created');
    expect(changes).toBe(5);
    expect(await world.db.feature.count({ where: { name: 'late' } })).toBe(0);
  });
});
