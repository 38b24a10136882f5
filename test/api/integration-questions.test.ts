import { describe, expect, test } from 'vitest';
import type { PrismaClient } from '../../src/data/db.js';
import { addUser, describeSeededOnBothDatabases } from '../testkit/seeded.js';

const WEBHOOK = 'Webhook request';
const REFUSED = `${WEBHOOK} failed with status code: ECONNREFUSED.`;
const BROKEN = `${WEBHOOK} failed with status code: 500.`;
const FINE = `${WEBHOOK} was successful with status code: 200.`;
const START = Date.parse('2024-02-01T00:00:00Z');

const ADMIN_ROLE = 1;

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

/** In the order of their numbers; two failures are equally common. */
const DELIVERIES: [state: string, stateDetails: string, event: Delivered][] = [
  ['success', FINE, { id: 1, type: 'feature-created', feature: 'one', project: 'web' }],
  [
    'failed',
    BROKEN,
    { id: 2, type: 'feature-updated', feature: 'one', project: 'web', environment: 'production' },
  ],
  [
    'failed',
    REFUSED,
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
  ['failed', REFUSED, { id: 1, type: 'feature-created', feature: 'One', project: 'web' }],
  ['success', FINE, { id: 3, type: 'brand-new-type', feature: 'one', project: 'web' }],
];

/** What no version of the service writes, but a database may hold. */
const ODD = [
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

const seed = async (client: PrismaClient) => {
  await addUser(client, { id: 7, username: 'nobody-special' });
  await addUser(client, { id: 8, username: 'admin-by-group' });
  await client.group.create({ data: { id: 1, name: 'Admins', rootRoleId: ADMIN_ROLE } });
  await client.groupUser.create({ data: { groupId: 1, userId: 8 } });
  await client.project.createMany({ data: ['web', 'lab'].map((id) => ({ id, name: id })) });
  await client.feature.createMany({
    data: ['one', 'two'].map((name) => ({ name, projectId: 'web', type: 'release' })),
  });
  await client.$executeRaw`
    insert into events (id, type, created_by, project, environment, feature_name, created_at, announced) values
      (1, 'feature-created', 'ada', 'web', null, 'one', '2024-02-01', true),
      (2, 'feature-updated', 'ada', 'web', 'production', 'one', '2024-02-02', true),
      (3, 'feature-created', 'ada', 'lab', 'development', 'three', '2024-02-03', true),
      (4, 'feature-created', 'ada', null, null, null, '2024-02-04', true),
      (5, 'feature-archived', 'ada', 'web', null, 'one', '2024-02-05', false),
      (6, 'feature-created', 'ada', 'web', null, 'one', '2023-12-31', true),
      (7, 'feature-created', 'ada', 'web', null, 'one', null, true)`;
  await client.integration.createMany({
    data: [
      {
        id: 1,
        provider: 'webhook',
        parameters: { url: 'https://board.example', authorization: 'hush-hush' },
        events: ['feature-created', 'feature-updated'],
        projects: ['web'],
        environments: ['production'],
        createdAt: new Date('2024-01-01T00:00:00Z'),
      },
      { id: 2, provider: 'slack', enabled: false, events: ['feature-created'], projects: ['*'] },
      { id: 3, provider: 'teams', events: ['feature-created'] },
    ],
  });
  await client.$executeRaw`update addons set created_at = null where id > 1`;
  await client.integrationEvent.createMany({
    data: DELIVERIES.map(([state, stateDetails, event], index) => ({
      id: index + 1,
      integrationId: 1,
      // Later numbers are older: the number decides what was last, as it does in the list.
      createdAt: new Date(START - index * 60_000),
      state,
      stateDetails,
      event: delivered(event),
      details: {},
    })),
  });
  for (const [index, event] of ODD.entries()) {
    await client.$executeRaw`
      insert into integration_events (id, integration_id, state, state_details, event, details)
      values (${100 + index}::bigint, 2, 'brand-new-state', '', ${event}::jsonb, '{}'::jsonb)`;
  }
};

describeSeededOnBothDatabases(
  'why an integration did not fire',
  seed,
  ({ gateway, database, statementsOf }) => {
    const ask = async (query: string, variables: Record<string, unknown> = {}) => {
      const { data, errors } = await gateway().graphql(query, variables);
      expect(errors).toBeUndefined();
      return data;
    };

    describe('deliveries are filtered by the event they delivered:', () => {
      const LIST = `query ($id: Int!, $filter: IntegrationEventFilter) {
        integrationEvents(integrationId: $id, filter: $filter) { totalCount nodes { id } }
        integration(id: $id) { events(filter: $filter) { totalCount nodes { id } } } }`;
      const idsOf = async (filter: object, id = 1): Promise<number[]> => {
        const { integrationEvents, integration } = await ask(LIST, { id, filter });
        expect(integration.events).toEqual(integrationEvents);
        expect(integrationEvents.nodes).toHaveLength(integrationEvents.totalCount);
        return integrationEvents.nodes.map((node: { id: string }) => Number(node.id));
      };

      test.each<[object, number[]]>([
        [{ eventType: { is: 'FEATURE_CREATED' } }, [6, 4, 1]],
        [{ eventType: { anyOf: ['FEATURE_UPDATED', 'FEATURE_ARCHIVED'] } }, [5, 3, 2]],
        [{ eventType: { is: 'OTHER' } }, [7]],
        [{ eventType: { anyOf: ['OTHER', 'FEATURE_UPDATED'] } }, [7, 5, 3, 2]],
        [{ eventType: { anyOf: [] } }, []],
        [{ feature: { is: 'one' } }, [7, 2, 1]],
        [{ feature: { anyOf: ['two', 'gone'] } }, [5, 4, 3]],
        [{ feature: { is: 'featureName' } }, []],
        [{ project: { is: 'web' } }, [7, 6, 3, 2, 1]],
        [{ project: { anyOf: ['lab', 'gone'] } }, [5, 4]],
        [{ environment: { is: 'production' } }, [3, 2]],
        [{ environment: { is: '' } }, []],
        [
          { eventType: null, feature: null, project: null, environment: null },
          [7, 6, 5, 4, 3, 2, 1],
        ],
        [
          { state: { is: 'failed' }, feature: { is: 'one' }, eventType: { is: 'FEATURE_UPDATED' } },
          [2],
        ],
        [
          {
            state: { is: 'failed' },
            project: { is: 'web' },
            createdAt: { to: '2024-01-31T23:58:00Z' },
          },
          [6],
        ],
      ])('%j', async (filter, expected) => {
        expect(await idsOf(filter)).toEqual(expected);
      });

      test('odd ones match only what is shown of them', async () => {
        expect(await idsOf({ eventType: { is: 'OTHER' } }, 2)).toHaveLength(ODD.length);
        expect(await idsOf({ eventType: { is: 'FEATURE_CREATED' } }, 2)).toEqual([]);
        expect(await idsOf({ feature: { anyOf: ['7', 'one', 'null'] } }, 2)).toEqual([]);
        expect(await idsOf({ feature: { is: '' } }, 2)).toEqual([109]);
        expect(await idsOf({ project: { anyOf: ['web', '["web"]'] } }, 2)).toEqual([]);
        expect(await idsOf({ environment: { anyOf: ['{"a": 1}'] } }, 2)).toEqual([]);
      });

      test('cursors belong to the filter they came from', async () => {
        const page = (filter: object, after: string | null) =>
          gateway().graphql(
            `query ($filter: IntegrationEventFilter, $after: String) {
              integrationEvents(integrationId: 1, first: 1, filter: $filter, after: $after) {
                nodes { id } pageInfo { endCursor } } }`,
            { filter, after },
          );
        const filter = { feature: { is: 'one' } };
        const first = (await page(filter, null)).data.integrationEvents;
        const second = (await page(filter, first.pageInfo.endCursor)).data.integrationEvents;
        expect([first.nodes, second.nodes]).toEqual([[{ id: '7' }], [{ id: '2' }]]);
        for (const other of [{}, { project: { is: 'one' } }, { environment: { is: 'one' } }]) {
          const { errors } = await page(other, first.pageInfo.endCursor);
          expect(errors?.[0].message).toMatch(/cursor of another list or of another filter/);
        }
      });

      test.each([
        [{ feature: { is: 'a\0b' } }, /feature name .* cannot be stored/],
        [{ project: { anyOf: ['\ud800'] } }, /project id .* cannot be stored/],
        [{ environment: { is: '\0' } }, /environment .* cannot be stored/],
        [
          { feature: { anyOf: Array(1001).fill('x') } },
          /'filter.feature.anyOf' takes at most 1000/,
        ],
        [{ eventType: { anyOf: Array(1001).fill('OTHER') } }, /'filter.eventType.anyOf' takes/],
      ])('what no delivery can hold is refused', async (filter, message) => {
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

    test('delivered events lead to their feature and project, as far as those exist', async () => {
      const { integrationEvents, integration } = await ask(`{
        integrationEvents(integrationId: 1) { nodes { event { feature { name } project { id } } } }
        integration(id: 2) { events { nodes { event { feature { name } project { id } } } } } }`);
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
      for (const { event } of integration.events.nodes) expect(event).toEqual(link(null, null));
    });

    describe('statistics', () => {
      const STATS = `stats { since deliveries succeeded failed failureRate byState { state count }
        lastFailure { id state } lastSuccess { id } commonestFailure { stateDetails count last { id createdAt } } }`;

      test('count what is kept, by state, with the last and the commonest failure', async () => {
        const { integration } = await ask(`{ integration(id: 1) { ${STATS} } }`);
        expect(integration.stats).toEqual({
          since: new Date(START - 6 * 60_000).toISOString(),
          deliveries: 7,
          succeeded: 2,
          failed: 5,
          failureRate: 5 / 7,
          byState: [
            { state: 'failed', count: 4 },
            { state: 'success', count: 2 },
            { state: 'successWithErrors', count: 1 },
          ],
          lastFailure: { id: '6', state: 'failed' },
          lastSuccess: { id: '7' },
          commonestFailure: {
            stateDetails: REFUSED,
            count: 2,
            last: { id: '6', createdAt: new Date(START - 5 * 60_000).toISOString() },
          },
        });
      });

      test('tell nothing where nothing is kept, and count states nobody knows as failures', async () => {
        const { integrations } = await ask(`{ integrations { id ${STATS} } }`);
        expect(integrations[1].stats).toMatchObject({
          deliveries: ODD.length,
          succeeded: 0,
          failureRate: 1,
          byState: [{ state: 'brand-new-state', count: ODD.length }],
          lastFailure: { id: String(99 + ODD.length) },
          lastSuccess: null,
          commonestFailure: { stateDetails: '', count: ODD.length },
        });
        expect(integrations[2].stats).toEqual({
          since: null,
          deliveries: 0,
          succeeded: 0,
          failed: 0,
          failureRate: null,
          byState: [],
          lastFailure: null,
          lastSuccess: null,
          commonestFailure: null,
        });
      });

      test('cost one statement for all integrations, and one more for all records in them', async () => {
        const query = (head: string) => `{ ${head} { ${STATS}
          again: stats { lastFailure { event { id } } } } }`;
        const statements = await statementsOf(() => ask(query('integrations')));
        const reads = statements.filter((sql) => sql.includes('integration_events'));
        expect(reads).toHaveLength(2);
        expect(statements).toHaveLength(
          (await statementsOf(() => ask(query('integration(id: 1)')))).length,
        );

        const counts = await statementsOf(() => ask('{ integrations { stats { failureRate } } }'));
        expect(counts.filter((sql) => sql.includes('integration_events'))).toHaveLength(1);
        expect([...statements, ...counts].filter((sql) => sql.includes('parameters'))).toEqual([]);
      });

      test('know deliveries by numbers of any size', async () => {
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
        const { integration } = await ask(`{ integration(id: 3) { ${STATS} } }`);
        expect(integration.stats).toMatchObject({
          failureRate: 1,
          lastFailure: { id: String(id) },
          commonestFailure: { last: { id: String(id) } },
        });
        await client.integrationEvent.delete({ where: { id } });
      });
    });

    describe('an explanation', () => {
      const EXPLAIN = `query ($eventId: Int!) { integrations { id
        explain(eventId: $eventId) { wouldBeSent reasons { code message } delivery { id state } } } }`;
      const explain = async (eventId: number) => {
        const { integrations } = await ask(EXPLAIN, { eventId });
        return integrations.map(
          ({
            explain: told,
          }: {
            explain: { reasons: { code: string }[]; delivery: { id: string } | null } | null;
          }) => told && [told.reasons.map(({ code }) => code), told.delivery?.id ?? null],
        );
      };

      test('names the last delivery on record and whatever speaks against another', async () => {
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

      test('says in words what the service compares', async () => {
        const { integrations } = await ask(EXPLAIN, { eventId: 3 });
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
          delivery: { id: '7', state: 'success' },
        });
        expect(integrations[2].explain.wouldBeSent).toBe(true);
      });

      test('is null for an event that does not exist', async () => {
        for (const eventId of [0, -1, 99, 2147483647, -2147483648]) {
          expect(await explain(eventId)).toEqual([null, null, null]);
        }
      });

      test('is null for an event that the caller does not see, whatever else he may do', async () => {
        const told = async (eventId: number) => {
          const { data, errors } = await gateway().graphql(
            EXPLAIN,
            { eventId },
            { token: 'user:token-of-8' },
          );
          expect(errors).toBeUndefined();
          return data.integrations[0].explain;
        };
        expect(await told(1)).toMatchObject({ wouldBeSent: true });
        expect(await told(4)).toBeNull();
      });

      test('takes one statement for all integrations, and none of them reads their settings', async () => {
        const statements = await statementsOf(() =>
          ask('{ integrations { explain(eventId: 1) { wouldBeSent } } }'),
        );
        // Two are the token and the list.
        expect(statements).toHaveLength(3);
        const withRecords = await statementsOf(() => explain(1));
        expect(withRecords).toHaveLength(4);
        const text = [...statements, ...withRecords].join();
        expect(text).not.toMatch(/parameters/);
      });
    });

    test('all of it needs ADMIN', async () => {
      for (const selection of [
        'stats { deliveries }',
        'explain(eventId: 1) { wouldBeSent }',
        'events(filter: { feature: { is: "one" } }) { totalCount }',
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
  },
);
