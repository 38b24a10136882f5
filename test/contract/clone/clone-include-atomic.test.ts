import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/data/connect.js';
import type { Db } from '../../../src/data/db.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { createRole, type TestRole } from '../../testkit/attach.js';
import { planOf, requestClone } from '../../testkit/clone-plans.js';
import {
  openPostgresWorld,
  type PostgresWorld,
  untilWaiting,
} from '../../testkit/clone-postgres.js';
import { changesOf, countsOf, NO_CHANGE } from '../../testkit/clone-tables.js';
import {
  addFullSource,
  CLONE_TOKENS,
  describeWithCloneWorld,
  FULL_CLONE_ROWS,
  PEOPLE,
} from '../../testkit/clone-world.js';

const WRITTEN_TABLES = [
  'features',
  'feature_environments',
  'feature_strategies',
  'feature_strategy_segment',
  'dependent_features',
  'feature_tag',
  'favorite_features',
  'events',
  'stat_environment_updates',
] as const;

const addMarkedSource = async (db: Db) => {
  await addFullSource(db, 'origin');
  await db.tag.create({ data: { type: 'simple', value: 'red' } });
  await db.featureTag.create({ data: { featureName: 'origin', type: 'simple', value: 'red' } });
  await db.favoriteFeature.create({ data: { featureName: 'origin', userId: PEOPLE.ben } });
};

const callFor = (name: string) => ({
  source: 'origin',
  name,
  token: CLONE_TOKENS.ben,
  include: ['TAGS', 'FAVORITE'],
});

const clone = async (gateway: Gateway, name: string) => {
  const { data, errors } = await requestClone(gateway, callFor(name));
  return errors?.[0]?.extensions.code ?? data.cloneFeature.__typename;
};

const ROWS = { ...FULL_CLONE_ROWS, events: 6, feature_tag: 1, favorite_features: 1 };

describeWithCloneWorld('a clone with tags and favorite that fails', (world) => {
  const { gateway, db } = world;
  beforeAll(async () => {
    await addMarkedSource(db());
    await db().$executeRaw`
      create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'the lights went out'; end $$`;
  });

  test.each(WRITTEN_TABLES)('after writing %s leaves no rows and can be retried', async (table) => {
    const name = `failed-after-${table}`;
    await db().$executeRawUnsafe(
      `create trigger failing after insert or update on ${table} for each statement execute function refuse()`,
    );
    const changes = await changesOf(db(), async () => {
      expect(await clone(gateway(), name)).toBe('INTERNAL_SERVER_ERROR');
    });
    expect(changes).toEqual(NO_CHANGE);

    await db().$executeRawUnsafe(`drop trigger failing on ${table}`);
    const { added } = await changesOf(db(), async () => {
      expect(await clone(gateway(), name)).toBe('CloneFeaturePayload');
    });
    expect(countsOf(added)).toMatchObject(ROWS);
  });
});

describe('a clone with tags and favorite', () => {
  let world: PostgresWorld;
  let role: TestRole;
  beforeAll(async () => {
    world = await openPostgresWorld();
    await addMarkedSource(world.db);
    role = await createRole(world.url);
    world.onClose(role.drop);
  });
  afterAll(() => world.close());

  test('copies the remaining tags when a tag is deleted concurrently', async () => {
    const remover = await world.connect();
    await remover.query('begin');
    await remover.query(`delete from feature_tag`);
    await remover.query(`delete from tags where value = 'red'`);
    const response = clone(world.gateway, 'too-late');
    // A session that references the tag waits for the deleting transaction.
    await untilWaiting(remover);
    await remover.query('commit');
    expect(await response).toBe('CloneFeaturePayload');
    expect(await world.db.featureTag.count({ where: { featureName: 'too-late' } })).toBe(0);
    await world.db.tag.create({ data: { type: 'simple', value: 'red' } });
    await world.db.featureTag.create({
      data: { featureName: 'origin', type: 'simple', value: 'red' },
    });
  });

  test('names the additional database privileges it requires', async () => {
    for (const grant of [
      'grant select on all tables in schema public to',
      'grant insert on features, feature_environments, feature_strategies, feature_strategy_segment, dependent_features, events, stat_environment_updates to',
      'grant update on stat_environment_updates to',
      'grant usage on sequence events_id_seq to',
    ]) {
      await world.db.$executeRawUnsafe(`${grant} ${role.name}`);
    }
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl: role.url });
    world.onClose(database.close);
    const gateway = await startGateway(database);
    world.onClose(gateway.stop);

    const { refusals } = await planOf(gateway, callFor('x'));
    expect(refusals).toMatchObject([
      {
        __typename: 'NoAccessError',
        message: expect.stringContaining('INSERT on feature_tag, favorite_features'),
      },
    ]);
    const { data } = await requestClone(gateway, callFor('x'));
    expect(data.cloneFeature.message).toBe(refusals[0].message);
    const plain = { ...callFor('x'), include: [] };
    expect((await planOf(gateway, plain)).wouldSucceed).toBe(true);

    await world.db.$executeRawUnsafe(
      `grant insert on feature_tag, favorite_features to ${role.name}`,
    );
    expect((await planOf(gateway, callFor('x'))).wouldSucceed).toBe(true);
    expect(await clone(gateway, 'x')).toBe('CloneFeaturePayload');
  });
});
