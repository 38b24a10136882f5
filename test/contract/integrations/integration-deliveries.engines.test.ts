import { describe, expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import { type EventSpec, seed } from '../../testkit/seed.js';
import { describeWithRows } from '../../testkit/seeded.js';

const WEBHOOK = 'Webhook request';
const CONNECTION_REFUSED = `${WEBHOOK} failed with status code: ECONNREFUSED.`;
const BROKEN = `${WEBHOOK} failed with status code: 500.`;
const FINE = `${WEBHOOK} was successful with status code: 200.`;
const START = Date.parse('2024-02-01T00:00:00Z');

type Delivered = {
  id: number;
  type: string;
  feature: string;
  project: string;
  environment?: string;
};

const delivered = ({ feature, environment, ...event }: Delivered) => ({
  ...event,
  featureName: feature,
  environment: environment ?? null,
});

/** In the order of their IDs; two failures are equally common. */
const DELIVERIES: [state: string, stateDetails: string, event: Delivered][] = [
  ['success', FINE, { id: 1, type: 'feature-created', feature: 'one', project: 'web' }],
  [
    'failed',
    BROKEN,
    { id: 2, type: 'feature-updated', feature: 'one', project: 'web', environment: 'production' },
  ],
  [
    'failed',
    CONNECTION_REFUSED,
    { id: 2, type: 'feature-updated', feature: 'two', project: 'web', environment: 'production' },
  ],
  ['successWithErrors', 'Half', { id: 1, type: 'feature-created', feature: 'two', project: 'lab' }],
  [
    'failed',
    BROKEN,
    {
      id: 2,
      type: 'feature-updated',
      feature: 'gone',
      project: 'gone',
      environment: 'development',
    },
  ],
  [
    'failed',
    CONNECTION_REFUSED,
    { id: 1, type: 'feature-created', feature: 'One', project: 'web' },
  ],
  ['success', FINE, { id: 3, type: 'brand-new-type', feature: 'one', project: 'web' }],
];

/** No version of Unleash writes these values, but a database may contain them. */
const UNEXPECTED_VALUES = [
  'null',
  '7',
  'true',
  '"feature-created"',
  '[]',
  '[{"type":"feature-created","featureName":"one"}]',
  '{}',
  '{"type":null,"featureName":null,"project":null,"environment":null,"id":null}',
  '{"type":7,"featureName":7,"project":["web"],"environment":{"a":1},"id":"1"}',
  '{"type":"","featureName":"","id":1.5}',
  '{"id":99999999999999999999,"event":{"featureName":"one"}}',
];

const at = (day: string) => new Date(`${day}T00:00:00Z`);

/** By default the announced creation of feature one in project web. */
const logEvent = (id: number, day: string | null, more: Partial<EventSpec> = {}): EventSpec => ({
  id,
  type: 'feature-created',
  project: 'web',
  feature: 'one',
  announced: true,
  createdAt: day === null ? null : at(day),
  ...more,
});

const addRows = async (client: PrismaClient) => {
  await seed(client, {
    projects: { web: {}, lab: {} },
    users: [
      { id: 7, username: 'nobody-special' },
      { id: 8, username: 'admin-by-group' },
    ],
    groups: [{ id: 1, name: 'Admins', rootRole: 'Admin', users: [8] }],
    features: ['one', 'two'].map((name) => ({ name, project: 'web' })),
    events: [
      logEvent(1, '2024-02-01'),
      logEvent(2, '2024-02-02', { type: 'feature-updated', environment: 'production' }),
      logEvent(3, '2024-02-03', { project: 'lab', environment: 'development', feature: 'three' }),
      logEvent(4, '2024-02-04', { project: null, feature: null }),
      logEvent(5, '2024-02-05', { type: 'feature-archived', announced: false }),
      logEvent(6, '2023-12-31'),
      logEvent(7, null),
    ],
    integrations: [
      {
        id: 1,
        parameters: { url: 'https://board.example', authorization: 'hush-hush' },
        events: ['feature-created', 'feature-updated'],
        projects: ['web'],
        environments: ['production'],
        createdAt: at('2024-01-01'),
        deliveries: DELIVERIES.map(([state, stateDetails, event], index) => ({
          id: index + 1,
          // Higher IDs are older: the ID decides which is last, as in the list.
          createdAt: new Date(START - index * 60_000),
          state,
          stateDetails,
          event: delivered(event),
        })),
      },
      {
        id: 2,
        provider: 'slack',
        enabled: false,
        events: ['feature-created'],
        projects: ['*'],
        createdAt: null,
      },
      { id: 3, provider: 'teams', events: ['feature-created'], createdAt: null },
    ],
  });
  // As text: JavaScript cannot represent all of these numbers.
  for (const [index, event] of UNEXPECTED_VALUES.entries()) {
    await client.$executeRaw`
      insert into integration_events (id, integration_id, state, state_details, event, details)
      values (${100 + index}::bigint, 2, 'brand-new-state', '', ${event}::jsonb, '{}'::jsonb)`;
  }
};

describeWithRows('integration deliveries', addRows, ({ gateway, database, statementsOf }) => {
  const runQuery = async (query: string, variables: Record<string, unknown> = {}) => {
    const { data, errors } = await gateway().graphql(query, variables);
    expect(errors).toBeUndefined();
    return data;
  };

  describe('are filtered by the delivered event:', () => {
    const LIST = `query ($id: Int!, $filter: IntegrationEventFilter) {
        integrationEvents(integrationId: $id, filter: $filter) { totalCount nodes { id } }
        integration(id: $id) { deliveries(filter: $filter) { totalCount nodes { id } } } }`;
    const idsOf = async (filter: object, id = 1): Promise<number[]> => {
      const { integrationEvents, integration } = await runQuery(LIST, { id, filter });
      expect(integration.deliveries).toEqual(integrationEvents);
      expect(integrationEvents.nodes).toHaveLength(integrationEvents.totalCount);
      return integrationEvents.nodes.map((node: { id: string }) => Number(node.id));
    };

    test.each<[object, number[]]>([
      [{ eventType: { is: 'FEATURE_CREATED' } }, [6, 4, 1]],
      [{ eventType: { anyOf: ['FEATURE_UPDATED', 'FEATURE_ARCHIVED'] } }, [5, 3, 2]],
      [{ eventType: { is: 'OTHER' } }, [7]],
      [{ eventType: { anyOf: ['OTHER', 'FEATURE_UPDATED'] } }, [7, 5, 3, 2]],
      [{ eventType: { anyOf: [] } }, []],
      [{ featureName: { is: 'one' } }, [7, 2, 1]],
      [{ featureName: { anyOf: ['two', 'gone'] } }, [5, 4, 3]],
      [{ featureName: { is: 'featureName' } }, []],
      [{ projectId: { is: 'web' } }, [7, 6, 3, 2, 1]],
      [{ projectId: { anyOf: ['lab', 'gone'] } }, [5, 4]],
      [{ environmentName: { is: 'production' } }, [3, 2]],
      [{ environmentName: { is: '' } }, []],
      [
        { eventType: null, featureName: null, projectId: null, environmentName: null },
        [7, 6, 5, 4, 3, 2, 1],
      ],
      [
        {
          state: { is: 'FAILED' },
          featureName: { is: 'one' },
          eventType: { is: 'FEATURE_UPDATED' },
        },
        [2],
      ],
      [
        {
          state: { is: 'FAILED' },
          projectId: { is: 'web' },
          createdAt: { before: '2024-01-31T23:58:00Z' },
        },
        [6],
      ],
    ])('%j', async (filter, expected) => {
      expect(await idsOf(filter)).toEqual(expected);
    });

    test('malformed ones match only what is returned of them', async () => {
      expect(await idsOf({ eventType: { is: 'OTHER' } }, 2)).toHaveLength(UNEXPECTED_VALUES.length);
      expect(await idsOf({ eventType: { is: 'FEATURE_CREATED' } }, 2)).toEqual([]);
      expect(await idsOf({ featureName: { anyOf: ['7', 'one', 'null'] } }, 2)).toEqual([]);
      expect(await idsOf({ featureName: { is: '' } }, 2)).toEqual([109]);
      expect(await idsOf({ projectId: { anyOf: ['web', '["web"]'] } }, 2)).toEqual([]);
      expect(await idsOf({ environmentName: { anyOf: ['{"a": 1}'] } }, 2)).toEqual([]);
    });

    test('cursors are bound to their filter', async () => {
      const page = (filter: object, after: string | null) =>
        gateway().graphql(
          `query ($filter: IntegrationEventFilter, $after: String) {
              integrationEvents(integrationId: 1, first: 1, filter: $filter, after: $after) {
                nodes { id } pageInfo { endCursor } } }`,
          { filter, after },
        );
      const filter = { featureName: { is: 'one' } };
      const first = (await page(filter, null)).data.integrationEvents;
      const second = (await page(filter, first.pageInfo.endCursor)).data.integrationEvents;
      expect([first.nodes, second.nodes]).toEqual([[{ id: '7' }], [{ id: '2' }]]);
      for (const other of [{}, { projectId: { is: 'one' } }, { environmentName: { is: 'one' } }]) {
        const { errors } = await page(other, first.pageInfo.endCursor);
        expect(errors?.[0].message).toMatch(/cursor of another list, or of another filter/);
      }
    });

    test.each([
      [{ featureName: { is: 'a\0b' } }, /feature name .* cannot be stored/],
      [{ projectId: { anyOf: ['\ud800'] } }, /project id .* cannot be stored/],
      [{ environmentName: { is: '\0' } }, /environment .* cannot be stored/],
      [
        { featureName: { anyOf: Array(1001).fill('x') } },
        /'filter.featureName.anyOf' can have at most 1000/,
      ],
      [{ eventType: { anyOf: Array(1001).fill('OTHER') } }, /'filter.eventType.anyOf' can have/],
    ])('impossible values are rejected', async (filter, message) => {
      for (const selection of ['nodes { id }', 'totalCount']) {
        const { errors } = await gateway().graphql(
          `query ($filter: IntegrationEventFilter) {
              integrationEvents(integrationId: 1, filter: $filter) { ${selection} } }`,
          { filter },
        );
        expect(errors?.[0].message).toMatch(message);
        expect(errors?.[0].extensions.name).toBe('BadDataError');
      }
    });
  });

  test('link to the feature and the project of the event if they exist', async () => {
    const { integrationEvents, integration } = await runQuery(`{
        integrationEvents(integrationId: 1) { nodes { event { feature { name } project { id } } } }
        integration(id: 2) { deliveries { nodes { event { feature { name } project { id } } } } } }`);
    const events = integrationEvents.nodes.map(({ event }: { event: unknown }) => event);
    const link = (feature: string | null, project: string | null) => ({
      feature: feature && { name: feature },
      project: project && { id: project },
    });
    expect(events).toEqual([
      link('one', 'web'),
      link(null, 'web'),
      link(null, null),
      link('two', 'lab'),
      link('two', 'web'),
      link('one', 'web'),
      link('one', 'web'),
    ]);
    for (const { event } of integration.deliveries.nodes) expect(event).toEqual(link(null, null));
  });

  describe('statistics', () => {
    const STATS = `stats { since deliveryCount succeededCount failedCount failureRate byState { state stateName count }
        lastFailure { id state } lastSuccess { id } commonestFailure { stateDetails count lastDelivery { id createdAt } } }`;

    test('count the stored deliveries by state, with the last and the most common failure', async () => {
      const { integration } = await runQuery(`{ integration(id: 1) { ${STATS} } }`);
      expect(integration.stats).toEqual({
        since: new Date(START - 6 * 60_000).toISOString(),
        deliveryCount: 7,
        succeededCount: 2,
        failedCount: 5,
        failureRate: 5 / 7,
        byState: [
          { state: 'FAILED', stateName: 'failed', count: 4 },
          { state: 'SUCCESS', stateName: 'success', count: 2 },
          { state: 'SUCCESS_WITH_ERRORS', stateName: 'successWithErrors', count: 1 },
        ],
        lastFailure: { id: '6', state: 'FAILED' },
        lastSuccess: { id: '7' },
        commonestFailure: {
          stateDetails: CONNECTION_REFUSED,
          count: 2,
          lastDelivery: { id: '6', createdAt: new Date(START - 5 * 60_000).toISOString() },
        },
      });
    });

    test('are null without deliveries, and count unknown states as failures', async () => {
      const { integrations } = await runQuery(`{ integrations { id ${STATS} } }`);
      expect(integrations[1].stats).toMatchObject({
        deliveryCount: UNEXPECTED_VALUES.length,
        succeededCount: 0,
        failureRate: 1,
        byState: [
          { state: 'OTHER', stateName: 'brand-new-state', count: UNEXPECTED_VALUES.length },
        ],
        lastFailure: { id: String(99 + UNEXPECTED_VALUES.length) },
        lastSuccess: null,
        commonestFailure: { stateDetails: '', count: UNEXPECTED_VALUES.length },
      });
      expect(integrations[2].stats).toEqual({
        since: null,
        deliveryCount: 0,
        succeededCount: 0,
        failedCount: 0,
        failureRate: null,
        byState: [],
        lastFailure: null,
        lastSuccess: null,
        commonestFailure: null,
      });
    });

    test('take one statement for all integrations, and one more for all deliveries in them', async () => {
      const query = (head: string) => `{ ${head} { ${STATS}
          again: stats { lastFailure { event { eventId } } } } }`;
      const statements = await statementsOf(() => runQuery(query('integrations')));
      const reads = statements.filter((sql) => sql.includes('integration_events'));
      expect(reads).toHaveLength(2);
      expect(statements).toHaveLength(
        (await statementsOf(() => runQuery(query('integration(id: 1)')))).length,
      );

      const counts = await statementsOf(() =>
        runQuery('{ integrations { stats { failureRate } } }'),
      );
      expect(counts.filter((sql) => sql.includes('integration_events'))).toHaveLength(1);
      expect([...statements, ...counts].filter((sql) => sql.includes('parameters'))).toEqual([]);
    });

    test('support delivery IDs of any size', async () => {
      const { client } = database();
      const id = 9007199254740993n;
      await client.integrationEvent.create({
        data: {
          id,
          integrationId: 3,
          state: 'failed',
          stateDetails: 'x',
          event: {},
          details: {},
        },
      });
      const { integration } = await runQuery(`{ integration(id: 3) { ${STATS} } }`);
      expect(integration.stats).toMatchObject({
        failureRate: 1,
        lastFailure: { id: String(id) },
        commonestFailure: { lastDelivery: { id: String(id) } },
      });
      await client.integrationEvent.delete({ where: { id } });
    });
  });

  describe('explanations', () => {
    const EXPLAIN = `query ($eventId: Int!) { integrations { id
        explain(eventId: $eventId) { wouldBeSent reasons { code message } delivery { id state } } } }`;
    const explain = async (eventId: number) => {
      const { integrations } = await runQuery(EXPLAIN, { eventId });
      return integrations.map(
        ({
          explain: explanation,
        }: {
          explain: { reasons: { code: string }[]; delivery: { id: string } | null } | null;
        }) =>
          explanation && [
            explanation.reasons.map(({ code }) => code),
            explanation.delivery?.id ?? null,
          ],
      );
    };

    test('return the last stored delivery and every reason against another one', async () => {
      expect(await explain(1)).toEqual([
        [[], '6'],
        [['DISABLED'], null],
        [[], null],
      ]);
      expect(await explain(2)).toEqual([
        [[], '5'],
        [['DISABLED', 'TYPE_NOT_SUBSCRIBED'], null],
        [['TYPE_NOT_SUBSCRIBED'], null],
      ]);
      expect(await explain(3)).toEqual([
        [['OTHER_PROJECT', 'OTHER_ENVIRONMENT'], '7'],
        [['DISABLED'], null],
        [[], null],
      ]);
      expect((await explain(4))[0]).toEqual([[], null]);
      expect((await explain(5))[0]).toEqual([['TYPE_NOT_SUBSCRIBED', 'NOT_ANNOUNCED'], null]);
      expect((await explain(6))[0]).toEqual([['CONFIGURED_LATER'], null]);
      expect((await explain(7))[0]).toEqual([[], null]);
    });

    test('describe what Unleash compares', async () => {
      const { integrations } = await runQuery(EXPLAIN, { eventId: 3 });
      expect(integrations[0].explain).toEqual({
        wouldBeSent: false,
        reasons: [
          {
            code: 'OTHER_PROJECT',
            message: "It receives events of the projects 'web'; this one belongs to 'lab'.",
          },
          {
            code: 'OTHER_ENVIRONMENT',
            message:
              "It receives events of the environments 'production'; this one belongs to 'development'.",
          },
        ],
        delivery: { id: '7', state: 'SUCCESS' },
      });
      expect(integrations[2].explain.wouldBeSent).toBe(true);
    });

    test('are null for an event that does not exist', async () => {
      for (const eventId of [0, -1, 99, 2147483647, -2147483648]) {
        expect(await explain(eventId)).toEqual([null, null, null]);
      }
    });

    test('are null for an event that the caller may not see', async () => {
      const explainAs = async (eventId: number) => {
        const { data, errors } = await gateway().graphql(
          EXPLAIN,
          { eventId },
          { token: 'user:token-of-8' },
        );
        expect(errors).toBeUndefined();
        return data.integrations[0].explain;
      };
      expect(await explainAs(1)).toMatchObject({ wouldBeSent: true });
      expect(await explainAs(4)).toBeNull();
    });

    test('take one statement for all integrations, and never read their parameters', async () => {
      const statements = await statementsOf(() =>
        runQuery('{ integrations { explain(eventId: 1) { wouldBeSent } } }'),
      );
      // Two are for the token and the list.
      expect(statements).toHaveLength(3);
      const withRecords = await statementsOf(() => explain(1));
      expect(withRecords).toHaveLength(4);
      const text = [...statements, ...withRecords].join();
      expect(text).not.toMatch(/parameters/);
    });
  });

  test('require ADMIN, including statistics and explanations', async () => {
    for (const selection of [
      'stats { deliveryCount }',
      'explain(eventId: 1) { wouldBeSent }',
      'deliveries(filter: { featureName: { is: "one" } }) { totalCount }',
    ]) {
      for (const head of ['integrations', 'integration(id: 1)']) {
        const { data, errors } = await gateway().graphql(
          `{ ${head} { ${selection} } }`,
          {},
          { token: 'user:token-of-7' },
        );
        expect(JSON.stringify(data ?? null)).not.toContain('deliveries');
        expect(errors?.[0].extensions.code).toBe('FORBIDDEN');
      }
    }
  });
});
