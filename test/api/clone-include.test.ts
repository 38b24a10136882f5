import { beforeAll, describe, expect, test } from 'vitest';
import { cloneOverRest } from '../testkit/clone-calls.js';
import { askForClone, type PlanCall, planOf } from '../testkit/clone-plans.js';
import { changesOf, countsOf, NO_CHANGE, type Row } from '../testkit/clone-tables.js';
import {
  addFeature,
  addFullSource,
  CLONE_TOKENS,
  describeCloneOnBothDatabases,
  FULL_CLONE_ROWS,
  PEOPLE,
} from '../testkit/clone-world.js';

describeCloneOnBothDatabases('a clone with what is asked for besides', ({ gateway, db }) => {
  beforeAll(async () => {
    await addFullSource(db(), 'origin');
    await db().tag.createMany({
      data: [
        { type: 'simple', value: "it's “red”" },
        { type: 'simple', value: 'blue' },
      ],
    });
    await db().featureTag.createMany({
      data: ["it's “red”", 'blue'].map((value) => ({
        featureName: 'origin',
        type: 'simple',
        value,
      })),
    });
    await db().favoriteFeature.createMany({
      data: [
        { featureName: 'origin', userId: PEOPLE.ben },
        { featureName: 'origin', userId: PEOPLE.vic },
      ],
    });
  });

  const clone = async (call: PlanCall) => {
    const { data, errors } = await askForClone(gateway(), call, { dryRun: false });
    return errors?.[0]?.extensions.code ?? data.cloneFeature.__typename;
  };
  /** The rows that a clone by Ben brings. */
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

  describe('namely tags', () => {
    let rows: Record<string, Row[]>;
    beforeAll(async () => {
      rows = await rowsOf('with-tags', ['TAGS', 'TAGS']);
    });

    test('has them, put there by who cloned', () => {
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

    test('tells of each in an event behind those of the clone, with the tags there are by then', async () => {
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

    test('shows them at once', async () => {
      const { data } = await gateway().graphql('{ feature(name: "with-tags") { tags { value } } }');
      expect(data.feature.tags).toEqual([{ value: 'blue' }, { value: "it's “red”" }]);
    });
  });

  describe('namely the mark as a favorite', () => {
    test('is a favorite of who cloned and of nobody else, which an event of no project tells', async () => {
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

    test('is an ordinary copy for whom the source is no favorite', async () => {
      const { added } = await changesOf(db(), async () => {
        const call = { source: 'origin', name: 'without-mark', include: ['FAVORITE'] };
        expect(await clone(call)).toBe('CloneFeaturePayload');
      });
      expect(countsOf(added)).toMatchObject(FULL_CLONE_ROWS);
      expect(added['favorite_features']).toBeUndefined();
    });
  });

  test('has all of it at once, the tags in the last event as well', async () => {
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

  test('asked for nothing is the clone that REST makes', async () => {
    const plain = await rowsOf('plain-graphql', []);
    const { added } = await changesOf(db(), () =>
      cloneOverRest(gateway(), { source: 'origin', name: 'plain-rest', token: CLONE_TOKENS.ben }),
    );
    const { stat_environment_updates: _, ...rest } = added;
    expect(countsOf(plain)).toEqual(FULL_CLONE_ROWS);
    expect(countsOf(rest)).toEqual(FULL_CLONE_ROWS);
  });

  test('is not to be had over REST', async () => {
    const { body } = await gateway().rest('/api/admin/projects/shop/features/origin/clone', {
      body: { name: 'bare-rest', include: ['TAGS'], dryRun: true },
    });
    expect(body.name).toBe('bare-rest');
    expect(await db().featureTag.count({ where: { featureName: 'bare-rest' } })).toBe(0);
  });

  test('needs UPDATE_FEATURE for tags, and leaves nothing without it', async () => {
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
        expect(await clone({ ...call, include: ['TAGS'] })).toBe('FORBIDDEN');
      }),
    ).toEqual(NO_CHANGE);
    expect(await clone({ ...call, include: ['FAVORITE'] })).toBe('CloneFeaturePayload');
  });

  test('takes a hundred tags along and not one more', async () => {
    await addFeature(db(), { name: 'covered' });
    const tags = Array.from({ length: 101 }, (_, index) => ({
      type: 'simple',
      value: `tag-${index}`,
    }));
    await db().tag.createMany({ data: tags });
    await db().featureTag.createMany({
      data: tags.map((tag) => ({ featureName: 'covered', ...tag })),
    });
    const call = { source: 'covered', name: 'covered-2', include: ['TAGS'] };
    const { refusals } = await planOf(gateway(), call);
    expect(refusals).toMatchObject([{ message: expect.stringContaining('101') }]);
    expect(await clone(call)).toBe('CloneRefusedError');

    await db().featureTag.deleteMany({ where: { featureName: 'covered', value: 'tag-0' } });
    expect(await clone(call)).toBe('CloneFeaturePayload');
    expect(await db().featureTag.count({ where: { featureName: 'covered-2' } })).toBe(100);
  });

  test('is refused into a full project like any other', async () => {
    const call = { source: 'covered', name: 'first', project: 'small', include: ['TAGS'] };
    expect(await clone(call)).toBe('CloneFeaturePayload');
    expect(await clone({ ...call, name: 'second' })).toBe('FeatureLimitError');
  });
});
