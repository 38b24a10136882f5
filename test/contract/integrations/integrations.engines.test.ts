import { describe, expect, test } from 'vitest';
import type { Seed } from '../../testkit/seed.js';
import { describeWithRows } from '../../testkit/seeded.js';

const DELIVERIES = 130;
/** Exceeds Number.MAX_SAFE_INTEGER. */
const HUGE = 9007199254740993n;
const START = Date.parse('2024-02-01T00:00:00Z');
const STATES = ['success', 'failed', 'successWithErrors'];

const EVENT = {
  id: 1,
  type: 'feature-created',
  createdBy: 'ada',
  createdAt: '2024-01-31T12:00:00.000Z',
  createdByUserId: 5,
  data: { name: 'one' },
  preData: null,
  tags: [{ type: 'simple', value: 'red' }],
  featureName: 'one',
  project: 'default',
  environment: null,
};

const DELIVERED = Array.from({ length: DELIVERIES }, (_, index) => ({
  // Older records have later timestamps: the ID decides the order, not the timestamp.
  createdAt: new Date(START - index * 60_000),
  state: STATES[index % 3] ?? '',
  stateDetails: `Line one of ${index}\nLine two`,
  event: { ...EVENT, id: (index % 2) + 1 },
  details: { url: 'https://board.example/hook', body: { index } },
}));

const ODD_EVENTS = [
  [],
  'text',
  {},
  7,
  { id: 99999999999, createdByUserId: 2 ** 40 },
  { id: '1', tags: 'red' },
];

const ROWS: Seed = {
  events: ['feature-created', 'feature-updated'].map((type) => ({
    type,
    project: 'default',
    feature: 'one',
  })),
  integrations: [
    {
      id: 1,
      description: 'Board',
      enabled: true,
      parameters: { url: 'https://board.example/hook', authorization: 'hush-hush' },
      events: ['feature-created', 'feature-updated'],
      projects: ['default'],
      environments: ['production'],
      createdAt: new Date('2024-01-01T00:00:00Z'),
      deliveries: DELIVERED,
    },
    {
      id: 2,
      provider: 'slack',
      enabled: false,
      parameters: { accessToken: 'hush-hush' },
      deliveries: [
        ...ODD_EVENTS.map((event) => ({ state: 'brand-new-state', event, details: [1, 2] })),
        { id: HUGE },
      ],
    },
    {
      id: 3,
      provider: 'teams',
      enabled: null,
      createdAt: null,
      events: { not: 'a list' },
      projects: [7, 'lab'],
    },
  ],
};

