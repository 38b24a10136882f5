import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo } from '../../testkit/app.js';
import { stopClock } from '../../testkit/stop-clock.js';

stopClock();

const GROUP = '01JZ0000000000000000000ONE';
const OTHER = '01JZ0000000000000000000TWO';
const SEARCH = '/api/admin/search/events';

type Node = { id: number };

describeWithDemo('event groups', ({ gateway, database, statementsOf }) => {
  /** Three events of one group, one of them without a project, and one event of another group. */
  let [first, hidden, last, other] = [0, 0, 0, 0];
  beforeAll(async () => {
    const rows = await database().client.$queryRaw<Node[]>`
      insert into events (type, created_by, created_by_user_id, project, group_type, group_id)
      values ('feature-created', 'ann', 3, 'web-shop', 'transaction', ${GROUP}),
        ('setting-updated', 'ann', 3, null, 'transaction', ${GROUP}),
        ('feature-strategy-add', 'ann', 3, 'web-shop', 'transaction', ${GROUP}),
        ('feature-created', 'ann', 3, 'web-shop', null, ${OTHER})
      returning id`;
    [first, hidden, last, other] = rows.map(({ id }) => id) as [number, number, number, number];
  });

  const runQuery = async (selection: string, token: string = DEMO_TOKENS.admin) => {
    const { data, errors } = await gateway().graphql(`{ ${selection} }`, {}, { token });
    expect(errors).toBeUndefined();
    return data;
  };
  const search = async (query: string, token: string = DEMO_TOKENS.admin) => {
    const { status, body } = await gateway().rest(`${SEARCH}?${query}`, { token });
    return { status, body, ids: body.events?.map(({ id }: Node) => id) };
  };

  describe('in the graph', () => {
    test('link an event to the events written with it', async () => {
      const data = await runQuery(
        `event(id: ${last}) { group { type id events { totalCount nodes { id } } } }`,
      );
      expect(data.event.group).toEqual({
        type: 'transaction',
        id: GROUP,
        events: { totalCount: 3, nodes: [last, hidden, first].map((id) => ({ id })) },
      });
    });

    test('are null for events without one, and have no type when only the ID is recorded', async () => {
      const data = await runQuery(
        `none: event(id: 1) { group { id } } other: event(id: ${other}) { group { type id } }`,
      );
      expect(data).toEqual({ none: { group: null }, other: { group: { type: null, id: OTHER } } });
    });

    test('contain only the events that the caller may see', async () => {
      const query = `event(id: ${last}) { group { events { totalCount totalCountUpTo(max: 9) { count } nodes { id } } } }`;
      const { events } = (await runQuery(query, DEMO_TOKENS.viewer)).event.group;
      expect(events).toEqual({
        totalCount: 2,
        totalCountUpTo: { count: 2 },
        nodes: [{ id: last }, { id: first }],
      });
    });

    test('are paged and filtered like every list of events', async () => {
      const page = async (args: string) => {
        const selection = `group { events(${args}) { nodes { id } pageInfo { endCursor startCursor hasNextPage hasPreviousPage } } }`;
        return (await runQuery(`event(id: ${first}) { ${selection} }`)).event.group.events;
      };
      const start = await page('first: 2');
      expect(start).toMatchObject({
        nodes: [{ id: last }, { id: hidden }],
        pageInfo: { hasNextPage: true, hasPreviousPage: false },
      });
      expect(await page(`first: 2, after: "${start.pageInfo.endCursor}"`)).toMatchObject({
        nodes: [{ id: first }],
        pageInfo: { hasNextPage: false, hasPreviousPage: true },
      });
      expect((await page('last: 1')).nodes).toEqual([{ id: first }]);
      expect((await page('filter: { type: { is: SETTING_UPDATED } }')).nodes).toEqual([
        { id: hidden },
      ]);
    });

    test('support bounded totals', async () => {
      const data = await runQuery(
        `event(id: ${last}) { group { events { totalCountUpTo(max: 2) { count exceeded } } } }`,
      );
      expect(data.event.group.events.totalCountUpTo).toEqual({ count: 2, exceeded: true });
    });

    test('of a whole page are read in one statement and counted in another', async () => {
      const query = (first: number) =>
        `{ events(first: ${first}, filter: { projectId: { is: "payments" } }) {
          nodes { group { events(first: 5) { totalCount nodes { id } } } } } }`;
      await gateway().graphql(query(5));
      const few = await statementsOf(() => gateway().graphql(query(5)));
      const many = await statementsOf(() => gateway().graphql(query(100)));
      expect(many.length).toBe(few.length);
      expect(many.filter((sql) => sql.includes('hits')).length).toBe(1);
    });

    test('of a delivery are those of the delivered event', async () => {
      const event = JSON.stringify({
        id: last,
        type: 'x',
        groupType: 'transaction',
        groupId: GROUP,
      });
      const [delivery] = await database().client.$queryRaw<[{ id: bigint }]>`
        insert into integration_events (integration_id, state, state_details, event, details)
        values (1, 'success', '', ${event}::jsonb, '{}') returning id`;
      const data = await runQuery(
        'integration(id: 1) { deliveries(first: 2) { nodes { id event { group { type id events { nodes { id } } } } } } }',
      );
      const [newest, before] = data.integration.deliveries.nodes;
      expect(newest).toMatchObject({
        id: String(delivery.id),
        event: {
          group: { type: 'transaction', id: GROUP, events: { nodes: [{ id: last }, {}, {}] } },
        },
      });
      expect(before.event.group).toBeNull();
    });
  });

  describe('as a filter', () => {
    test('match the same events in REST and GraphQL', async () => {
      const found = await search(`groupId=IS:${GROUP}`);
      expect(found.ids).toEqual([last, hidden, first]);
      expect(found.body.total).toBe(3);
      const data = await runQuery(
        `events(filter: { groupId: { is: "${GROUP}" } }) { totalCount nodes { id } }`,
      );
      expect(data.events).toEqual({
        totalCount: 3,
        nodes: found.ids.map((id: number) => ({ id })),
      });
    });

    test('accept several groups, combined with other conditions', async () => {
      expect((await search(`groupId=IS_ANY_OF:${GROUP},${OTHER}`)).ids).toEqual([
        other,
        last,
        hidden,
        first,
      ]);
      expect(
        (await search(`groupId=IS_ANY_OF:${GROUP},${OTHER}&type=IS:feature-created`)).ids,
      ).toEqual([other, first]);
      expect((await search('groupId=IS:no-such-group')).body).toEqual({ events: [], total: 0 });
    });

    test('match only what the caller may see', async () => {
      const { ids, body } = await search(`groupId=IS:${GROUP}`, DEMO_TOKENS.viewer);
      expect([ids, body.total]).toEqual([[last, first], 2]);
    });

    test('exclude events without a group unless negated', async () => {
      const count = async (filter: string) =>
        (await runQuery(`events(filter: ${filter}, first: 1) { totalCount }`)).events.totalCount;
      const all = await count('{}');
      expect(await count(`{ not: { groupId: { is: "${GROUP}" } } }`)).toBe(all - 3);
      expect(await count(`{ groupId: { noneOf: ["${GROUP}"] } }`)).toBe(all - 3);
    });

    test('are ignored when they are empty, like every filter', async () => {
      const { total } = (await search('groupId=IS:')).body;
      expect(total).toBe((await search('')).body.total);
    });
  });

  test('are part of REST events only if recorded', async () => {
    const { body } = await search(`id=IS_ANY_OF:${last},${other},1`);
    const groups = body.events.map(({ id, groupType, groupId }: Record<string, unknown>) => [
      id,
      groupType,
      groupId,
    ]);
    expect(groups).toEqual([
      [other, undefined, OTHER],
      [last, 'transaction', GROUP],
      [1, undefined, undefined],
    ]);
  });

  test('REST search by ID returns these events and no others', async () => {
    expect((await search(`id=IS:${last}`)).ids).toEqual([last]);
    expect((await search(`id=IS_ANY_OF:${first}, ${last},2147483647`)).ids).toEqual([last, first]);
    expect((await search(`id=IS:${hidden}`, DEMO_TOKENS.viewer)).body.total).toBe(0);
    for (const bad of ['x', '1.5', '2147483648', '1,']) {
      const { status, body } = await search(`id=IS:${bad}`);
      expect([bad, status, body.name]).toEqual([bad, 400, 'BadDataError']);
    }
  });

  test('a clone writes all its events as one new group', async () => {
    const clone = async (name: string) => {
      const path = '/api/admin/projects/web-shop/features/checkout-one-page/clone';
      expect((await gateway().rest(path, { body: { name } })).status).toBe(200);
      return database().client.$queryRaw<{ type: string; group_type: string; group_id: string }[]>`
        select type, group_type, group_id from events where feature_name = ${name} order by id`;
    };
    const [one, two] = [await clone('group-copy-one'), await clone('group-copy-two')];
    expect(one.length).toBeGreaterThan(1);
    expect(new Set(one.map(({ group_type }) => group_type))).toEqual(new Set(['transaction']));
    expect(new Set(one.map(({ group_id }) => group_id)).size).toBe(1);
    expect(one[0]?.group_id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(two[0]?.group_id).not.toBe(one[0]?.group_id);
  });
});
