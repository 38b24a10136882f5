import { afterAll, beforeAll, expect, test } from 'vitest';
import { outcomeOverGraphql, outcomeOverRest } from '../../testkit/clone-calls.js';
import {
  openPostgresWorld,
  type PostgresWorld,
  untilWaiting,
} from '../../testkit/clone-postgres.js';
import { changesOf, countsOf } from '../../testkit/clone-tables.js';
import {
  addFullSource,
  describeWithCloneWorld,
  FULL_CLONE_ROWS,
} from '../../testkit/clone-world.js';
import { describeOn } from '../../testkit/database.js';

const tally = (values: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

/** Added rows except those of the daily counter, which is updated in place. */
const addedCounts = (added: Parameters<typeof countsOf>[0]) => {
  const { stat_environment_updates: _, ...counts } = countsOf(added);
  return counts;
};

describeWithCloneWorld('concurrent clones', ({ gateway, db, kind }) => {
  const CALLERS = kind === 'postgres' ? 20 : 8;
  const FREE_SLOTS = kind === 'postgres' ? 5 : 3;

  beforeAll(() => addFullSource(db(), 'wanted'));

  const cloneAll = (nameOf: (index: number) => string, source = 'wanted', project = 'shop') =>
    Promise.all(
      Array.from({ length: CALLERS }, (_, index) => {
        const clone = index % 2 === 0 ? outcomeOverRest : outcomeOverGraphql;
        return clone(gateway(), { source, name: nameOf(index), project });
      }),
    );

  test('with the same name: one succeeds, and all others get NameExistsError', async () => {
    let kinds: string[] = [];
    const { added } = await changesOf(db(), async () => {
      kinds = (await cloneAll(() => 'the-one')).map((outcome) => outcome.kind);
    });
    const rejectedCount = CALLERS / 2;
    const { cloned, ...rejected } = tally(kinds);
    expect(cloned).toBe(1);
    expect([
      { '409 NameExistsError': rejectedCount - 1, NameExistsError: rejectedCount },
      { '409 NameExistsError': rejectedCount, NameExistsError: rejectedCount - 1 },
    ]).toContainEqual(rejected);
    expect(addedCounts(added)).toEqual(FULL_CLONE_ROWS);
  });

  test('with different names all succeed and lose no event and no count', async () => {
    const countToday = async () => {
      const [row] = await db().$queryRaw<{ updates: bigint }[]>`
        select coalesce(sum(updates), 0)::int8 as updates from stat_environment_updates`;
      return Number(row?.updates);
    };
    const countBefore = await countToday();
    let kinds: string[] = [];
    const { added } = await changesOf(db(), async () => {
      kinds = (await cloneAll((index) => `one-of-many-${index}`)).map(({ kind }) => kind);
    });
    expect(tally(kinds)).toEqual({ cloned: CALLERS });
    const expected = Object.entries(FULL_CLONE_ROWS).map(([name, rows]) => [name, rows * CALLERS]);
    expect(addedCounts(added)).toEqual(Object.fromEntries(expected));
    expect(await countToday()).toBe(countBefore + 2 * CALLERS);
  });

  test('into a project near its limit fill it and do not exceed it', async () => {
    await addFullSource(db(), 'packed', 'small');
    const before = await db().feature.count({ where: { projectId: 'small' } });
    await db().projectSettings.update({
      where: { projectId: 'small' },
      data: { featureLimit: before + FREE_SLOTS },
    });
    const outcomes = await cloneAll((index) => `squeezed-${index}`, 'packed', 'small');
    const { cloned, ...rejected } = tally(outcomes.map((outcome) => outcome.kind));
    expect(cloned).toBe(FREE_SLOTS);
    expect(Object.keys(rejected).sort()).toEqual([
      '403 InvalidOperationError',
      'FeatureLimitError',
    ]);
    expect(await db().feature.count({ where: { projectId: 'small' } })).toBe(before + FREE_SLOTS);
  });

  test('in one GraphQL request run one after the other', async () => {
    const clone = `cloneFeature(input: {featureName: "wanted", newName: "twin"}) {
      __typename ... on CloneFeaturePayload { feature { name } } }`;
    const { data } = await gateway().graphql(`mutation { a: ${clone} b: ${clone} }`);
    expect(data).toEqual({
      a: { __typename: 'CloneFeaturePayload', feature: { name: 'twin' } },
      b: { __typename: 'NameExistsError' },
    });
  });
});

describeOn('postgres', 'a clone that runs concurrently with another transaction', () => {
  let world: PostgresWorld;
  beforeAll(async () => {
    world = await openPostgresWorld();
    await addFullSource(world.db, 'wanted');
  });
  afterAll(() => world.close());

  test.each([
    ['rest', '409 NameExistsError'],
    ['graphql', 'NameExistsError'],
  ])('returns NameExistsError over %s if the name is taken', async (transport, expected) => {
    const { gateway, db, connect } = world;
    const name = `contested-over-${transport}`;
    const other = await connect();
    await other.query('begin');
    await other.query('insert into features (name) values ($1)', [name]);

    const clone = transport === 'rest' ? outcomeOverRest : outcomeOverGraphql;
    const outcome = clone(gateway, { source: 'wanted', name });
    await untilWaiting(await connect());
    await other.query('commit');
    expect((await outcome).kind).toBe(expected);
    expect(await db.event.count({ where: { featureName: name } })).toBe(0);
    expect(await db.featureEnvironment.count({ where: { featureName: name } })).toBe(0);
  });

  test('succeeds when the other one rolls back the same name', async () => {
    const { gateway, connect } = world;
    const other = await connect();
    await other.query('begin');
    await other.query(`insert into features (name) values ('given-up')`);
    const outcome = outcomeOverRest(gateway, { source: 'wanted', name: 'given-up' });
    await untilWaiting(await connect());
    await other.query('rollback');
    expect((await outcome).kind).toBe('cloned');
  });

  test('copies the rest of the source when the other one deletes a segment', async () => {
    const { gateway, db, connect } = world;
    const session = await connect();
    const other = await connect();
    const { added } = await changesOf(db, async () => {
      await other.query('begin');
      await other.query('delete from segments where id = 1');
      const call = { source: 'wanted', name: 'segmentless' };
      const outcomes = Promise.all([
        outcomeOverRest(gateway, call),
        outcomeOverGraphql(gateway, { ...call, name: 'segmentless-too' }),
      ]);
      await untilWaiting(session, 2);
      await other.query('commit');
      expect((await outcomes).map(({ kind }) => kind)).toEqual(['cloned', 'cloned']);
    });
    expect(addedCounts(added)).toMatchObject({ features: 2, feature_strategies: 4 });
    expect(addedCounts(added)).not.toHaveProperty('feature_strategy_segment');
  });
});
