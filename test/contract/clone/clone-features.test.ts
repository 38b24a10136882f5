import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cloneOverRest } from '../../testkit/clone-calls.js';
import { type ListedClone, outcomesOf, sendClones } from '../../testkit/clone-lists.js';
import {
  CLONE_WRITES,
  changesOf,
  countsOf,
  NO_CHANGE,
  type Row,
} from '../../testkit/clone-tables.js';
import {
  addFeature,
  addFullSource,
  CLONE_TOKENS,
  describeWithCloneWorld,
  FULL_CLONE_ROWS,
  PEOPLE,
} from '../../testkit/clone-world.js';

const COPIED = 'CloneFeaturePayload';
const SKIPPED = 'NotWrittenError';

const times = (counts: Record<string, number>, factor: number) =>
  Object.fromEntries(Object.entries(counts).map(([table, count]) => [table, count * factor]));

describeWithCloneWorld('cloning several features', ({ gateway, startAnother, db }) => {
  beforeAll(async () => {
    await addFullSource(db(), 'origin', 'shop', {
      tags: { simple: ['red'] },
      favoriteOf: [PEOPLE.ben],
    });
    await addFullSource(db(), 'other', 'plaza');
    await addFeature(db(), { name: 'plain' });
    await addFeature(db(), { name: 'taken' });
    await addFeature(db(), { name: 'shelved', archivedAt: new Date() });
  });

  /** Fails if anything is written. */
  const refused = async (clones: readonly ListedClone[], call: { token?: string } = {}) => {
    let outcomes: Awaited<ReturnType<typeof outcomesOf>> | undefined;
    const changes = await changesOf(db(), async () => {
      outcomes = await outcomesOf(gateway(), clones, call);
    });
    expect(changes).toEqual(NO_CHANGE);
    expect(outcomes?.succeeded).toBe(false);
    return { kinds: outcomes?.kinds, messages: outcomes?.messages };
  };

  test('writes all copies, and returns them in the order of the inputs', async () => {
    const { added } = await changesOf(db(), async () => {
      const { data } = await sendClones(gateway(), [
        { source: 'other', name: 'z-copy' },
        { source: 'origin', name: 'a-copy' },
        { source: 'origin', name: 'm-copy', project: 'shop' },
      ]);
      expect(data.cloneFeatures).toEqual({
        succeeded: true,
        results: [
          { __typename: COPIED, feature: { name: 'z-copy', projectId: 'plaza' } },
          { __typename: COPIED, feature: { name: 'a-copy', projectId: 'shop' } },
          { __typename: COPIED, feature: { name: 'm-copy', projectId: 'shop' } },
        ],
      });
    });
    const { stat_environment_updates: _, ...rows } = countsOf(added);
    expect(rows).toEqual({
      ...times(FULL_CLONE_ROWS, 3),
      // Project plaza uses an environment that the source is not in.
      feature_environments: 7,
    });
  });

  test('writes the same rows and events as single clones', async () => {
    const strip = (name: string, rows: readonly Row[]) =>
      rows
        .filter(({ feature_name, name: own, child, feature }) =>
          [feature_name, own, child, feature].includes(name),
        )
        .map((row) =>
          JSON.stringify(row, (key, value) =>
            ['id', 'created_at', 'createdAt', 'group_id'].includes(key) ? undefined : value,
          ).replaceAll(name, 'COPY'),
        );
    const include = ['TAGS', 'FAVORITE'];
    const call = { token: CLONE_TOKENS.ben };
    const { added: together } = await changesOf(db(), async () => {
      const listed = ['listed-one', 'listed-two'].map((name) => ({
        source: 'origin',
        name,
        include,
      }));
      expect((await outcomesOf(gateway(), listed, call)).succeeded).toBe(true);
    });
    const { added: alone } = await changesOf(db(), () =>
      gateway().graphql(
        `mutation { cloneFeature(input: { featureName: "origin", newName: "single-one", include: [TAGS, FAVORITE] }) { __typename } }`,
        {},
        call,
      ),
    );
    for (const table of [...CLONE_WRITES.slice(0, -1), 'feature_tag', 'favorite_features']) {
      const expected = strip('single-one', alone[table] ?? []);
      if (table !== 'feature_strategy_segment') expect(expected.length).toBeGreaterThan(0);
      expect(strip('listed-one', together[table] ?? []), table).toEqual(expected);
      expect(strip('listed-two', together[table] ?? []), table).toEqual(expected);
    }
    const events = await db().event.findMany({
      where: { featureName: { in: ['listed-one', 'listed-two'] } },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ featureName }) => featureName)).toEqual([
      ...Array(6).fill('listed-one'),
      ...Array(6).fill('listed-two'),
    ]);
  });

  describe('writes nothing', () => {
    test('if one is rejected, and says why for each', async () => {
      const { kinds, messages } = await refused([
        { source: 'origin', name: 'b-1' },
        { source: 'ghost', name: 'b-2', project: 'shop' },
        { source: 'origin', name: 'taken' },
        { source: 'shelved', name: 'b-4' },
        { source: 'origin', name: 'b-5', project: 'guarded' },
        { source: 'origin', name: 'b 6' },
        { source: 'plain', name: 'b-7', project: 'named' },
        { source: 'ghost', name: 'b-8' },
      ]);
      expect(kinds).toEqual([
        SKIPPED,
        'NotFoundError',
        'NameExistsError',
        'NotFoundError',
        'CloneRefusedError',
        'InvalidNameError',
        'NamingPatternError',
        'NotFoundError',
      ]);
      expect(messages?.[0]).toContain('another clone in the list was rejected');
    });

    test('if two have the same name', async () => {
      const { kinds, messages } = await refused([
        { source: 'origin', name: 'double' },
        { source: 'plain', name: 'double', project: 'plaza' },
        { source: 'plain', name: 'Double' },
      ]);
      expect(kinds).toEqual([SKIPPED, 'NameExistsError', SKIPPED]);
      expect(messages?.[1]).toContain("in this list has the name 'double'");
    });

    test('if a copy is the source of another one', async () => {
      const { kinds } = await refused([
        { source: 'plain', name: 'first-step' },
        { source: 'first-step', name: 'second-step' },
      ]);
      expect(kinds).toEqual([SKIPPED, 'NotFoundError']);
    });

    test('without the permission in one of the projects', async () => {
      const listed = [
        { source: 'plain', name: 'allowed', project: 'shop' },
        { source: 'plain', name: 'denied', project: 'bare' },
      ];
      const { kinds, messages } = await refused(listed, { token: CLONE_TOKENS.ben });
      expect(kinds).toEqual([SKIPPED, 'NoAccessError']);
      expect(messages?.[1]).toContain("CREATE_FEATURE in project 'bare'");
      const viewer = await refused(listed, { token: CLONE_TOKENS.vic });
      expect(viewer.kinds).toEqual(['NoAccessError', 'NoAccessError']);
    });

    test('if together they exceed the limit of a project', async () => {
      const limit = (featureLimit: number) =>
        db().projectSettings.update({ where: { projectId: 'small' }, data: { featureLimit } });
      const listed = ['s-1', 's-2', 's-3'].map((name) => ({
        source: 'plain',
        name,
        project: 'small',
      }));
      await limit(2);
      expect((await refused(listed)).kinds).toEqual([SKIPPED, SKIPPED, 'FeatureLimitError']);
      await limit(3);
      expect((await outcomesOf(gateway(), listed)).succeeded).toBe(true);
      await limit(1);
    });

    test('if together they exceed the limit of the instance', async () => {
      const active = await db().feature.count({ where: { archivedAt: null } });
      const withRoom = await startAnother({ UNLEASH_FEATURE_FLAGS_LIMIT: String(active + 2) });
      const listed = ['i-1', 'i-2', 'i-3'].map((name, index) => ({
        source: 'plain',
        name,
        project: index === 1 ? 'plaza' : 'shop',
      }));
      expect(await outcomesOf(withRoom, listed)).toMatchObject({
        succeeded: false,
        kinds: [SKIPPED, SKIPPED, 'FeatureLimitError'],
      });
      expect(await outcomesOf(withRoom, listed.slice(1))).toMatchObject({ succeeded: true });
    });

    test.each(CLONE_WRITES)('if writing %s fails', async (table) => {
      await db().$executeRaw`
        create or replace function refuse() returns trigger language plpgsql as $$
        begin raise exception 'the lights went out'; end $$`;
      await db().$executeRawUnsafe(
        `create trigger failing after insert or update on ${table} for each statement execute function refuse()`,
      );
      const listed = [
        { source: 'origin', name: `f-1-${table}` },
        { source: 'origin', name: `f-2-${table}` },
      ];
      const changes = await changesOf(db(), async () => {
        const { errors } = await sendClones(gateway(), listed);
        expect(errors?.[0].extensions.code).toBe('INTERNAL_SERVER_ERROR');
      });
      expect(changes).toEqual(NO_CHANGE);
      await db().$executeRawUnsafe(`drop trigger failing on ${table}`);
      expect((await outcomesOf(gateway(), listed)).succeeded).toBe(true);
    });
  });

  describe('in maintenance mode', () => {
    afterAll(() => db().setting.deleteMany());

    test('rejects every item', async () => {
      const content = { enabled: true };
      await db().setting.create({ data: { name: 'maintenance.mode', content } });
      const { kinds } = await refused([
        { source: 'plain', name: 'm-1' },
        { source: 'ghost', name: 'm-2' },
      ]);
      expect(kinds).toEqual(['MaintenanceModeError', 'MaintenanceModeError']);
    });
  });

  describe('with idempotency keys', () => {
    const first = { source: 'plain', name: 'k-1', idempotencyKey: 'list-1' };
    const second = { source: 'plain', name: 'k-2', idempotencyKey: 'list-2' };

    test('returns the copies of the first call again', async () => {
      expect((await outcomesOf(gateway(), [first, second])).succeeded).toBe(true);
      const changes = await changesOf(db(), async () => {
        expect((await outcomesOf(gateway(), [second, first])).kinds).toEqual([COPIED, COPIED]);
      });
      expect(changes).toEqual(NO_CHANGE);
    });

    test('writes the items that are new', async () => {
      const { added } = await changesOf(db(), async () => {
        const listed = [first, { source: 'plain', name: 'k-3', idempotencyKey: 'list-3' }];
        expect((await outcomesOf(gateway(), listed)).kinds).toEqual([COPIED, COPIED]);
      });
      expect(countsOf(added)['features']).toBe(1);
    });

    test('returns earlier copies even if another item is rejected', async () => {
      const { kinds } = await refused([first, { source: 'plain', name: 'taken' }]);
      expect(kinds).toEqual([COPIED, 'NameExistsError']);
    });

    test('rejects keys that are invalid, used otherwise or used twice', async () => {
      const { kinds } = await refused([
        { source: 'plain', name: 'k-4', idempotencyKey: '' },
        { source: 'plain', name: 'k-5', idempotencyKey: 'list-1' },
        { source: 'plain', name: 'k-6', idempotencyKey: 'list-6' },
        { source: 'plain', name: 'k-7', idempotencyKey: 'list-6' },
      ]);
      expect(kinds).toEqual([
        'IdempotencyKeyError',
        'IdempotencyKeyError',
        SKIPPED,
        'IdempotencyKeyError',
      ]);
    });

    test('accepts the key of a single clone over REST', async () => {
      const headers = { 'idempotency-key': 'k-rest' };
      await cloneOverRest(gateway(), { source: 'plain', name: 'k-8', headers });
      const listed = [
        { source: 'plain', name: 'k-8', project: 'shop', idempotencyKey: 'k-rest' },
        { source: 'plain', name: 'k-9' },
      ];
      expect((await outcomesOf(gateway(), listed)).kinds).toEqual([COPIED, COPIED]);
    });
  });

  test('rejects names that cannot be stored one by one', async () => {
    const { kinds, messages } = await refused([
      { source: 'a\0b', name: 'unstorable-1' },
      { source: 'plain', name: 'unstorable-2' },
      { source: 'plain', name: 'unstorable-3', project: '\0' },
      { source: 'plain', name: 'taken' },
    ]);
    expect(kinds).toEqual(['CloneRefusedError', SKIPPED, 'CloneRefusedError', 'NameExistsError']);
    expect(messages?.[0]).toContain('The name of the feature to copy contains a character');
    expect(messages?.[2]).toContain('The target project contains a character');
  });

  test('takes 1 to 50 items', async () => {
    const listOf = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ source: 'origin', name: `many-${index}` }));
    const { kinds, messages } = await refused(listOf(51));
    expect(kinds).toEqual(listOf(51).map(() => 'CloneRefusedError'));
    expect(messages?.[50]).toContain('1 to 50 items (got 51)');
    const { data, errors } = await sendClones(gateway(), []);
    expect(data).toBeNull();
    expect(errors?.[0].extensions.code).toBe('BAD_USER_INPUT');
    expect(errors?.[0].message).toContain('1 to 50 items (got 0)');
    const { added } = await changesOf(db(), async () => {
      expect((await outcomesOf(gateway(), listOf(50))).succeeded).toBe(true);
    });
    expect(countsOf(added)).toMatchObject(times(FULL_CLONE_ROWS, 50));
  });
});
