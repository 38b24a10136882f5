import { beforeAll, describe, expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo } from '../../testkit/app.js';
import { createRandom } from '../../testkit/clone-sources.js';
import { rounds } from '../../testkit/database.js';
import {
  createFilters,
  type Filter,
  type LoggedEvent,
  matchesFilter,
  readLog,
  storedTags,
} from '../../testkit/event-filters.js';
import { stopClock } from '../../testkit/stop-clock.js';

stopClock();

/** Events without the values that filters test. */
const addBareEvents = (client: PrismaClient) =>
  client.$executeRaw`
    insert into events (type, created_by, created_by_user_id, project, feature_name, environment, data, pre_data, tags, created_at)
    values
      ('brand-new-type', '', null, null, null, null, null, null, null, null),
      ('brand-new-type', 'hand', null, 'web-shop', null, null, null, null, null, null),
      ('feature-updated', 'hand', 7, null, 'bare', 'production', '{"enabled":1}', null, '[]', now()),
      ('project-updated', 'hand', null, '', '', '', '[]', 'null', '[]', '2020-01-01'),
      ('feature-updated', 'hand', 7, 'lab', 'a_b%c', null, '{}', null, '[{"type":"\\u0000","value":"\\ud800"}]', now())`;

const idsOf = (events: readonly { id: number }[]) => events.map(({ id }) => id);

const VARIABLES: Record<string, string> = {
  filter: 'EventFilter',
  rest: 'EventFilter',
  size: 'Int',
  cursor: 'String',
};

