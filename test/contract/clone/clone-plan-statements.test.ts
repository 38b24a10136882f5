import { expect, test } from 'vitest';
import { describeWithDemo } from '../../testkit/app.js';
import { outcomesOf } from '../../testkit/clone-lists.js';
import { planOf } from '../../testkit/clone-plans.js';
import { addFeature, type StrategySpec } from '../../testkit/clone-world.js';

describeWithDemo(
  'the number of SQL statements of a clone',
  ({ gateway, database, statementsOf }) => {
    const planned = async (source: string, include: readonly string[] = []) => {
      let strategies = 0;
      const statements = await statementsOf(async () => {
        const call = { source, name: 'x', project: 'web-shop', include };
        const { copy, wouldSucceed } = await planOf(gateway(), call);
        expect(wouldSucceed).toBe(true);
        strategies = copy.environments[0].strategies.length;
      });
      return { statements: statements.length, strategies };
    };

    test('does not depend on the number of strategies, segments and tags in a plan', async () => {
      const { client } = database();
      const segments = await client.segment.findMany({ where: { projectId: null }, take: 2 });
      const strategy: StrategySpec = {
        name: 'default',
        constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }],
        segments: segments.map(({ id }) => id),
      };
      for (const [name, size] of [
        ['few', 1],
        ['many', 25],
      ] as const) {
        await addFeature(client, {
          name,
          project: 'web-shop',
          environments: { development: { strategies: Array(size).fill(strategy) } },
          tags: { simple: Array.from({ length: size }, (_, index) => `${name}-${index}`) },
        });
      }
      expect(await planned('few', ['TAGS'])).toMatchObject({ strategies: 1 });
      const few = await planned('few', ['TAGS']);
      const many = await planned('many', ['TAGS']);
      expect(many.strategies).toBe(25);
      expect(many.statements).toBe(few.statements);
    });

    test('is one for all data of a plan, whatever it includes', async () => {
      const statements = await statementsOf(() =>
        planOf(gateway(), { source: 'checkout-one-page', name: 'x', project: 'web-shop' }),
      );
      expect(statements.filter((sql) => sql.includes("'targets'"))).toHaveLength(1);
      expect(statements.filter((sql) => /insert|update|delete/i.test(sql.slice(0, 30)))).toEqual(
        [],
      );
      const { statements: count } = await planned('checkout-one-page');
      expect((await planned('checkout-one-page', ['TAGS', 'FAVORITE'])).statements).toBe(count);
    });

    test('does not depend on the number of features that are cloned together', async () => {
      const clone = (prefix: string, count: number) =>
        statementsOf(async () => {
          const listed = Array.from({ length: count }, (_, index) => ({
            source: index % 2 ? 'welcome-tour' : 'few',
            name: `${prefix}-${index}`,
            include: ['TAGS'],
            idempotencyKey: `${prefix}-${index}`,
          }));
          expect((await outcomesOf(gateway(), listed)).succeeded).toBe(true);
        });
      await clone('warm-up', 1);
      const one = await clone('one', 1);
      const many = await clone('many', 20);
      expect(many).toHaveLength(one.length);
      expect(await clone('many', 20)).toHaveLength((await clone('one', 1)).length);
      expect(many.filter((sql) => sql.includes("'targets'"))).toHaveLength(2);
      expect(many.filter((sql) => /insert into/.test(sql))).toHaveLength(1);
    });

    test('does not increase with tags: one validates them, one writes them', async () => {
      const clone = (input: string) =>
        statementsOf(() =>
          gateway().graphql(
            `mutation { cloneFeature(input: { featureName: "few", targetProjectId: "web-shop", ${input} }) { __typename } }`,
          ),
        );
      const plain = await clone('newName: "plain-few"');
      const tagged = await clone('newName: "tagged-few", include: [TAGS]');
      expect(tagged).toHaveLength(plain.length);
      const writes = tagged.filter((sql) => /insert into/.test(sql));
      expect(writes).toHaveLength(1);
      expect(writes[0]).toContain('insert into feature_tag');
      expect(plain.some((sql) => sql.includes('feature_tag'))).toBe(false);
    });
  },
);
