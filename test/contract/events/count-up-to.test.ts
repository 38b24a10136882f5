import { describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo } from '../../testkit/app.js';
import { stopClock } from '../../testkit/stop-clock.js';

stopClock();

const LISTS: [name: string, selection: (fields: string) => string][] = [
  ['events', (fields) => `events(first: 1) { ${fields} }`],
  ['events of a text', (fields) => `events(first: 1, filter: { text: "enabled" }) { ${fields} }`],
  [
    'events of a rare text',
    (fields) => `events(first: 1, filter: { text: "beta-testers" }) { ${fields} }`,
  ],
  [
    'events of an unknown author',
    (fields) => `events(first: 1, filter: { createdByUserId: { is: -999 } }) { ${fields} }`,
  ],
  ['events of a project', (fields) => `project(id: "web-shop") { events(first: 1) { ${fields} } }`],
  ['features', (fields) => `features(first: 1) { ${fields} }`],
  [
    'some features',
    (fields) => `features(first: 1, filter: { type: { noneOf: "release" } }) { ${fields} }`,
  ],
  [
    'features of a project',
    (fields) => `project(id: "web-shop") { features(first: 1) { ${fields} } }`,
  ],
  ['projects', (fields) => `projects(first: 1) { ${fields} }`],
  [
    'all projects but one',
    (fields) => `projects(first: 1, filter: { id: { noneOf: ["default"] } }) { ${fields} }`,
  ],
  ['deliveries', (fields) => `integrationEvents(integrationId: 1, first: 1) { ${fields} }`],
  [
    'failed deliveries',
    (fields) =>
      `integrationEvents(integrationId: 1, first: 1, filter: { state: { noneOf: SUCCESS } }) { ${fields} }`,
  ],
];

describeWithDemo('bounded totals', ({ gateway, database, statementsOf }) => {
  const connection = async (query: string) => {
    const { data, errors } = await gateway().graphql(`{ ${query} }`);
    expect(errors).toBeUndefined();
    const [found] = Object.values(data) as [Record<string, unknown>];
    return (found['events'] ?? found['features'] ?? found) as {
      totalCount: number;
      totalCountUpTo: { count: number; exceeded: boolean };
    };
  };

  test.each(LISTS)('match the exact total: %s', async (_name, list) => {
    const { totalCount: total } = await connection(list('totalCount'));
    for (const max of [1, total - 1, total, total + 1, 100_000].filter((max) => max > 0)) {
      const { totalCountUpTo } = await connection(
        list(`totalCountUpTo(max: ${max}) { count exceeded }`),
      );
      expect([max, totalCountUpTo]).toEqual([
        max,
        { count: Math.min(total, max), exceeded: total > max },
      ]);
    }
  });

  test('are correct for a text that is not cached', async () => {
    const list = (text: string, fields: string) =>
      connection(`events(first: 1, filter: { text: "${text}" }) { ${fields} }`);
    for (const text of ['rollout', 'nordic-customers', 'nowhere to be found']) {
      const up = await list(text, 'totalCountUpTo(max: 100000) { count exceeded }');
      const { totalCount } = await list(text, 'totalCount');
      expect(up).toEqual({ totalCountUpTo: { count: totalCount, exceeded: false } });
    }
  });

  test('are correct for a text with few matches among the newest events and more in old ones', async () => {
    const { client } = database();
    await client.$queryRaw`select setval('events_id_seq', (select max(id) + 100000 from events))`;
    const event = { type: 'feature-updated', createdBy: 'x', data: { rollout: 1 } };
    await client.event.createMany({ data: [event, event] });
    const { totalCountUpTo } = await connection(
      'events(first: 1, filter: { text: "ROLLOUT" }) { totalCountUpTo(max: 3) { count exceeded } }',
    );
    expect(totalCountUpTo).toEqual({ count: 3, exceeded: true });
  });

  test('read no more rows than necessary, in one statement', async () => {
    const statements = await statementsOf(() =>
      connection(
        'events(first: 1, filter: { environmentName: { is: "production" } }) { totalCountUpTo(max: 9) { count exceeded } }',
      ),
    );
    const counts = statements.filter((sql) => sql.includes('count(*)'));
    expect(counts).toHaveLength(1);
    expect(counts[0]).toMatch(/from \(select from events e where .* limit \$\d\)/s);
  });

  test('are counted for all items of a list in one statement', async () => {
    const query = `projects {
      nodes {
        id
        features(first: 3) {
          totalCount totalCountUpTo(max: 2) { count exceeded }
          nodes { name events(first: 1) { totalCount totalCountUpTo(max: 4) { count exceeded } } }
        }
        events(first: 1) { totalCount totalCountUpTo(max: 50) { count exceeded } }
      } }
      integrations { deliveries(first: 1) { totalCount totalCountUpTo(max: 3) { count exceeded } } }`;
    const check = (list: { totalCount: number; totalCountUpTo: unknown }, max: number) =>
      expect(list.totalCountUpTo).toEqual({
        count: Math.min(list.totalCount, max),
        exceeded: list.totalCount > max,
      });
    const statements = await statementsOf(async () => {
      const { data, errors } = await gateway().graphql(`{ ${query} }`);
      expect(errors).toBeUndefined();
      for (const { features, events } of data.projects.nodes) {
        check(features, 2);
        check(events, 50);
        for (const feature of features.nodes) check(feature.events, 4);
      }
      for (const { deliveries } of data.integrations) check(deliveries, 3);
      expect(data.integrations.length).toBeGreaterThan(1);
      expect(data.projects.nodes.length).toBeGreaterThan(2);
    });
    const counts = statements.filter((sql) => sql.includes('lateral (select count(*)'));
    expect(counts).toHaveLength(4);
    // No statement reads more rows than necessary.
    for (const sql of counts) expect(sql).toMatch(/from \(\s*select from .* limit \$\d+\) found/s);
  });

  describe('reject a bound outside 1 to 100000:', () => {
    test.each([0, -1, 100_001, 2_147_483_647])('%i', async (max) => {
      for (const [, list] of LISTS) {
        const query = `query ($max: Int!) { ${list('totalCountUpTo(max: $max) { count }')} }`;
        const { errors } = await gateway().graphql(query, { max });
        expect(errors?.[0].message).toBe(`'max' must be between 1 and 100000 (got ${max}).`);
        expect(errors?.[0].extensions).toMatchObject({
          code: 'BAD_USER_INPUT',
          name: 'BadDataError',
        });
      }
    });

    test.each(['"5"', '1.5', 'null', '2147483648', '[1, 2]'])('%s, not an Int', async (max) => {
      const query = `{ events(first: 1) { totalCountUpTo(max: ${max}) { count } } }`;
      const { status, data } = await gateway().graphql(query);
      expect([status, data ?? null]).toEqual([400, null]);
    });
  });

  test('require access to deliveries', async () => {
    const query = '{ integrationEvents(integrationId: 1) { totalCountUpTo(max: 1) { exceeded } } }';
    const { data, errors } = await gateway().graphql(query, {}, { token: DEMO_TOKENS.noRole });
    expect(data ?? null).toBeNull();
    expect(errors?.[0].extensions.code).toBe('FORBIDDEN');
  });
});
