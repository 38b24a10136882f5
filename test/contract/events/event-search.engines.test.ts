import { beforeAll, describe, expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import { describeWithDemo, startGateway } from '../../testkit/app.js';
import { stopClock } from '../../testkit/stop-clock.js';

stopClock();

type Listed = { id: number };
const idsOf = (events: readonly Listed[]) => events.map(({ id }) => id);

const BULK = 120;
const BULK_TIMESTAMP = new Date('2021-03-04T05:06:07.089Z');

const addByHand = async (client: PrismaClient) => {
  await client.$executeRaw`
    insert into events (type, created_by, created_by_user_id, project, feature_name, environment, data, pre_data, tags, created_at)
    values
      ('feature-updated', 'hand', 501, 'texts', 'a', null, '{"name":"100 % sure"}', null, '[]', '2020-01-01'),
      ('feature-updated', 'hand', 501, 'texts', 'b', null, '{"name":"1000 sure"}', null, '[]', '2020-01-01'),
      ('feature-updated', 'hand', 502, 'texts', 'c', null, '{"name":"snake_case"}', null, '[]', '2020-01-01'),
      ('feature-updated', 'hand', 502, 'texts', 'd', null, '{"name":"snakeXcase"}', null, '[]', '2020-01-01'),
      ('feature-updated', 'hand', -42, 'texts', 'e', null, '{"path":"C:\\\\dir"}', null, '[]', '2020-01-01'),
      ('feature-updated', 'hand', null, 'texts', 'f', null, null, '{"Name":"ÄrgerLICH"}', '[]', '2020-01-01'),
      ('feature-updated', 'hand', null, 'texts', 'g', null, null, null, '[{"type":"simple","value":"needle-Tag"}]', '2020-01-01'),
      ('needle-tag', 'needle-tag', null, 'texts', 'needle-tag', 'needle-tag', '{}', null, '[]', '2020-01-01'),
      ('feature-updated', 'hand', null, 'edges', 'before', null, '{}', null, '[]', '2020-05-04 23:59:59.999999+00'),
      ('feature-updated', 'hand', null, 'edges', 'first', null, '{}', null, '[]', '2020-05-05 00:00:00+00'),
      ('feature-updated', 'hand', null, 'edges', 'last', null, '{}', null, '[]', '2020-05-05 23:59:59.999999+00'),
      ('feature-updated', 'hand', null, 'edges', 'after', null, '{}', null, '[]', '2020-05-06 00:00:00+00'),
      ('brand-new-type', 'hand', null, 'odd', null, null, '{"x":1}', null, '[]', '2020-01-01'),
      ('constructor', 'hand', null, 'odd', null, null, '{}', null, '[]', '2020-01-01'),
      ('__proto__', '{{event.type}} **x**', null, 'odd', '__proto__', null, '[]', '"text"', '[]', '2020-01-01'),
      ('feature-created', '', null, 'odd', 'x', null, null, null, null, null),
      ('feature-strategy-update', 'hand', null, 'odd', 'x', null, '{"name":"userWithId","constraints":null}', '{"name":"userWithId"}', 'false', '2020-01-01'),
      ('feature-tagged', 'hand', null, 'odd', 'x', null, '7', 'true', '{"type":"simple"}', '2020-01-01'),
      ('feature-tagged', 'hand', null, 'odd', 'x', null, '{"big":12345678901234567890,"1":"one","0":"zero"}', null, '[1,{"type":"simple","value":"kept"},{"value":2}]', '2020-01-01'),
      ('api-token-created', 'hand', null, 'texts,edges', null, '*', '{}', null, '[]', '2020-01-01'),
      ('feature-updated', 'hand', null, '', '', '', '{}', null, '[]', '2020-01-01')`;
  await client.event.createMany({
    data: Array.from({ length: BULK }, (_, index) => ({
      type: 'feature-updated',
      createdBy: 'hand',
      projectId: 'bulk',
      featureName: `bulk-${index % 3}`,
      createdAt: BULK_TIMESTAMP,
    })),
  });
};

describeWithDemo('event search', ({ gateway, database, statementsOf }) => {
  beforeAll(() => addByHand(database().client));

  const search = async (parameters: Record<string, string>) => {
    const path = `/api/admin/search/events?${new URLSearchParams(parameters)}`;
    const { status, body } = await gateway().rest(path);
    expect(status).toBe(200);
    return body;
  };
  const SELECTION =
    'totalCount nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
  const connect = async (variables: Record<string, unknown>, selection = SELECTION) => {
    const query = `query ($first: Int, $after: String, $last: Int, $before: String, $filter: EventFilter) {
      events(first: $first, after: $after, last: $last, before: $before, filter: $filter) { ${selection} } }`;
    const { data, errors } = await gateway().graphql(query, variables);
    expect(errors).toBeUndefined();
    return data.events;
  };
  const idsWhere = async (condition: string, ...values: unknown[]): Promise<number[]> =>
    idsOf(
      await database().client.$queryRawUnsafe<Listed[]>(
        `select id from events where ${condition} order by id desc`,
        ...values,
      ),
    );

  test('returns the newest events first, with the exact total', async () => {
    const all = await idsWhere('true');
    const { events, total } = await search({ limit: '3' });
    expect(idsOf(events)).toEqual(all.slice(0, 3));
    expect(total).toBe(all.length);
    expect((await search({})).events).toHaveLength(50);
    expect((await connect({})).nodes).toHaveLength(50);
  });

  describe('returns the same events in both transports by', () => {
    type Case = [
      what: string,
      rest: Record<string, string>,
      graphql: Record<string, unknown>,
      sql: string,
    ];
    const CASES: Case[] = [
      [
        'one feature',
        { feature: 'IS:checkout-one-page' },
        { featureName: { is: 'checkout-one-page' } },
        `feature_name = 'checkout-one-page'`,
      ],
      [
        'several features',
        { feature: 'IS_ANY_OF:welcome-tour, newsletter-popup ,ghost' },
        { featureName: { anyOf: ['welcome-tour', 'newsletter-popup', 'ghost'] } },
        `feature_name in ('welcome-tour', 'newsletter-popup', 'ghost')`,
      ],
      [
        'several features after IS',
        { feature: 'IS:welcome-tour,ghost' },
        { featureName: { anyOf: ['welcome-tour', 'ghost'] } },
        `feature_name in ('welcome-tour', 'ghost')`,
      ],
      [
        'a feature of no letter case but its own',
        { feature: 'IS:Welcome-Tour' },
        { featureName: { is: 'Welcome-Tour' } },
        'false',
      ],
      [
        'one project',
        { project: 'IS:payments' },
        { projectId: { is: 'payments' } },
        `project = 'payments'`,
      ],
      [
        'several projects',
        { project: 'IS_ANY_OF:lab,legacy-portal' },
        { projectId: { anyOf: ['lab', 'legacy-portal'] } },
        `project in ('lab', 'legacy-portal')`,
      ],
      [
        'a project nobody knows',
        { project: 'IS:nowhere' },
        { projectId: { is: 'nowhere' } },
        'false',
      ],
      [
        'the text null, not what is null',
        { project: 'IS:null' },
        { projectId: { is: 'null' } },
        'false',
      ],
      [
        'an empty project among others',
        { project: 'IS_ANY_OF:lab,' },
        { projectId: { anyOf: ['lab', ''] } },
        `project in ('lab', '')`,
      ],
      [
        'one type',
        { type: 'IS:feature-archived' },
        { type: { is: 'FEATURE_ARCHIVED' } },
        `type = 'feature-archived'`,
      ],
      [
        'several types',
        { type: 'IS_ANY_OF:user-created,segment-created,change-request-applied' },
        { type: { anyOf: ['USER_CREATED', 'SEGMENT_CREATED', 'CHANGE_REQUEST_APPLIED'] } },
        `type in ('user-created', 'segment-created', 'change-request-applied')`,
      ],
      [
        'one author',
        { createdBy: 'IS:3' },
        { createdByUserId: { is: 3 } },
        'created_by_user_id = 3',
      ],
      [
        'several authors',
        { createdBy: 'IS_ANY_OF: 2,+501,-42' },
        { createdByUserId: { anyOf: [2, 501, -42] } },
        'created_by_user_id in (2, 501, -42)',
      ],
      [
        'days',
        { from: 'IS:2026-01-10', to: 'IS:2026-01-12' },
        { createdAt: { from: '2026-01-10T00:00:00Z', before: '2026-01-13T00:00:00Z' } },
        `created_at >= '2026-01-10 00:00:00+00' and created_at < '2026-01-13 00:00:00+00'`,
      ],
      [
        'a first day',
        { from: 'IS:2026-02-25' },
        { createdAt: { from: '2026-02-25T00:00:00.000Z' } },
        `created_at >= '2026-02-25 00:00:00+00'`,
      ],
      [
        'a last day',
        { to: 'IS:2020-05-05' },
        { createdAt: { before: '2020-05-06T00:00:00Z' } },
        `created_at < '2020-05-06 00:00:00+00'`,
      ],
      [
        'days the wrong way round',
        { from: 'IS:2026-02-02', to: 'IS:2026-02-01' },
        { createdAt: { from: '2026-02-02T00:00:00Z', before: '2026-02-02T00:00:00Z' } },
        'false',
      ],
      [
        'everything at once',
        {
          feature: 'IS:checkout-one-page',
          project: 'IS_ANY_OF:web-shop,default',
          type: 'IS:feature-strategy-update',
          createdBy: 'IS_ANY_OF:4,5,10',
          from: 'IS:2025-12-01',
          to: 'IS:2026-03-01',
          query: 'rollout',
        },
        {
          featureName: { is: 'checkout-one-page' },
          projectId: { anyOf: ['web-shop', 'default'] },
          type: { is: 'FEATURE_STRATEGY_UPDATE' },
          createdByUserId: { anyOf: [4, 5, 10] },
          createdAt: { from: '2025-12-01T00:00:00Z', before: '2026-03-02T00:00:00Z' },
          text: 'rollout',
        },
        `feature_name = 'checkout-one-page' and project in ('web-shop', 'default') and type = 'feature-strategy-update'
          and created_by_user_id in (4, 5, 10) and created_at >= '2025-12-01 00:00:00+00' and created_at < '2026-03-02 00:00:00+00'
          and (data::text ilike '%rollout%' or pre_data::text ilike '%rollout%' or tags::text ilike '%rollout%')`,
      ],
    ];
    test.each(CASES)('%s', async (what, rest, filter, sql) => {
      const expected = await idsWhere(sql);
      const findsNothing = sql === 'false';
      expect([what, expected.length > 0]).toEqual([what, !findsNothing]);
      const { events, total } = await search({ ...rest, limit: '1000' });
      const connection = await connect({ filter, first: 1000 });
      expect(idsOf(events)).toEqual(expected);
      expect(idsOf(connection.nodes)).toEqual(expected);
      expect([total, connection.totalCount]).toEqual([expected.length, expected.length]);
    });
  });

  test('ignores an empty filter', async () => {
    const { total } = await search({});
    for (const name of ['feature', 'project', 'type', 'createdBy']) {
      expect((await search({ [name]: 'IS:' })).total).toBe(total);
      expect((await search({ [name]: 'IS_ANY_OF:' })).total).toBe(total);
    }
    expect((await search({ query: '' })).total).toBe(total);
    expect((await connect({ filter: { text: '', featureName: {}, type: null } })).totalCount).toBe(
      total,
    );
  });

  test('combines the conditions of a GraphQL filter with AND, and matches nothing with an empty anyOf', async () => {
    const total = async (filter: object) => (await connect({ filter })).totalCount;
    expect(await total({ projectId: { is: 'lab', anyOf: ['lab', 'default'] } })).toBe(
      await total({ projectId: { is: 'lab' } }),
    );
    expect(await total({ projectId: { is: 'lab', anyOf: ['default'] } })).toBe(0);
    expect(await total({ projectId: { anyOf: [] } })).toBe(0);
    expect(await total({ type: { anyOf: [] } })).toBe(0);
    expect(await total({ id: { anyOf: [] } })).toBe(0);
  });

  test('also filters by environment and by ID in GraphQL', async () => {
    const inProduction = await connect({
      filter: { environmentName: { is: 'production' } },
      first: 1000,
    });
    expect(idsOf(inProduction.nodes)).toEqual(await idsWhere(`environment = 'production'`));
    const chosen = await connect({ filter: { id: { anyOf: [3, 1, 2_000_000_000] } } });
    expect(idsOf(chosen.nodes)).toEqual([3, 1]);
    const between = await connect({ filter: { id: { from: 4, before: 7, anyOf: [1, 4, 6, 7] } } });
    expect([idsOf(between.nodes), between.totalCount]).toEqual([[6, 4], 2]);
    const authors = await connect({ filter: { createdByUserId: { from: 501, before: 502 } } });
    expect(idsOf(authors.nodes)).toEqual(await idsWhere('created_by_user_id = 501'));
  });

  describe('by text', () => {
    const LITERAL = `position(lower($1) in lower(coalesce(data::text, ''))) > 0
      or position(lower($1) in lower(coalesce(tags::text, ''))) > 0
      or position(lower($1) in lower(coalesce(pre_data::text, ''))) > 0`;

    test.each([
      '%',
      '100 %',
      '_',
      'snake_case',
      '\\',
      '\\\\dir',
      'SURE',
      'sUrE',
      'ärgerlich',
      '"name":',
      '": "',
      'needle-TAG',
      ', ',
      '日本語',
      '🌲',
      '{{event.type}}',
      "'",
      'no such text anywhere',
    ])('matches %j literally and case-insensitively in data, preData and tags', async (text) => {
      const expected = await idsWhere(LITERAL, text);
      const { events, total } = await search({ query: text, limit: '1000' });
      const connection = await connect({ filter: { text }, first: 1000 });
      expect(total).toBe(expected.length);
      expect(idsOf(events)).toEqual(expected.slice(0, 1000));
      expect(connection.totalCount).toBe(expected.length);
      expect(idsOf(connection.nodes)).toEqual(expected.slice(0, 1000));
    });

    const inTexts = async (query: string) => {
      const { events } = await search({ query, project: 'IS:texts' });
      return events.map(({ featureName }: { featureName: string }) => featureName).sort();
    };

    test('treats wildcards and escape characters of SQL literally', async () => {
      expect(await inTexts('100 %')).toEqual(['a']);
      expect(await inTexts('100')).toEqual(['a', 'b']);
      expect(await inTexts('1%sure')).toEqual([]);
      expect(await inTexts('snake_case')).toEqual(['c']);
      expect(await inTexts('snake')).toEqual(['c', 'd']);
      expect(await inTexts('C:\\\\dir')).toEqual(['e']);
      expect(await inTexts('\\%')).toEqual([]);
    });

    test('searches the payloads and the tags only', async () => {
      expect(await inTexts('ÄRGERlich')).toEqual(['f']);
      expect(await inTexts('needle-tag')).toEqual(['g']);
    });
  });

  describe('by time', () => {
    const inEdges = async (parameters: Record<string, string>) => {
      const { events } = await search({ ...parameters, project: 'IS:edges' });
      return events.map(({ featureName }: { featureName: string }) => featureName);
    };

    test('includes the whole days of `from` and `to` in REST', async () => {
      expect(await inEdges({ from: 'IS:2020-05-05' })).toEqual(['after', 'last', 'first']);
      expect(await inEdges({ to: 'IS:2020-05-05' })).toEqual(['last', 'first', 'before']);
      expect(await inEdges({ from: 'IS:2020-05-05', to: 'IS:2020-05-05' })).toEqual([
        'last',
        'first',
      ]);
      expect(await inEdges({ from: 'IS:2020-05-06', to: 'IS:9999-12-31' })).toEqual(['after']);
      expect(await inEdges({ to: 'IS:2020-05-04' })).toEqual(['before']);
    });

    test('includes `from` and excludes `to` in GraphQL', async () => {
      const filter = {
        projectId: { is: 'edges' },
        createdAt: { from: '2020-05-05T02:00:00+02:00', before: '2020-05-06T00:00:00.000Z' },
      };
      const { nodes } = await connect({ filter }, 'nodes { featureName createdAt }');
      expect(nodes).toEqual([
        { featureName: 'last', createdAt: '2020-05-05T23:59:59.999Z' },
        { featureName: 'first', createdAt: '2020-05-05T00:00:00.000Z' },
      ]);
    });
  });

  test('returns consecutive pages by offset without gaps or duplicates', async () => {
    const expected = await idsWhere(`project = 'bulk'`);
    const found: number[] = [];
    for (let offset = 0; offset < BULK + 50; offset += 50) {
      const { events, total } = await search({
        project: 'IS:bulk',
        offset: String(offset),
        limit: '50',
      });
      found.push(...idsOf(events));
      expect(total).toBe(BULK);
    }
    expect(found).toEqual(expected);
  });

  describe('with keyset pagination', () => {
    const walk = async (filter: object, size: number, backward: boolean) => {
      const ids: number[] = [];
      let cursor: string | null = null;
      for (let page = 0; ; page += 1) {
        const range = backward ? { last: size, before: cursor } : { first: size, after: cursor };
        const { nodes, pageInfo } = await connect(
          { filter, ...range },
          'nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }',
        );
        expect(idsOf(nodes)).toEqual(idsOf(nodes).toSorted((a, b) => b - a));
        expect(backward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage).toBe(page > 0);
        if (backward) ids.unshift(...idsOf(nodes));
        else ids.push(...idsOf(nodes));
        const hasMore = backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage;
        if (!hasMore) return ids;
        expect(nodes).toHaveLength(size);
        cursor = backward ? pageInfo.startCursor : pageInfo.endCursor;
      }
    };

    test('walks the whole log in both directions without gaps or duplicates', async () => {
      const all = await idsWhere('true');
      expect(await walk({}, 173, false)).toEqual(all);
      expect(await walk({}, 211, true)).toEqual(all);
    });

    test('walks many events of one millisecond with every page size', async () => {
      const bulk = await idsWhere(`project = 'bulk'`);
      const filter = {
        projectId: { is: 'bulk' },
        createdAt: { from: BULK_TIMESTAMP.toISOString() },
      };
      for (const size of [7, BULK, BULK + 1, BULK / 2]) {
        expect(await walk(filter, size, false)).toEqual(bulk);
        expect(await walk(filter, size, true)).toEqual(bulk);
      }
    });

    test('does not shift when events are added', async () => {
      const first = await connect({ filter: { projectId: { is: 'moving' } }, first: 2 });
      expect(first.nodes).toEqual([]);
      const add = () =>
        database().client.event.create({
          data: { type: 'feature-updated', createdBy: 'hand', projectId: 'moving' },
        });
      const early = [await add(), await add(), await add()].map(({ id }) => id).reverse();
      const filter = { projectId: { is: 'moving' } };
      const one = await connect({ filter, first: 2 });
      await add();
      const two = await connect({ filter, first: 2, after: one.pageInfo.endCursor });
      expect([...idsOf(one.nodes), ...idsOf(two.nodes)]).toEqual(early);
      await database().client.event.deleteMany({ where: { projectId: 'moving' } });
    });

    test('accepts `after` together with `before`, and returns the cursors of the items', async () => {
      const filter = { projectId: { is: 'bulk' } };
      const bulk = await idsWhere(`project = 'bulk'`);
      const { edges, pageInfo } = await connect(
        { filter, first: 10 },
        'edges { cursor node { id } } pageInfo { startCursor endCursor }',
      );
      expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([
        edges[0].cursor,
        edges[9].cursor,
      ]);
      const between = { filter, after: edges[2].cursor, before: edges[7].cursor };
      expect(idsOf((await connect({ ...between, first: 10 })).nodes)).toEqual(bulk.slice(3, 7));
      expect(idsOf((await connect({ ...between, first: 2 })).nodes)).toEqual(bulk.slice(3, 5));
      expect(idsOf((await connect({ ...between, last: 2 })).nodes)).toEqual(bulk.slice(5, 7));
    });

    test('returns no cursors for an empty page', async () => {
      const { nodes, totalCount, pageInfo } = await connect({
        filter: { projectId: { is: 'nowhere' } },
      });
      expect([nodes, totalCount]).toEqual([[], 0]);
      expect(pageInfo).toEqual({
        hasNextPage: false,
        hasPreviousPage: false,
        startCursor: null,
        endCursor: null,
      });
    });
  });

  test('filters by environment in REST, as newer admin UIs do', async () => {
    const { events, total } = await search({ environment: 'IS:needle-tag' });
    expect(events.map((event: { environment: string }) => event.environment)).toEqual([
      'needle-tag',
    ]);
    expect(total).toBe(1);
    expect((await gateway().rest('/api/admin/search/events?environment=production')).status).toBe(
      400,
    );
  });

  describe('total', () => {
    const counts = async (query: string) => {
      const statements = await statementsOf(async () => {
        const { errors } = await gateway().graphql(query);
        expect(errors).toBeUndefined();
      });
      return [
        statements.filter((sql) => sql.includes('count(')).length,
        statements.filter((sql) => /from events e\b/i.test(sql) && !sql.includes('count(')).length,
      ];
    };

    test.each([
      '{ events { nodes { id } } }',
      '{ events { __typename nodes { id } pageInfo { hasNextPage hasPreviousPage } } }',
      '{ events { edges { cursor } ... on EventConnection { totalCount @skip(if: true) } } }',
      '{ project(id: "bulk") { events { nodes { id } } } feature(name: "welcome-tour") { events { nodes { id } } } }',
    ])('is not counted for %s', async (query) => {
      expect((await counts(query))[0]).toBe(0);
    });

    test('is counted once when it is selected, under an alias and in fragments', async () => {
      // The first read, and the first after a deletion, also fills the cache, which counts as well.
      const list = 'events(filter: { id: { from: -7 } })';
      const inline = `{ ${list} { __typename totalCount nodes { id } } }`;
      await expect.poll(() => counts(inline)).toEqual([1, 1]);
      const inFragments = `{ ${list} { ...total } } fragment total on EventConnection { all: totalCount }`;
      await expect.poll(() => counts(inFragments)).toEqual([1, 1]);
    });
  });

  describe('of unknown event types', () => {
    test('returns OTHER with the type name', async () => {
      const { nodes } = await connect(
        { filter: { projectId: { is: 'odd' }, type: { is: 'OTHER' } } },
        'nodes { type typeName }',
      );
      expect(nodes).toEqual([
        { type: 'OTHER', typeName: '__proto__' },
        { type: 'OTHER', typeName: 'constructor' },
        { type: 'OTHER', typeName: 'brand-new-type' },
      ]);
    });

    test('matches them together with known types, and alone', async () => {
      const either = await connect({
        filter: { projectId: { is: 'odd' }, type: { anyOf: ['OTHER', 'FEATURE_CREATED'] } },
      });
      expect(either.totalCount).toBe(4);
      expect((await search({ type: 'IS:brand-new-type' })).total).toBe(1);
      const everywhere = await connect({ filter: { type: { is: 'OTHER' } } });
      expect(everywhere.totalCount).toBe(4);
    });
  });

  describe('of malformed rows', () => {
    const FIELDS = `nodes { id typeName createdBy createdAt createdByUserId data preData
      tags { value type } featureName projectId environmentName label summary group { type id } }`;

    test('never fails, and returns a label and a summary in both transports', async () => {
      const { total } = await search({});
      const rest: Record<string, unknown>[] = [];
      for (let offset = 0; offset < total; offset += 1000) {
        rest.push(...(await search({ limit: '1000', offset: String(offset) })).events);
      }
      expect(rest).toHaveLength(total);
      for (const event of rest) {
        expect(event['label']).toMatch(/\S/);
        expect(event['summary']).toMatch(/\S/);
        expect(event['summary']).not.toMatch(/undefined|\[object Object\]/);
      }

      const graph: Record<string, unknown>[] = [];
      let after: string | null = null;
      do {
        const page = await connect(
          { first: 1000, after },
          `${FIELDS} pageInfo { endCursor hasNextPage }`,
        );
        graph.push(...page.nodes);
        after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
      } while (after !== null);
      const groupKeys = (group: unknown) => {
        const { type, id } = group as { type: string; id: string };
        return { groupType: type, groupId: id };
      };
      const asInRest = graph.map(
        ({ typeName, projectId, environmentName, group, tags: _, ...event }) => ({
          ...event,
          type: typeName,
          project: projectId,
          environment: environmentName,
          ...(group !== null && groupKeys(group)),
        }),
      );
      // Only REST rounds the one number that exceeds a double.
      const rounded = JSON.stringify(asInRest).replace(
        '"12345678901234567890"',
        '12345678901234567890',
      );
      expect(JSON.parse(rounded)).toEqual(
        rest.map(({ tags: _, createdAt, ...event }) => ({
          ...event,
          // The graph shows the epoch for events without a timestamp.
          createdAt: createdAt ?? '1970-01-01T00:00:00.000Z',
        })),
      );
    });

    test('returns them as stored in REST, with tags as a list or as stored', async () => {
      const { events } = await search({ project: 'IS:odd' });
      const [many, object, falsy, bare, proto] = events;
      expect(many).toMatchObject({
        data: { '0': 'zero', '1': 'one', big: 12345678901234567000 },
        tags: [1, { type: 'simple', value: 'kept' }, { value: 2 }],
      });
      expect(object).toMatchObject({ data: 7, preData: true, tags: { type: 'simple' } });
      expect(falsy.tags).toEqual([]);
      expect(bare).toMatchObject({ createdAt: null, createdBy: '', data: null, tags: [] });
      expect(proto).toMatchObject({ type: '__proto__', data: [], preData: 'text' });
    });

    test('returns only valid tags in GraphQL', async () => {
      const { nodes } = await connect(
        { filter: { projectId: { is: 'odd' } }, first: 3 },
        'nodes { tags { type value } }',
      );
      expect(nodes.map(({ tags }: { tags: unknown }) => tags)).toEqual([
        [{ type: 'simple', value: 'kept' }],
        [],
        [],
      ]);
    });
  });

  test('begins links in summaries with the configured URL', async () => {
    const other = await startGateway(database(), { ADMIN_UI_URL: 'https://flags.example/ui/' });
    const { body } = await other.rest(
      '/api/admin/search/events?feature=IS:welcome-tour&type=IS:feature-created',
    );
    await other.stop();
    expect(body.events[0].summary).toContain(
      '(https://flags.example/ui/projects/default/features/welcome-tour)',
    );
    const { events } = await search({ feature: 'IS:welcome-tour', type: 'IS:feature-created' });
    expect(events[0].summary).toContain(
      '(http://localhost:4242/projects/default/features/welcome-tour)',
    );
  });

  test('returns the feature and the project of an event if they exist', async () => {
    const { nodes } = await connect(
      {
        filter: {
          featureName: { anyOf: ['welcome-tour', 'ghost'] },
          type: { anyOf: ['FEATURE_CREATED', 'FEATURE_ARCHIVED'] },
        },
      },
      'nodes { featureName projectId feature { name project { id } } project { id name } }',
    );
    expect(nodes).toContainEqual({
      featureName: 'welcome-tour',
      projectId: 'default',
      feature: { name: 'welcome-tour', project: { id: 'default' } },
      project: { id: 'default', name: 'Default' },
    });
    expect(nodes).toContainEqual({
      featureName: 'ghost',
      projectId: 'no-such-project',
      feature: null,
      project: null,
    });
  });
});