describeWithDemo('composed filters', ({ gateway, database, statementsOf }) => {
  let log: LoggedEvent[] = [];
  beforeAll(async () => {
    await addBareEvents(database().client);
    log = await readLog(database().client);
  });

  const runQuery = async (
    selection: string,
    variables: Record<string, unknown>,
    token: string = DEMO_TOKENS.admin,
  ) => {
    const declared = Object.keys(variables).map((name) => `$${name}: ${VARIABLES[name]}`);
    const query = `query ${declared.length > 0 ? `(${declared})` : ''} { ${selection} }`;
    const { data, errors } = await gateway().graphql(query, variables, { token });
    expect([variables, errors]).toEqual([variables, undefined]);
    return data;
  };
  const find = async (filter: Filter, token?: string) => {
    const found = await runQuery(
      'events(filter: $filter, first: 1000) { nodes { id } }',
      { filter },
      token,
    );
    return idsOf(found.events.nodes);
  };
  const count = async (filter: Filter, token?: string): Promise<number> => {
    const found = await runQuery(
      'events(filter: $filter, first: 1) { totalCount }',
      { filter },
      token,
    );
    return found.events.totalCount;
  };

  describe.each([
    ['with access to all events', DEMO_TOKENS.admin, () => true],
    [
      'with access to events of projects only',
      DEMO_TOKENS.noRole,
      ({ project }: LoggedEvent) => project !== null,
    ],
  ])('for a caller %s', (_title, token, isVisible) => {
    test('return the same events as a check of every single event, and their negation the rest', async () => {
      const visible = log.filter(isVisible);
      const filterOf = createFilters(createRandom(20_261), log);
      let [several, none, all] = [0, 0, 0];
      for (let round = 0; round < rounds(80); round++) {
        const filter = filterOf(1 + (round % 3));
        const matching: number[] = [];
        const notMatching: number[] = [];
        for (const event of visible) {
          (matchesFilter(event, filter) ? matching : notMatching).push(event.id);
        }
        const data = await runQuery(
          `some: events(filter: $filter, first: $size) { totalCount nodes { id } totalCountUpTo(max: 20) { count exceeded } }
          last: events(filter: $filter, last: $size) { nodes { id } }
          rest: events(filter: $rest, first: $size) { totalCount nodes { id } }`,
          { filter, rest: { not: filter }, size: 30 },
          token,
        );
        expect({ filter, ...data }).toEqual({
          filter,
          some: {
            totalCount: matching.length,
            nodes: matching.slice(0, 30).map((id) => ({ id })),
            totalCountUpTo: {
              count: Math.min(matching.length, 20),
              exceeded: matching.length > 20,
            },
          },
          last: { nodes: matching.slice(-30).map((id) => ({ id })) },
          rest: {
            totalCount: notMatching.length,
            nodes: notMatching.slice(0, 30).map((id) => ({ id })),
          },
        });
        if (matching.length === 0) none += 1;
        else if (notMatching.length === 0) all += 1;
        else several += 1;
      }
      // Ensures that the filters were selective enough to test anything.
      expect(several).toBeGreaterThan(rounds(25));
      expect([none > 0, all > 0]).toEqual([true, true]);
    });
  });

  test('of a feature or a project return its own events only', async () => {
    const filterOf = createFilters(createRandom(7_001), log);
    for (let round = 0; round < rounds(30); round++) {
      const filter = filterOf(2);
      const data = await runQuery(
        `project(id: "web-shop") {
          events(filter: $filter, first: 20) { totalCount nodes { id } totalCountUpTo(max: 5) { count exceeded } }
        }`,
        { filter },
      );
      const matching = idsOf(
        log.filter((event) => event.project === 'web-shop' && matchesFilter(event, filter)),
      );
      expect({ filter, ...data.project.events }).toEqual({
        filter,
        totalCount: matching.length,
        nodes: matching.slice(0, 20).map((id) => ({ id })),
        totalCountUpTo: { count: Math.min(matching.length, 5), exceeded: matching.length > 5 },
      });
    }
  });

  test('return each match once, on pages in both directions', async () => {
    const filters: Filter[] = [
      { or: [{ type: { category: ['FEATURE'] } }, { projectId: { noneOf: ['web-shop'] } }] },
      {
        not: { environmentName: { is: 'production' } },
        and: [{ createdBy: { noneOf: ['hand'] } }],
      },
      { or: [{ text: 'enabled' }, { not: { text: 'name' } }] },
    ];
    for (const filter of filters) {
      const expected = idsOf(log.filter((event) => matchesFilter(event, filter)));
      expect(expected.length).toBeGreaterThan(100);
      for (const [size, from] of [
        ['first', 'after'],
        ['last', 'before'],
      ] as const) {
        const seen: number[] = [];
        let cursor: string | null = null;
        let hasMore = true;
        while (hasMore) {
          const { events } = await runQuery(
            `events(filter: $filter, ${size}: $size, ${from}: $cursor) {
              nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`,
            { filter, size: 97, cursor },
          );
          const { pageInfo } = events;
          seen.splice(size === 'first' ? seen.length : 0, 0, ...idsOf(events.nodes));
          cursor = size === 'first' ? pageInfo.endCursor : pageInfo.startCursor;
          hasMore = size === 'first' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage;
        }
        expect(seen).toEqual(expected);
      }
    }
  });

  test('ignore an empty `and`, and match nothing with an empty `or` or `anyOf`', async () => {
    const all = log.length;
    const cases: [Filter, number][] = [
      [{ and: [] }, all],
      [{ and: [{}] }, all],
      [{ and: null, or: null, not: null }, all],
      [{ or: [{}] }, all],
      [{ featureName: { noneOf: [] } }, all],
      [{ or: [] }, 0],
      [{ not: { or: [] } }, all],
      [{ not: {} }, 0],
      [{ not: { and: [] } }, 0],
      [{ not: { text: '' } }, 0],
      [{ featureName: { anyOf: [] } }, 0],
      [{ not: { featureName: { anyOf: [] } } }, all],
      [{ type: { category: [] } }, 0],
      [{ not: { not: { not: { not: {} } } } }, all],
    ];
    for (const [filter, expected] of cases) {
      expect([filter, await count(filter)]).toEqual([filter, expected]);
    }
  });

  test('match events without a value by `not`', async () => {
    const inProduction = await count({ environmentName: { is: 'production' } });
    const notInProduction = await count({ environmentName: { noneOf: ['production'] } });
    const without = log.filter(({ environment }) => environment === null).length;
    expect(without).toBeGreaterThan(0);
    expect(inProduction + notInProduction).toBe(log.length);
    expect(await count({ not: { environmentName: { is: 'production' } } })).toBe(notInProduction);
  });

  test('accept one value in place of a list', async () => {
    const { events } = await runQuery(
      'events(first: 1, filter: { type: { category: FEATURE, noneOf: FEATURE_CREATED }, or: { projectId: { noneOf: "lab" } } }) { totalCount }',
      {},
    );
    const filter: Filter = {
      type: { category: ['FEATURE'], noneOf: ['FEATURE_CREATED'] },
      projectId: { noneOf: ['lab'] },
    };
    expect(events.totalCount).toBe(log.filter((event) => matchesFilter(event, filter)).length);
    expect(events.totalCount).toBeGreaterThan(0);
  });

  test('match all feature events by one group', async () => {
    const found = await find({ type: { category: ['FEATURE'] }, createdBy: { noneOf: ['hand'] } });
    const expected = log.filter(
      ({ type, createdBy }) =>
        createdBy !== 'hand' &&
        /^features?-|^release-plan-(added|removed|mile)|^strategy-order|^drop-feature/.test(type),
    );
    expect(found).toEqual(idsOf(expected).slice(0, 1000));
  });

  test('find events by tag and by parts of a text', async () => {
    const [tag = { type: '', value: '' }] = storedTags(log);
    const filters: Filter[] = [
      { tag },
      { not: { tag } },
      { tag: { type: 'simple', value: 'nothing' } },
      { featureName: { startsWith: 'checkout' } },
      { featureName: { startsWith: 'Checkout' } },
      { featureName: { contains: '_' } },
      { featureName: { startsWith: 'a_b%', contains: '%c' } },
      { not: { featureName: { contains: 'a' } } },
      { createdBy: { contains: 'robot' }, projectId: { startsWith: 'pay' } },
      { environmentName: { startsWith: 'prod' }, tag },
      { featureName: { anyOf: ['a_b%c', 'checkout-one-page'], contains: '%' } },
    ];
    for (const filter of filters) {
      const expected = idsOf(log.filter((event) => matchesFilter(event, filter)));
      expect(await find(filter), JSON.stringify(filter)).toEqual(expected.slice(0, 1000));
      expect(await count(filter)).toBe(expected.length);
    }
    expect(await count({ tag })).toBeGreaterThan(0);
    expect(await count({ featureName: { startsWith: 'a_b%', contains: '%c' } })).toBe(1);
  });

  test('never return events without a project to callers who may not see them', async () => {
    const hidden = log.filter(({ project }) => project === null);
    expect(hidden.length).toBeGreaterThan(2);
    const ids = idsOf(hidden);
    const attempts: Filter[] = [
      { or: [{ id: { anyOf: ids } }, { not: { id: { anyOf: ids } } }] },
      { not: { projectId: { anyOf: ['web-shop'] } } },
      { not: { not: { id: { anyOf: ids } } } },
      { projectId: { noneOf: ['web-shop'] } },
      { or: [{}, { not: {} }] },
      { createdBy: { noneOf: ['nobody'] } },
    ];
    for (const filter of attempts) {
      const matching = log.filter((event) => matchesFilter(event, filter));
      const visible = matching.filter(({ project }) => project !== null);
      expect(matching.length).toBeGreaterThan(visible.length);
      expect(await find(filter, DEMO_TOKENS.noRole)).toEqual(idsOf(visible).slice(0, 1000));
      expect(await count(filter, DEMO_TOKENS.noRole)).toBe(visible.length);
      const { events } = await runQuery(
        'events(filter: $filter, first: 1) { totalCountUpTo(max: 100000) { count exceeded } }',
        { filter },
        DEMO_TOKENS.noRole,
      );
      expect(events.totalCountUpTo).toEqual({ count: visible.length, exceeded: false });
    }
  });

  describe('that are equivalent', () => {
    const same: [Filter, Filter] = [
      {
        or: [
          { featureName: { anyOf: ['b', 'a'] }, environmentName: { is: 'production' } },
          { type: { anyOf: ['FEATURE_CREATED', 'FEATURE_ARCHIVED'], noneOf: ['OTHER'] } },
        ],
        text: 'name',
      },
      {
        text: 'name',
        and: [],
        or: [
          { type: { anyOf: ['FEATURE_ARCHIVED', 'FEATURE_CREATED', 'FEATURE_CREATED'] } },
          { environmentName: { is: 'production' }, featureName: { anyOf: ['a', 'b', 'b'] } },
        ],
      },
    ];

    test('share their cursors, and others do not', async () => {
      const page = 'events(filter: $filter, first: 1) { pageInfo { endCursor } }';
      const { events } = await runQuery(page, { filter: same[0] });
      const after = `events(filter: $filter, first: 1, after: $cursor) { nodes { id } }`;
      const cursor = events.pageInfo.endCursor;
      expect(cursor).not.toBeNull();
      await runQuery(after, { filter: same[1], cursor });
      const query = `query ($filter: EventFilter, $cursor: String) { ${after} }`;
      const { errors } = await gateway().graphql(query, { filter: { not: same[0] }, cursor });
      expect(errors?.[0].message).toMatch(/another filter/);
    });

    test('share the cached totals', async () => {
      const total = 'events(filter: $filter, first: 1) { totalCount }';
      await runQuery(total, { filter: same[0] });
      const statements = await statementsOf(() => runQuery(total, { filter: same[1] }));
      expect(statements.filter((sql) => sql.includes('e.id > ')).length).toBeGreaterThan(0);
      expect(statements.filter((sql) => sql.includes('e.id <= '))).toEqual([]);
    });
  });

  test('take as many statements as simple ones', async () => {
    const filters: Filter[] = [
      { type: { category: ['FEATURE'] } },
      {
        or: [
          { featureName: { anyOf: ['a', 'b'] }, not: { environmentName: { is: 'production' } } },
          {
            and: [{ createdByUserId: { from: 3 } }, { projectId: { noneOf: ['lab', 'default'] } }],
          },
        ],
      },
    ];
    for (const filter of filters) {
      const page = 'events(filter: $filter, first: 5) { nodes { id label } }';
      expect(await statementsOf(() => runQuery(page, { filter }))).toHaveLength(2);
      const counted = `events(filter: $filter, first: 5) { totalCountUpTo(max: 3) { count } }`;
      const statements = await statementsOf(() => runQuery(counted, { filter }));
      expect(statements).toHaveLength(3);
      expect(statements.filter((sql) => /count\(\*\).*limit \$/s.test(sql))).toHaveLength(1);
    }
  });
});
