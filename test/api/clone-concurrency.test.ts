import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cloneOverGraphql, outcomeOverGraphql, outcomeOverRest } from '../testkit/clone-calls.js';
import { openPostgresWorld, type PostgresWorld, untilWaiting } from '../testkit/clone-postgres.js';
import { changesOf, countsOf } from '../testkit/clone-tables.js';
import {
  addFullSource,
  describeCloneOnBothDatabases,
  FULL_CLONE_ROWS,
} from '../testkit/clone-world.js';

const tally = (values: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

/** The rows that came, the daily counter aside, which grows instead of getting rows. */
const cameOf = (added: Parameters<typeof countsOf>[0]) => {
  const { stat_environment_updates: _, ...counts } = countsOf(added);
  return counts;
};

describeCloneOnBothDatabases('clones at once', ({ gateway, db, kind }) => {
  const CALLERS = kind === 'postgres' ? 20 : 8;
  const ROOM = kind === 'postgres' ? 5 : 3;

  beforeAll(() => addFullSource(db(), 'wanted'));

  const cloneAll = (nameOf: (index: number) => string, source = 'wanted', project = 'shop') =>
    Promise.all(
      Array.from({ length: CALLERS }, (_, index) => {
        const clone = index % 2 === 0 ? outcomeOverRest : outcomeOverGraphql;
        return clone(gateway(), { source, name: nameOf(index), project });
      }),
    );

  test('to one name: one wins, and all others are told that the name is taken', async () => {
    let kinds: string[] = [];
    const { added } = await changesOf(db(), async () => {
      kinds = (await cloneAll(() => 'the-one')).map((outcome) => outcome.kind);
    });
    const losers = CALLERS / 2;
    const { cloned, ...refused } = tally(kinds);
    expect(cloned).toBe(1);
    expect([
      { '409 NameExistsError': losers - 1, NameExistsError: losers },
      { '409 NameExistsError': losers, NameExistsError: losers - 1 },
    ]).toContainEqual(refused);
    expect(cameOf(added)).toEqual(FULL_CLONE_ROWS);
  });

  test('to names of their own all succeed, with no event and no count lost', async () => {
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
    expect(cameOf(added)).toEqual(Object.fromEntries(expected));
    expect(await countToday()).toBe(countBefore + 2 * CALLERS);
  });

  test('into a project with a few places left fill these and no more', async () => {
    await addFullSource(db(), 'packed', 'small');
    const before = await db().feature.count({ where: { projectId: 'small' } });
    await db().projectSettings.update({
      where: { projectId: 'small' },
      data: { featureLimit: before + ROOM },
    });
    const outcomes = await cloneAll((index) => `squeezed-${index}`, 'packed', 'small');
    const { cloned, ...refused } = tally(outcomes.map((outcome) => outcome.kind));
    expect(cloned).toBe(ROOM);
    expect(Object.keys(refused).sort()).toEqual(['403 InvalidOperationError', 'FeatureLimitError']);
    expect(await db().feature.count({ where: { projectId: 'small' } })).toBe(before + ROOM);
  });

  test('in one GraphQL request are made one after the other', async () => {
    const clone = `cloneFeature(input: {feature: "wanted", name: "twin"}) {
      __typename ... on CloneFeaturePayload { feature { name } } }`;
    const { data } = await gateway().graphql(`mutation { a: ${clone} b: ${clone} }`);
    expect(data).toEqual({
      a: { __typename: 'CloneFeaturePayload', feature: { name: 'twin' } },
      b: { __typename: 'NameExistsError' },
    });
  });
});

describe('a clone beside another writer', () => {
  let world: PostgresWorld;
  beforeAll(async () => {
    world = await openPostgresWorld();
    await addFullSource(world.db, 'wanted');
  });
  afterAll(() => world.close());

  test.each([
    ['rest', '409 NameExistsError'],
    ['graphql', 'NameExistsError'],
  ])('that takes the name a moment earlier is told so over %s', async (transport, expected) => {
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

  test('that gives the name up again gets it', async () => {
    const { gateway, connect } = world;
    const other = await connect();
    await other.query('begin');
    await other.query(`insert into features (name) values ('given-up')`);
    const outcome = outcomeOverRest(gateway, { source: 'wanted', name: 'given-up' });
    await untilWaiting(await connect());
    await other.query('rollback');
    expect((await outcome).kind).toBe('cloned');
  });

  test('that deletes a segment of the source is refused and leaves nothing', async () => {
    const { gateway, db, connect } = world;
    const session = await connect();
    const other = await connect();
    const changes = await changesOf(db, async () => {
      await other.query('begin');
      await other.query('delete from segments where id = 1');
      const call = { source: 'wanted', name: 'segmentless' };
      const outcomes = Promise.all([
        outcomeOverRest(gateway, call),
        cloneOverGraphql(gateway, { ...call, name: 'segmentless-too' }),
      ]);
      await untilWaiting(session, 2);
      await other.query('commit');
      const [rest, graphql] = await outcomes;
      expect(rest.kind).toBe('403 InvalidOperationError');
      expect(rest.message).toContain("'wanted'");
      expect(graphql.data.cloneFeature.__typename).toBe('CloneRefusedError');
    });
    expect(changes.added).toEqual({});
    expect(Object.keys(changes.removed).sort()).toEqual(['feature_strategy_segment', 'segments']);
  });
});
