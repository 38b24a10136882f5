import { beforeAll, expect, test } from 'vitest';
import { Actor } from '../../../src/domain/actor.js';
import { cloneFeature } from '../../../src/domain/features/clone-feature.js';
import { planClone } from '../../../src/domain/features/plan-clone.js';
import { CLONE_CONTEXT, CLONE_RULES } from '../../testkit/clone-rules.js';
import { createRandom, randomSource } from '../../testkit/clone-sources.js';
import { changesOf, NO_CHANGE, type Row } from '../../testkit/clone-tables.js';
import { addCloneWorld, addFeature, PEOPLE } from '../../testkit/clone-world.js';
import { describeWithDatabase } from '../../testkit/database.js';

const SEEDS = Array.from({ length: 25 }, (_, index) => 104_729 * (index + 1));

const actor = new Actor({
  kind: 'USER',
  userId: PEOPLE.ann,
  author: 'ann@example.com',
  name: 'Ann',
  grants: [{ permission: 'ADMIN', project: null, environment: null }],
  seesAllEvents: true,
  visibleProjects: null,
  ip: null,
});
const rules = { ...CLONE_RULES, assertWritable: () => undefined };

/** Sorts lists whose order does not matter, and the keys of objects. */
const asSet = (values: readonly unknown[]) =>
  values
    .map((value) =>
      JSON.stringify(value, (_key, item: unknown) =>
        typeof item === 'object' && item !== null && !Array.isArray(item)
          ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
          : item,
      ),
    )
    .sort();

describeWithDatabase('the plan of any clone', (open) => {
  let db: Awaited<ReturnType<typeof open>>['client'];
  beforeAll(async () => {
    db = (await open()).client;
    await addCloneWorld(db);
    for (const project of ['shop', 'plaza', 'bare']) {
      await addFeature(db, { name: `parent-in-${project}`, project });
    }
    await db.tag.createMany({
      data: ['a1', 'b2', 'c3'].map((value) => ({ type: 'simple', value })),
    });
  });

  test.each(SEEDS)('generated from seed %i equals the rows that the clone writes', async (seed) => {
    const random = createRandom(seed);
    const targetProject = random.pick('shop', 'plaza', 'bare');
    const source = randomSource(random, `source-${seed}`, `parent-in-${targetProject}`);
    await addFeature(db, source);
    await db.featureTag.createMany({
      data: random
        .some(['a1', 'b2', 'c3'])
        .map((value) => ({ featureName: source.name, type: 'simple', value })),
    });
    if (random.chance(0.5)) {
      await db.favoriteFeature.create({
        data: { featureName: source.name, userId: PEOPLE.ann },
      });
    }
    const input = {
      source: source.name,
      name: `copy-${seed}`,
      targetProject,
      replaceGroupId: random.chance(0.5),
      include: random.some(['TAGS', 'FAVORITE'] as const),
    };

    let plan: Awaited<ReturnType<typeof planClone>> | undefined;
    expect(
      await changesOf(db, async () => {
        plan = await planClone(db, actor, input, rules);
      }),
    ).toEqual(NO_CHANGE);
    const draft = plan?.draft;
    if (!plan || !draft) return expect.fail('There is nothing to copy.');
    expect(plan.refusals).toEqual([]);

    const { added } = await changesOf(db, () => cloneFeature(db, actor, input, CLONE_CONTEXT));
    const rows = (table: string): readonly Row[] => added[table] ?? [];

    expect(rows('features')).toMatchObject([
      {
        name: plan.name,
        project: plan.targetProject,
        description: draft.source.description,
        type: draft.source.type,
        stale: draft.source.stale,
        impression_data: draft.source.impressionData,
      },
    ]);
    expect(asSet(rows('feature_environments').map((row) => row['environment']))).toEqual(
      asSet(plan.environments.map(({ name }) => name)),
    );
    expect(
      asSet(rows('feature_environments').map((row) => [row['environment'], row['variants']])),
    ).toEqual(asSet([...draft.variantsOf]));
    expect(
      asSet(
        rows('feature_strategies').map((row) => ({
          environmentName: row['environment'],
          name: row['strategy_name'],
          title: row['title'],
          disabled: row['disabled'],
          sortOrder: row['sort_order'],
          parameters: row['parameters'],
          constraints: row['constraints'],
          variants: row['variants'],
          segments: rows('feature_strategy_segment')
            .filter((link) => link['feature_strategy_id'] === row['id'])
            .map((link) => Number(link['segment_id']))
            .sort((a, b) => a - b),
        })),
      ),
    ).toEqual(asSet(draft.strategies));
    expect(rows('dependent_features')).toEqual(
      draft.dependencies.map(({ parentName, enabled, variants }) => ({
        parent: parentName,
        child: plan?.name,
        enabled,
        variants,
      })),
    );
    expect(asSet(rows('feature_tag').map((row) => [row['tag_type'], row['tag_value']]))).toEqual(
      asSet(draft.tags.map(({ type, value }) => [type, value])),
    );
    expect(rows('favorite_features').map((row) => row['user_id'])).toEqual(
      draft.isFavorite ? [PEOPLE.ann] : [],
    );
  });
});
