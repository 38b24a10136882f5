import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo } from '../../testkit/app.js';
import { expectNoInternals } from '../../testkit/response-assertions.js';

const NODE = `query ($id: ID!) { node(id: $id) { __typename nodeId
  ... on Event { number: id summary } ... on Feature { name states: environments { enabled } }
  ... on Project { key: id members } ... on Integration { id provider eventTypeNames projectIds environmentNames }
  ... on IntegrationEvent { delivery: id state integration { id provider } } } }`;
const NODES = `query ($ids: [ID!]!, $type: NodeType) { nodes(ids: $ids, type: $type) { __typename nodeId
  ... on Event { summary } ... on Feature { name project { id } } ... on Project { members }
  ... on Integration { provider eventTypeNames projectIds environmentNames }
  ... on IntegrationEvent { state integration { provider } } } }`;

const MEMBERS = [
  'Event',
  'Feature',
  'Project',
  'Integration',
  'IntegrationEvent',
  'Environment',
  'Segment',
  'Strategy',
  'User',
  'FeatureEnvironment',
  'ProjectEnvironment',
] as const;

type Item = { nodeId: string };
type Place = Item & { environment: Item; strategies: (Item & { segments: Item[] })[] };
type Parts = { collaborators: Item[]; environments: Place[] };

const rewrite = (id: string, change: (text: string) => string) =>
  Buffer.from(change(Buffer.from(id, 'base64url').toString())).toString('base64url');

