import { beforeAll, describe, expect, test } from 'vitest';
import { cloneOverRest } from '../../testkit/clone-calls.js';
import { type PlanCall, planOf, requestClone } from '../../testkit/clone-plans.js';
import { changesOf, countsOf, NO_CHANGE, type Row } from '../../testkit/clone-tables.js';
import {
  addFeature,
  addFullSource,
  CLONE_TOKENS,
  describeWithCloneWorld,
  FULL_CLONE_ROWS,
  PEOPLE,
} from '../../testkit/clone-world.js';

describeWithCloneWorld('a clone with include', ({ gateway, db }) => {
  beforeAll(async () => {
    await addFullSource(db(), 'origin', 'shop', {
      tags: { simple: ["it's “red”", 'blue'] },
      favoriteOf: [PEOPLE.ben, PEOPLE.vic],
    });
  });

  const clone = async (call: PlanCall) => {
    const { data, errors } = await requestClone(gateway(), call);
    return errors?.[0]?.extensions.code ?? data.cloneFeature.__typename;
  };
  /** The rows that a clone by Ben adds. */
  const rowsOf = async (name: string, include: readonly string[]) => {
    const { added, removed } = await changesOf(db(), async () => {
      const call = { source: 'origin', name, token: CLONE_TOKENS.ben, include };
      expect(await clone(call)).toBe('CloneFeaturePayload');
    });
    expect(Object.keys(removed).filter((table) => table !== 'stat_environment_updates')).toEqual(
      [],
    );
    const { stat_environment_updates: _, ...rows } = added;
    return rows;
  };
  const eventsOf = (name: string) => db().$queryRaw<Row[]>`
    select type, created_by, created_by_user_id, project, environment, feature_name, announced, pre_data,
      data::text as data, tags::text as tags from events where feature_name = ${name} order by id`;

  describe('of TAGS', () => {
    let rows: Record<string, Row[]>;
    beforeAll(async () => {
      rows = await rowsOf('with-tags', ['TAGS', 'TAGS']);
    });

    test('copies the tags on behalf of the caller', () => {
      expect(countsOf(rows)).toEqual({ ...FULL_CLONE_ROWS, events: 6, feature_tag: 2 });
      const tag = {
        feature_name: 'with-tags',
        tag_type: 'simple',
        created_at: expect.any(String),
        created_by_user_id: PEOPLE.ben,
      };
      expect(rows['feature_tag']).toEqual(
        expect.arrayContaining([
          { ...tag, tag_value: 'blue' },
          { ...tag, tag_value: "it's “red”" },
        ]),
      );
    });

    test('writes an event for each tag after the events of the clone, with the tags so far', async () => {
      const events = await eventsOf('with-tags');
      expect(events.map(({ type, tags }) => [type, tags])).toEqual([
        ['feature-created', '[]'],
        ['feature-strategy-add', '[]'],
        ['feature-strategy-add', '[]'],
        ['feature-dependency-added', '[]'],
        ['feature-tagged', '[{"value":"blue","type":"simple"}]'],
        [
          'feature-tagged',
          '[{"value":"blue","type":"simple"},{"value":"it\'s “red”","type":"simple"}]',
        ],
      ]);
      expect(events[5]).toEqual({
        type: 'feature-tagged',
        created_by: 'ben',
        created_by_user_id: PEOPLE.ben,
        project: 'shop',
        environment: null,
        feature_name: 'with-tags',
        announced: false,
        pre_data: null,
        data: '{"type":"simple","value":"it\'s “red”"}',
        tags: expect.any(String),
      });
      expect(events.every(({ project }) => project === 'shop')).toBe(true);
    });

    test('returns the tags at once', async () => {
      const { data } = await gateway().graphql('{ feature(name: "with-tags") { tags { value } } }');
      expect(data.feature.tags).toEqual([{ value: 'blue' }, { value: "it's “red”" }]);
    });
  });

  describe('of FAVORITE', () => {
    test('is a favorite of the caller only, with an event without a project', async () => {
      const rows = await rowsOf('with-mark', ['FAVORITE']);
      expect(countsOf(rows)).toEqual({ ...FULL_CLONE_ROWS, events: 5, favorite_features: 1 });
      expect(rows['favorite_features']).toMatchObject([
        { feature: 'with-mark', user_id: PEOPLE.ben },
      ]);
      const events = await eventsOf('with-mark');
      expect(events.at(-1)).toMatchObject({
        type: 'feature-favorited',
        created_by_user_id: PEOPLE.ben,
        project: null,
        environment: null,
        data: '{"feature":"with-mark"}',
        tags: '[]',
      });
      expect(events.slice(0, -1).map(({ project }) => project)).toEqual(Array(4).fill('shop'));
    });

    test('creates no favorite when the source is not one of the caller', async () => {
      const { added } = await changesOf(db(), async () => {
        const call = { source: 'origin', name: 'without-mark', include: ['FAVORITE'] };
        expect(await clone(call)).toBe('CloneFeaturePayload');
      });
      expect(countsOf(added)).toMatchObject(FULL_CLONE_ROWS);
      expect(added['favorite_features']).toBeUndefined();
    });
  });

  test('of both copies both, with the tags in the last event', async () => {
    const rows = await rowsOf('with-all', ['FAVORITE', 'TAGS']);
    expect(countsOf(rows)).toEqual({
      ...FULL_CLONE_ROWS,
      events: 7,
      feature_tag: 2,
      favorite_features: 1,
    });
    const last = (await eventsOf('with-all')).at(-1);
    expect(last?.['type']).toBe('feature-favorited');
    expect(JSON.parse(String(last?.['tags']))).toHaveLength(2);
  });

  test('of nothing writes the same rows as a clone over REST', async () => {
    const plain = await rowsOf('plain-graphql', []);
    const { added } = await changesOf(db(), () =>
      cloneOverRest(gateway(), { source: 'origin', name: 'plain-rest', token: CLONE_TOKENS.ben }),
    );
    const { stat_environment_updates: _, ...rest } = added;
    expect(countsOf(plain)).toEqual(FULL_CLONE_ROWS);
    expect(countsOf(rest)).toEqual(FULL_CLONE_ROWS);
  });

  test('is not available over REST', async () => {
    const { body } = await gateway().rest('/api/admin/projects/shop/features/origin/clone', {
      body: { name: 'bare-rest', include: ['TAGS'], dryRun: true },
    });
    expect(body.name).toBe('bare-rest');
    expect(await db().featureTag.count({ where: { featureName: 'bare-rest' } })).toBe(0);
  });

  test('requires UPDATE_FEATURE for tags, and writes nothing without it', async () => {
    const changes = await changesOf(db(), async () => {
      await db()
        .$executeRaw`insert into roles (id, name, description, type) values (77, 'Creator', '', 'project')`;
      await db()
        .$executeRaw`insert into role_permission (role_id, permission) values (77, 'CREATE_FEATURE')`;
      await db().roleUser.create({ data: { roleId: 77, userId: PEOPLE.vic, projectId: 'shop' } });
    });
    expect(changes.removed).toEqual({});
    const call = { source: 'origin', name: 'by-vic', token: CLONE_TOKENS.vic };
    expect(
      await changesOf(db(), async () => {
        expect(await clone({ ...call, include: ['TAGS'] })).toBe('NoAccessError');
      }),
    ).toEqual(NO_CHANGE);
    expect(await clone({ ...call, include: ['FAVORITE'] })).toBe('CloneFeaturePayload');
  });

  test('copies up to a hundred tags', async () => {
    const simple = Array.from({ length: 101 }, (_, index) => `tag-${index}`);
    await addFeature(db(), { name: 'covered', tags: { simple } });
    const call = { source: 'covered', name: 'covered-2', include: ['TAGS'] };
    const { refusals } = await planOf(gateway(), call);
    expect(refusals).toMatchObject([{ message: expect.stringContaining('101') }]);
    expect(await clone(call)).toBe('CloneRefusedError');

    await db().featureTag.deleteMany({ where: { featureName: 'covered', value: 'tag-0' } });
    expect(await clone(call)).toBe('CloneFeaturePayload');
    expect(await db().featureTag.count({ where: { featureName: 'covered-2' } })).toBe(100);
  });

  test('is rejected when the project is full', async () => {
    const call = { source: 'covered', name: 'first', project: 'small', include: ['TAGS'] };
    expect(await clone(call)).toBe('CloneFeaturePayload');
    expect(await clone({ ...call, name: 'second' })).toBe('FeatureLimitError');
  });
});