describeWithRows('integration events', ROWS, ({ gateway, database, statementsOf }) => {
  const list = async (id: number, search = '') => {
    const { status, body } = await gateway().rest(`/api/admin/addons/${id}/events${search}`);
    expect(status).toBe(200);
    return body.integrationEvents;
  };
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
  const storedIds = async (integrationId: number) => {
    const where = { integrationId };
    const rows = await database().client.integrationEvent.findMany({
      where,
      orderBy: { id: 'desc' },
    });
    return rows.map(({ id }) => String(id));
  };
  const runQuery = async (
    selection: string,
    variables: Record<string, unknown> = {},
    head = '',
  ) => {
    const { data, errors } = await gateway().graphql(`query ${head} { ${selection} }`, variables);
    expect(errors).toBeUndefined();
    return data;
  };

  test('are listed by descending ID, 50 per page', async () => {
    const expected = await storedIds(1);
    expect(idsOf(await list(1))).toEqual(expected.slice(0, 50));
    expect(idsOf(await list(1, '?limit=100'))).toEqual(expected.slice(0, 100));
    expect(idsOf(await list(1, '?limit=101'))).toEqual(expected.slice(0, 50));
    expect(idsOf(await list(1, '?limit=7&offset=126'))).toEqual(expected.slice(126));
    expect(await list(1, '?offset=130')).toEqual([]);
  });

  test('have the keys of Unleash, in the same order', async () => {
    const [record] = await list(1, '?limit=1');
    expect(Object.keys(record)).toEqual([
      'id',
      'integrationId',
      'createdAt',
      'state',
      'stateDetails',
      'event',
      'details',
    ]);
    expect(record).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      integrationId: 1,
      createdAt: new Date(START - (DELIVERIES - 1) * 60_000).toISOString(),
      state: STATES[(DELIVERIES - 1) % 3],
      stateDetails: `Line one of ${DELIVERIES - 1}\nLine two`,
      event: { ...EVENT, id: 2 },
    });
    expect(Object.keys(record.event)).toEqual([
      'id',
      'data',
      'tags',
      'type',
      'preData',
      'project',
      'createdAt',
      'createdBy',
      'environment',
      'featureName',
      'createdByUserId',
    ]);
  });

  test('are an empty list for an integration without any, and an error for an unknown one', async () => {
    expect(await list(3)).toEqual([]);
    const { status, body } = await gateway().rest('/api/admin/addons/4/events');
    expect([status, body.name, body.message]).toEqual([
      404,
      'NotFoundError',
      "Integration '4' does not exist.",
    ]);
    const { errors } = await gateway().graphql(
      '{ integrationEvents(integrationId: 4) { totalCount } }',
    );
    expect(errors?.[0]).toMatchObject({ message: body.message, extensions: { code: 'NOT_FOUND' } });
    expect(await runQuery('integration(id: 4) { id }')).toEqual({ integration: null });
  });

  test('are the same in both transports', async () => {
    const SELECTION = `nodes { id integrationId createdAt stateName stateDetails details
      event { eventId typeName createdBy createdAt createdByUserId data preData tags { type value }
        featureName projectId environmentName } }`;
    const rest = await list(1, '?limit=100');
    const data = await runQuery(`integrationEvents(integrationId: 1, first: 100) { ${SELECTION} }
      integration(id: 1) { deliveries(first: 100) { ${SELECTION} } }`);
    const expected = rest.map(
      ({ event, state, ...record }: { event: typeof EVENT; state: string }) => {
        const { id, type, project, environment, ...fields } = event;
        const names = { typeName: type, projectId: project, environmentName: environment };
        return { ...record, stateName: state, event: { ...fields, ...names, eventId: id } };
      },
    );
    expect(data.integrationEvents.nodes).toEqual(expected);
    expect(data.integration.deliveries.nodes).toEqual(expected);
  });

  test('are paged in both directions without gaps or duplicates, whatever the size of their IDs', async () => {
    const walk = async (integrationId: number, size: number, backward: boolean) => {
      const ids: string[] = [];
      let cursor: string | null = null;
      for (;;) {
        const range = backward ? 'last: $size, before: $cursor' : 'first: $size, after: $cursor';
        const { integrationEvents } = await runQuery(
          `integrationEvents(integrationId: $id, ${range}) {
            nodes { id } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } }`,
          { id: integrationId, size, cursor },
          '($id: Int!, $size: Int, $cursor: String)',
        );
        const page = idsOf(integrationEvents.nodes);
        if (backward) ids.unshift(...page);
        else ids.push(...page);
        const { pageInfo } = integrationEvents;
        if (!(backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) return ids;
        cursor = backward ? pageInfo.startCursor : pageInfo.endCursor;
      }
    };
    for (const integrationId of [1, 2]) {
      const expected = await storedIds(integrationId);
      expect(await walk(integrationId, 3, false)).toEqual(expected);
      expect(await walk(integrationId, 4, true)).toEqual(expected);
    }
    expect((await list(2, '?limit=1'))[0].id).toBe(String(HUGE));
  });

  test('are filtered by state and by time, and counted on request', async () => {
    const count = async (filter: object) => {
      const variables = { filter };
      const head = '($filter: IntegrationEventFilter)';
      const { integrationEvents: found } = await runQuery(
        'integrationEvents(integrationId: 1, filter: $filter, first: 100) { totalCount nodes { state } }',
        variables,
        head,
      );
      expect(found.nodes).toHaveLength(Math.min(found.totalCount, 100));
      return found.totalCount;
    };
    expect(await count({})).toBe(DELIVERIES);
    expect(await count({ state: { is: 'FAILED' } })).toBe(43);
    expect(await count({ state: { anyOf: ['SUCCESS', 'SUCCESS_WITH_ERRORS'] } })).toBe(87);
    expect(await count({ state: { is: 'OTHER' } })).toBe(0);
    expect(await count({ state: { noneOf: ['OTHER', 'FAILED'] } })).toBe(87);
    expect(await count({ createdAt: { from: '2024-02-01T00:00:00Z' } })).toBe(1);
    expect(await count({ createdAt: { before: '2024-02-01T00:00:00Z' } })).toBe(DELIVERIES - 1);
    const hour = { from: '2024-01-31T23:00:00Z', before: '2024-02-01T00:00:00Z' };
    expect(await count({ createdAt: hour })).toBe(60);
    expect(await count({ createdAt: hour, state: { is: 'FAILED' } })).toBe(20);
  });

  test('link to the event in the log and to their integration', async () => {
    const { integrationEvents } =
      await runQuery(`integrationEvents(integrationId: 1, first: 2) { nodes {
      integration { id provider } event { eventId type stored { id type feature { name } project { id } } } } }`);
    expect(integrationEvents.nodes[0]).toEqual({
      integration: { id: 1, provider: 'webhook' },
      event: {
        eventId: 2,
        type: 'FEATURE_CREATED',
        stored: { id: 2, type: 'FEATURE_UPDATED', feature: null, project: { id: 'default' } },
      },
    });
  });

  test('of any shape are returned without an error', async () => {
    const rest = await list(2);
    expect(rest.slice(1).map(({ event }: { event: unknown }) => event)).toEqual([
      { id: '1', tags: 'red' },
      { id: 99999999999, createdByUserId: 2 ** 40 },
      7,
      {},
      'text',
      [],
    ]);
    const { integrationEvents } =
      await runQuery(`integrationEvents(integrationId: 2) { nodes { state stateName details
      event { eventId type typeName createdByUserId tags { value } stored { id } data } } }`);
    const nothing = {
      eventId: null,
      type: 'OTHER',
      typeName: null,
      createdByUserId: null,
      tags: [],
      stored: null,
      data: null,
    };
    expect(integrationEvents.nodes.map(({ event }: { event: unknown }) => event)).toEqual(
      Array.from({ length: 7 }, () => nothing),
    );
    expect(integrationEvents.nodes[1]).toMatchObject({
      state: 'OTHER',
      stateName: 'brand-new-state',
      details: {},
    });
  });

  describe('by integration', () => {
    test('are listed with the filters of each integration, by ID', async () => {
      const { integrations } = await runQuery(
        'integrations { id provider description enabled createdAt eventTypeNames projectIds environmentNames }',
      );
      expect(integrations[0]).toEqual({
        id: 1,
        provider: 'webhook',
        description: 'Board',
        enabled: true,
        createdAt: '2024-01-01T00:00:00.000Z',
        eventTypeNames: ['feature-created', 'feature-updated'],
        projectIds: ['default'],
        environmentNames: ['production'],
      });
      expect(integrations[1]).toMatchObject({
        id: 2,
        enabled: false,
        eventTypeNames: [],
        projectIds: [],
      });
      expect(integrations[2]).toMatchObject({
        id: 3,
        description: null,
        enabled: true,
        createdAt: null,
        eventTypeNames: [],
        projectIds: ['lab'],
      });
    });

    test('lead to the projects, environments and event types they are limited to', async () => {
      const { integrations } = await runQuery(
        'integrations { eventTypes projects { id name } environments { name type } }',
      );
      expect(integrations[0]).toEqual({
        eventTypes: ['FEATURE_CREATED', 'FEATURE_UPDATED'],
        projects: [{ id: 'default', name: 'Default' }],
        environments: [{ name: 'production', type: 'production' }],
      });
      expect(integrations[1]).toEqual({ eventTypes: [], projects: [], environments: [] });
      // The project does not exist.
      expect(integrations[2].projects).toEqual([]);
    });

    test('never contain the parameters of integrations, which are not even read', async () => {
      const statements = await statementsOf(async () => {
        const { body, text } = await gateway().rest('/graphql', {
          body: {
            query: `{ integrations { id provider eventTypeNames projectIds environmentNames
              deliveries(first: 1) { nodes { integration { id description } } } } }`,
          },
        });
        expect(body.errors).toBeUndefined();
        expect(text).not.toContain('hush-hush');
        await list(1);
      });
      expect(statements.length).toBeGreaterThan(0);
      expect(statements.filter((sql) => sql.includes('parameters'))).toEqual([]);
    });

    test('are paged for each integration, in one statement for all', async () => {
      const statements = await statementsOf(async () => {
        const { integrations } = await runQuery(
          'integrations { id deliveries(first: 2) { totalCount nodes { id } } }',
        );
        const expected = await Promise.all(
          [1, 2, 3].map(async (id) => {
            const ids = await storedIds(id);
            const nodes = ids.slice(0, 2).map((delivery) => ({ id: delivery }));
            return { id, deliveries: { totalCount: ids.length, nodes } };
          }),
        );
        expect(integrations).toEqual(expected);
      });
      expect(statements.filter((sql) => sql.includes('lateral'))).toHaveLength(1);
      expect(statements.filter((sql) => sql.includes('count('))).toHaveLength(1);
    });
  });
});