describeWithDemo('objects by node ID', ({ gateway, database, statementsOf }) => {
  /** Node IDs of every type, from the lists. */
  const ids: Record<(typeof MEMBERS)[number], string[]> = {
    Event: [],
    Feature: [],
    Project: [],
    Integration: [],
    IntegrationEvent: [],
    Environment: [],
    Segment: [],
    Strategy: [],
    User: [],
    FeatureEnvironment: [],
    ProjectEnvironment: [],
  };
  const first = (type: (typeof MEMBERS)[number]) => ids[type][0] ?? '';
  const problemOf = ({
    errors,
  }: {
    errors: { message: string; extensions: object }[] | undefined;
  }) =>
    errors?.map(({ message, extensions }) => ({
      message,
      code: (extensions as { code: string }).code,
    }));

  beforeAll(async () => {
    const { data, errors } = await gateway().graphql(`{
      events(first: 20) { nodes { nodeId } } features(first: 20) { nodes { nodeId } }
      projects(first: 20) { nodes { nodeId environments { nodeId } } } integrations { nodeId }
      integrationEvents(integrationId: 1, first: 20) { nodes { nodeId } }
      parts: features(first: 100) { nodes { collaborators { nodeId } environments {
        nodeId environment { nodeId } strategies { nodeId segments { nodeId } } } } } }`);
    expect(errors).toBeUndefined();
    const nodeIds = (list: { nodeId: string }[]) => list.map(({ nodeId }) => nodeId);
    ids.Event = nodeIds(data.events.nodes);
    ids.Feature = nodeIds(data.features.nodes);
    ids.Project = nodeIds(data.projects.nodes);
    ids.Integration = nodeIds(data.integrations);
    ids.IntegrationEvent = nodeIds(data.integrationEvents.nodes);
    const environments = data.parts.nodes.flatMap((node: Parts) => node.environments) as Place[];
    const strategies = environments.flatMap((place) => place.strategies);
    const distinct = (list: { nodeId: string }[]) => [...new Set(nodeIds(list))];
    ids.Environment = distinct(environments.map(({ environment }) => environment));
    ids.FeatureEnvironment = nodeIds(environments);
    ids.ProjectEnvironment = nodeIds(
      data.projects.nodes.flatMap((node: { environments: Item[] }) => node.environments),
    );
    ids.Strategy = distinct(strategies);
    ids.Segment = distinct(strategies.flatMap(({ segments }) => segments));
    ids.User = distinct(data.parts.nodes.flatMap((node: Parts) => node.collaborators));
  });

  test.each(MEMBERS)('every %s is returned for the node ID from its list', async (type) => {
    expect(ids[type].length).toBeGreaterThan(1);
    for (const id of ids[type].slice(0, 3)) {
      const { data, errors } = await gateway().graphql(NODE, { id });
      expect(errors).toBeUndefined();
      expect(data.node).toMatchObject({ __typename: type, nodeId: id });
    }
  });

  test('are the same as by their own key', async () => {
    const { data } = await gateway().graphql(`{
      feature(name: "checkout-one-page") { nodeId name createdAt tags { value } }
      integration(id: 1) { nodeId provider eventTypeNames projectIds environmentNames createdAt } }`);
    const { data: again, errors } = await gateway().graphql(
      `query ($a: ID!, $b: ID!) {
        feature: node(id: $a) { nodeId ... on Feature { name createdAt tags { value } } }
        integration: node(id: $b) { nodeId ... on Integration { provider eventTypeNames projectIds environmentNames createdAt } } }`,
      { a: data.feature.nodeId, b: data.integration.nodeId },
    );
    expect(errors).toBeUndefined();
    expect(again).toEqual(data);
  });

  test('are returned in the order of their IDs, including duplicates', async () => {
    const unique = MEMBERS.flatMap((type) => ids[type].slice(0, 3)).toReversed();
    const requested = [...unique, ...unique];
    const { data, errors } = await gateway().graphql(NODES, { ids: requested });
    expect(errors).toBeUndefined();
    expect(data.nodes.map((node: { nodeId: string }) => node.nodeId)).toEqual(requested);
  });

  test('are an empty list for an empty list', async () => {
    expect((await gateway().graphql(NODES, { ids: [] })).data).toEqual({ nodes: [] });
  });

  test('take as many statements for many as for one of each type', async () => {
    const count = async (size: number) => {
      const requested = MEMBERS.flatMap((type) => ids[type].slice(0, size));
      const statements = await statementsOf(async () => {
        const { data, errors } = await gateway().graphql(NODES, { ids: requested });
        expect(errors).toBeUndefined();
        expect(data.nodes).toHaveLength(requested.length);
      });
      return statements.length;
    };
    expect(ids.Event.length).toBe(20);
    const one = await count(1);
    // At most 100 IDs of eleven types.
    expect(await count(9)).toBe(one);
    expect(one).toBeLessThan(20);
  });

  test('nodeId takes no additional statement in a list', async () => {
    const count = async (field: string) =>
      (await statementsOf(() => gateway().graphql(`{ events(first: 500) { nodes { ${field} } } }`)))
        .length;
    expect(await count('nodeId')).toBe(await count('id'));
  });

  test('columns with secrets are not read', async () => {
    const statements = await statementsOf(() =>
      gateway().graphql(NODES, { ids: ids.Integration.concat(ids.IntegrationEvent) }),
    );
    const read = statements.filter((sql) => sql.includes('addons'));
    expect(read.length).toBeGreaterThan(0);
    expect(read.filter((sql) => sql.includes('parameters'))).toEqual([]);
  });

  test('an internal error is reported as such, without details', async () => {
    const { client } = database();
    await client.$executeRaw`alter table events rename to events_kept`;
    const { status, data, errors } = await gateway().graphql(NODES, { ids: ids.Event });
    await client.$executeRaw`alter table events_kept rename to events`;
    expect([status, data ?? null]).toEqual([500, null]);
    expect(problemOf({ errors })).toMatchObject([{ code: 'INTERNAL_SERVER_ERROR' }]);
    expectNoInternals(JSON.stringify(errors), 'events');
  });

  test('cost as much as the objects', async () => {
    const deep = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Project { features(first: 1000) {
      nodes { name } } } } }`;
    const some = await gateway().graphql(deep, { ids: ids.Project.slice(0, 2) });
    expect(some.errors).toBeUndefined();
    const { errors } = await gateway().graphql(deep, { ids: Array(100).fill(first('Project')) });
    expect(problemOf({ errors })).toMatchObject([{ code: 'LIMIT_EXCEEDED' }]);
  });

  test('of more than 100 IDs are rejected', async () => {
    const tooMany = Array(101).fill(first('Event'));
    const { data, errors } = await gateway().graphql(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { nodeId } }',
      { ids: tooMany },
    );
    expect(data ?? null).toBeNull();
    expect(problemOf({ errors })).toEqual([
      {
        message: "'ids' can have at most 100 entries (got 101). Request the rest separately.",
        code: 'BAD_USER_INPUT',
      },
    ]);
  });

  describe('that are missing or hidden', () => {
    const missing = () => [
      rewrite(first('Event'), (text) => text.replace(/\d+$/, '2147483647')),
      rewrite(first('Feature'), (text) => `${text}-gone`),
      rewrite(first('Project'), (text) => `${text}-gone`),
      rewrite(first('Integration'), (text) => text.replace(/\d+$/, '9999')),
      rewrite(first('IntegrationEvent'), (text) => text.replace(/\d+$/, '9223372036854775807')),
    ];

    test('are null without an error', async () => {
      for (const id of missing()) {
        expect(await gateway().graphql(NODE, { id })).toMatchObject({
          status: 200,
          data: { node: null },
          errors: undefined,
        });
      }
      expect((await gateway().graphql(NODES, { ids: missing() })).data).toEqual({
        nodes: [null, null, null, null, null],
      });
    });

    test('users known only by an email address are null without ADMIN', async () => {
      const { client } = database();
      const { id } = await client.user.create({
        data: { email: 'nameless@harbour-pine.example' },
      });
      const nodeId = rewrite(first('User'), (text) => text.replace(/[^:]*$/, String(id)));
      const find = async (token: string) =>
        (
          await gateway().graphql(
            'query ($id: ID!) { node(id: $id) { ... on User { name } } }',
            { id: nodeId },
            { token },
          )
        ).data;
      expect(await find(DEMO_TOKENS.admin)).toEqual({
        node: { name: 'nameless@harbour-pine.example' },
      });
      expect(await find(DEMO_TOKENS.viewer)).toEqual({ node: null });
      await client.user.delete({ where: { id } });
    });

    test('states of features and projects that the caller may not see are null', async () => {
      const QUERY = `{ feature(name: "payments-paper-invoice") { environments { nodeId } }
        project(id: "payments") { environments { nodeId } } }`;
      const { data } = await gateway().graphql(QUERY);
      const hidden: string[] = [...data.feature.environments, ...data.project.environments].map(
        ({ nodeId }: Item) => nodeId,
      );
      expect(hidden.length).toBeGreaterThan(3);
      const find = async (token: string) =>
        (await gateway().graphql(NODES, { ids: hidden }, { token })).data.nodes;
      expect((await find(DEMO_TOKENS.admin)).map(({ nodeId }: Item) => nodeId)).toEqual(hidden);
      expect(await find(DEMO_TOKENS.viewer)).toEqual(hidden.map(() => null));
    });

    test('are indistinguishable', async () => {
      const { data } = await gateway().graphql(
        '{ events(first: 1000) { nodes { nodeId projectId } } }',
      );
      const withoutProject = data.events.nodes.find(
        (event: { projectId: string | null }) => !event.projectId,
      );
      expect(withoutProject).toBeDefined();
      const [noEvent, , , noIntegration, noDelivery] = missing();
      const token = DEMO_TOKENS.viewer;
      const lookup = async (id: string | undefined) => {
        const { status, data: node, errors } = await gateway().graphql(NODE, { id }, { token });
        return { status, node, errors };
      };
      const notFound = {
        status: 200,
        node: { node: null },
        errors: undefined,
      };
      for (const id of [
        withoutProject.nodeId,
        noEvent,
        first('Integration'),
        noIntegration,
        first('IntegrationEvent'),
        noDelivery,
      ]) {
        expect(await lookup(id)).toEqual(notFound);
      }
      expect(
        (await gateway().graphql(NODE, { id: withoutProject.nodeId })).data.node,
      ).not.toBeNull();
      expect(
        (await gateway().graphql(NODE, { id: first('Feature') }, { token })).data.node,
      ).not.toBeNull();
    });

    test('take no statement when the caller may not see integrations', async () => {
      const run = (nodeIds: string[]) =>
        statementsOf(() =>
          gateway().graphql(NODES, { ids: nodeIds }, { token: DEMO_TOKENS.viewer }),
        );
      const none = await run([]);
      expect((await run([first('Integration'), first('IntegrationEvent')])).length).toBe(
        none.length,
      );
    });

    test('require a token', async () => {
      const { status, errors } = await gateway().graphql(
        NODE,
        { id: first('Feature') },
        { token: null },
      );
      expect(status).toBe(401);
      expect(problemOf({ errors })).toMatchObject([{ code: 'UNAUTHENTICATED' }]);
    });
  });

  describe('with invalid IDs', () => {
    const NONE =
      /is not a nodeId\. Use the value of a field 'nodeId'\. To find an object by its ID or name/;

    test.each([
      ['', 'an empty string'],
      ['42', 'a number'],
      ['checkout-one-page', 'a name'],
      ['x'.repeat(9_000), 'a very long text'],
      ['\0', 'NUL'],
      ['\ud800', 'a lone surrogate'],
      [Buffer.from('1::Event:one').toString('base64url'), 'a forged key'],
      [Buffer.from("1::Event:1' or '1'='1").toString('base64url'), 'a forged condition'],
      [Buffer.from('1::Token:1').toString('base64url'), 'a type that has none'],
      [Buffer.from('1::FeatureEnvironment:a').toString('base64url'), 'half a key'],
      [Buffer.from('1::FeatureEnvironment:a:%61').toString('base64url'), 'another encoding'],
      [Buffer.from('1::ProjectEnvironment:a:%').toString('base64url'), 'a damaged key'],
    ])('%j is rejected in every field: %s', async (id) => {
      for (const [query, variables, argument] of [
        [NODE, { id }, "'id'"],
        [NODES, { ids: [id] }, "'ids.0'"],
      ] as const) {
        const problems = problemOf(await gateway().graphql(query, variables));
        expect(problems).toMatchObject([
          { message: expect.stringMatching(NONE), code: 'BAD_USER_INPUT' },
        ]);
        expect(problems?.[0]?.message.startsWith(argument)).toBe(true);
      }
    });

    test.each<[string, unknown]>([
      ['nothing', undefined],
      ['null', null],
      ['null among them', [null]],
      ['an object', [{ id: 1 }]],
      ['lists in the list', [[['a']]]],
      ['a boolean', true],
    ])('%s instead of the list is rejected', async (_title, ids) => {
      const { data, errors } = await gateway().graphql(
        'query ($ids: [ID!]!) { nodes(ids: $ids) { nodeId } }',
        { ids },
      );
      expect(data ?? null).toBeNull();
      expect(problemOf({ errors })).toMatchObject([{ code: 'BAD_USER_INPUT' }]);
    });

    test('a single ID is accepted as a list of one', async () => {
      const { data, errors } = await gateway().graphql(
        'query ($ids: [ID!]!) { nodes(ids: $ids) { nodeId } }',
        { ids: first('Event') },
      );
      expect(errors).toBeUndefined();
      expect(data).toEqual({ nodes: [{ nodeId: first('Event') }] });
    });

    test('a cursor is rejected', async () => {
      const { data } = await gateway().graphql('{ events(first: 1) { pageInfo { endCursor } } }');
      const { errors } = await gateway().graphql(NODE, { id: data.events.pageInfo.endCursor });
      expect(errors?.[0].message).toMatch(NONE);
    });

    test('one among valid ones is null, with an error that names its index', async () => {
      const { data, errors, status } = await gateway().graphql(NODES, {
        ids: [first('Event'), 'forged', first('Feature')],
      });
      expect(status).toBe(200);
      expect(data.nodes.map((node: { __typename: string } | null) => node?.__typename)).toEqual([
        'Event',
        undefined,
        'Feature',
      ]);
      expect(errors).toMatchObject([
        { path: ['nodes', 1], message: expect.stringMatching(/^'ids.1' is not a nodeId/) },
      ]);
    });

    test('an ID of another type is rejected with its actual type', async () => {
      const expected =
        "is the nodeId of a Feature, not of an Event. Use one of an Event, or change 'type'.";
      const variables = { ids: [first('Event'), first('Feature')], type: 'EVENT' };
      const { data, errors } = await gateway().graphql(NODES, variables);
      expect(data.nodes).toMatchObject([{ __typename: 'Event' }, null]);
      expect(errors?.map(({ message }) => message)).toEqual([`'ids.1' ${expected}`]);
    });

    test('an ID of another deployment is rejected with advice', async () => {
      const foreign = rewrite(first('Event'), (text) => text.replace(/^1:[^:]+:/, '1:others:'));
      const { data, errors } = await gateway().graphql(NODE, { id: foreign });
      expect(data).toEqual({ node: null });
      expect(problemOf({ errors })).toEqual([
        {
          message:
            "'id' is a nodeId of another deployment. Send it to the gateway that returned it, or find the object here by its ID or name with a query such as feature(name:).",
          code: 'BAD_USER_INPUT',
        },
      ]);
    });

    test('an ID without a deployment is accepted', async () => {
      const unmarked = rewrite(first('Event'), (text) => text.replace(/^1:[^:]+:/, '1::'));
      const { data } = await gateway().graphql(NODE, { id: unmarked });
      expect(data.node.nodeId).toBe(first('Event'));
    });
  });

  test('the deployment in a node ID does not reveal the instance ID of Unleash', async () => {
    const info = await database().client.setting.findUniqueOrThrow({
      where: { name: 'instanceInfo' },
    });
    const text = Buffer.from(first('Event'), 'base64url').toString();
    expect(text).toMatch(/^1:[\w-]{6}:Event:\d+$/);
    expect(text).not.toContain((info.content as { id: string }).id.slice(0, 6));
  });
});
