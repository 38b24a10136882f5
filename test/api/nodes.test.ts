import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../src/demo/tokens.js';
import { expectNoInsides } from '../testkit/answers.js';
import { describeDemoOnBothDatabases } from '../testkit/app.js';

const NODE = `query ($id: ID!) { node(id: $id) { __typename nodeId
  ... on Event { number: id summary } ... on Feature { name states: environments { enabled } }
  ... on Project { key: id members } ... on Integration { id provider eventTypes projects environments }
  ... on IntegrationEvent { delivery: id state integration { id provider } } } }`;
const NODES = `query ($ids: [ID!]!, $type: NodeType) { nodes(ids: $ids, type: $type) { __typename nodeId
  ... on Event { summary } ... on Feature { name project { id } } ... on Project { members }
  ... on Integration { provider eventTypes projects environments }
  ... on IntegrationEvent { state integration { provider } } } }`;
const LOOKUP = `query ($by: LookupInput!, $type: NodeType) { lookup(by: $by, type: $type) { __typename nodeId } }`;

const MEMBERS = ['Event', 'Feature', 'Project', 'Integration', 'IntegrationEvent'] as const;

const rewrite = (id: string, change: (text: string) => string) =>
  Buffer.from(change(Buffer.from(id, 'base64url').toString())).toString('base64url');

describeDemoOnBothDatabases('objects by their ids', ({ gateway, database, statementsOf }) => {
  /** Some ids of every type, as the lists answer them. */
  const ids: Record<(typeof MEMBERS)[number], string[]> = {
    Event: [],
    Feature: [],
    Project: [],
    Integration: [],
    IntegrationEvent: [],
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
      projects(first: 20) { nodes { nodeId } } integrations { nodeId }
      integrationEvents(integrationId: 1, first: 20) { nodes { nodeId } } }`);
    expect(errors).toBeUndefined();
    const nodeIds = (list: { nodeId: string }[]) => list.map(({ nodeId }) => nodeId);
    ids.Event = nodeIds(data.events.nodes);
    ids.Feature = nodeIds(data.features.nodes);
    ids.Project = nodeIds(data.projects.nodes);
    ids.Integration = nodeIds(data.integrations);
    ids.IntegrationEvent = nodeIds(data.integrationEvents.nodes);
  });

  test.each(MEMBERS)('every %s is found again by the id its list answered', async (type) => {
    expect(ids[type].length).toBeGreaterThan(1);
    for (const id of ids[type].slice(0, 3)) {
      const { data, errors } = await gateway().graphql(NODE, { id });
      expect(errors).toBeUndefined();
      expect(data.node).toMatchObject({ __typename: type, nodeId: id });
    }
  });

  test('an object is the same by its id as by its own key', async () => {
    const { data } = await gateway().graphql(`{
      feature(name: "checkout-one-page") { nodeId name createdAt tags { value } }
      integration(id: 1) { nodeId provider eventTypes projects environments createdAt } }`);
    const { data: again, errors } = await gateway().graphql(
      `query ($a: ID!, $b: ID!) {
        feature: node(id: $a) { nodeId ... on Feature { name createdAt tags { value } } }
        integration: node(id: $b) { nodeId ... on Integration { provider eventTypes projects environments createdAt } } }`,
      { a: data.feature.nodeId, b: data.integration.nodeId },
    );
    expect(errors).toBeUndefined();
    expect(again).toEqual(data);
  });

  test('many are answered in the order of their ids, the same one as often as it is asked for', async () => {
    const wanted = MEMBERS.flatMap((type) => ids[type].slice(0, 3)).toReversed();
    const asked = [...wanted, ...wanted];
    const { data, errors } = await gateway().graphql(NODES, { ids: asked });
    expect(errors).toBeUndefined();
    expect(data.nodes.map((node: { nodeId: string }) => node.nodeId)).toEqual(asked);
  });

  test('none are answered with none', async () => {
    expect((await gateway().graphql(NODES, { ids: [] })).data).toEqual({ nodes: [] });
  });

  test('as many statements are sent for many as for one of each type', async () => {
    const count = async (size: number) => {
      const asked = MEMBERS.flatMap((type) => ids[type].slice(0, size));
      const statements = await statementsOf(async () => {
        const { data, errors } = await gateway().graphql(NODES, { ids: asked });
        expect(errors).toBeUndefined();
        expect(data.nodes).toHaveLength(asked.length);
      });
      return statements.length;
    };
    expect(ids.Event.length).toBe(20);
    const one = await count(1);
    expect(await count(20)).toBe(one);
    expect(one).toBeLessThan(15);
  });

  test('the ids of a whole list cost no further statement', async () => {
    const count = async (field: string) =>
      (await statementsOf(() => gateway().graphql(`{ events(first: 500) { nodes { ${field} } } }`)))
        .length;
    expect(await count('nodeId')).toBe(await count('id'));
  });

  test('the columns that hold secrets are not even read', async () => {
    const statements = await statementsOf(() =>
      gateway().graphql(NODES, { ids: ids.Integration.concat(ids.IntegrationEvent) }),
    );
    const read = statements.filter((sql) => sql.includes('addons'));
    expect(read.length).toBeGreaterThan(0);
    expect(read.filter((sql) => sql.includes('parameters'))).toEqual([]);
  });

  test('what a fault of ours keeps from being found is told as such, and nothing of the fault', async () => {
    const { client } = database();
    await client.$executeRaw`alter table events rename to events_kept`;
    const { status, data, errors } = await gateway().graphql(NODES, { ids: ids.Event });
    await client.$executeRaw`alter table events_kept rename to events`;
    expect([status, data ?? null]).toEqual([500, null]);
    expect(problemOf({ errors })).toMatchObject([{ code: 'INTERNAL_SERVER_ERROR' }]);
    expectNoInsides(JSON.stringify(errors), 'events');
  });

  test('each id costs what its object costs', async () => {
    const deep = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Project { features(first: 1000) {
      nodes { name } } } } }`;
    const some = await gateway().graphql(deep, { ids: ids.Project.slice(0, 2) });
    expect(some.errors).toBeUndefined();
    const { errors } = await gateway().graphql(deep, { ids: Array(100).fill(first('Project')) });
    expect(problemOf({ errors })).toMatchObject([{ code: 'LIMIT_EXCEEDED' }]);
  });

  test('more than 100 are refused', async () => {
    const asked = Array(101).fill(first('Event'));
    const { data, errors } = await gateway().graphql(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { nodeId } }',
      { ids: asked },
    );
    expect(data ?? null).toBeNull();
    expect(problemOf({ errors })).toEqual([
      {
        message: "'ids' may hold 100 ids; these are 101. Ask for the rest in another request.",
        code: 'BAD_USER_INPUT',
      },
    ]);
  });

  describe('what is not there and what may not be seen', () => {
    const missing = () => [
      rewrite(first('Event'), (text) => text.replace(/\d+$/, '2147483647')),
      rewrite(first('Feature'), (text) => `${text}-gone`),
      rewrite(first('Project'), (text) => `${text}-gone`),
      rewrite(first('Integration'), (text) => text.replace(/\d+$/, '9999')),
      rewrite(first('IntegrationEvent'), (text) => text.replace(/\d+$/, '9223372036854775807')),
    ];

    test('is null, without an error', async () => {
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

    test('gets one and the same answer', async () => {
      const { data } = await gateway().graphql(
        '{ events(first: 1000) { nodes { nodeId projectId } } }',
      );
      const homeless = data.events.nodes.find(
        (event: { projectId: string | null }) => !event.projectId,
      );
      expect(homeless).toBeDefined();
      const [noEvent, , , noIntegration, noDelivery] = missing();
      const token = DEMO_TOKENS.viewer;
      const answer = async (id: string | undefined) => {
        const { status, data: node, errors } = await gateway().graphql(NODE, { id }, { token });
        const { data: found } = await gateway().graphql(LOOKUP, { by: { nodeId: id } }, { token });
        return { status, node, errors, found };
      };
      const nothing = {
        status: 200,
        node: { node: null },
        errors: undefined,
        found: { lookup: null },
      };
      for (const id of [
        homeless.nodeId,
        noEvent,
        first('Integration'),
        noIntegration,
        first('IntegrationEvent'),
        noDelivery,
      ]) {
        expect(await answer(id)).toEqual(nothing);
      }
      expect((await gateway().graphql(NODE, { id: homeless.nodeId })).data.node).not.toBeNull();
      expect(
        (await gateway().graphql(NODE, { id: first('Feature') }, { token })).data.node,
      ).not.toBeNull();
    });

    test('costs who may see no integrations no statement', async () => {
      const run = (asked: string[]) =>
        statementsOf(() => gateway().graphql(NODES, { ids: asked }, { token: DEMO_TOKENS.viewer }));
      const none = await run([]);
      expect((await run([first('Integration'), first('IntegrationEvent')])).length).toBe(
        none.length,
      );
    });

    test('is asked for with a token, as everything is', async () => {
      const { status, errors } = await gateway().graphql(
        NODE,
        { id: first('Feature') },
        { token: null },
      );
      expect(status).toBe(401);
      expect(problemOf({ errors })).toMatchObject([{ code: 'UNAUTHENTICATED' }]);
    });
  });

  describe('bad ids', () => {
    const NONE = /is not a nodeId: give one that a field 'nodeId' answered\. By a number or a name/;

    test.each([
      ['', 'nothing'],
      ['42', 'a number'],
      ['checkout-one-page', 'a name'],
      ['x'.repeat(50_000), 'something endless'],
      ['\0', 'NUL'],
      ['\ud800', 'half a character'],
      [Buffer.from('1::Event:one').toString('base64url'), 'a forged key'],
      [Buffer.from("1::Event:1' or '1'='1").toString('base64url'), 'a forged condition'],
      [Buffer.from('1::Token:1').toString('base64url'), 'a type that has none'],
    ])('%j is refused everywhere: %s', async (id) => {
      for (const [query, variables, place] of [
        [NODE, { id }, "'id'"],
        [NODES, { ids: [id] }, "'ids.0'"],
        [LOOKUP, { by: { nodeId: id } }, "'by.nodeId'"],
      ] as const) {
        const problems = problemOf(await gateway().graphql(query, variables));
        expect(problems).toMatchObject([
          { message: expect.stringMatching(NONE), code: 'BAD_USER_INPUT' },
        ]);
        expect(problems?.[0]?.message.startsWith(place)).toBe(true);
      }
    });

    test.each<[string, unknown]>([
      ['nothing', undefined],
      ['null', null],
      ['null among them', [null]],
      ['an object', [{ id: 1 }]],
      ['lists in the list', [[['a']]]],
      ['a boolean', true],
    ])('%s in the place of the list is refused', async (_what, ids) => {
      const { data, errors } = await gateway().graphql(
        'query ($ids: [ID!]!) { nodes(ids: $ids) { nodeId } }',
        { ids },
      );
      expect(data ?? null).toBeNull();
      expect(problemOf({ errors })).toMatchObject([{ code: 'BAD_USER_INPUT' }]);
    });

    test('a single id stands for a list of one', async () => {
      const { data, errors } = await gateway().graphql(
        'query ($ids: [ID!]!) { nodes(ids: $ids) { nodeId } }',
        { ids: first('Event') },
      );
      expect(errors).toBeUndefined();
      expect(data).toEqual({ nodes: [{ nodeId: first('Event') }] });
    });

    test('a cursor is none', async () => {
      const { data } = await gateway().graphql('{ events(first: 1) { pageInfo { endCursor } } }');
      const { errors } = await gateway().graphql(NODE, { id: data.events.pageInfo.endCursor });
      expect(errors?.[0].message).toMatch(NONE);
    });

    test('one among good ones leaves null in its place and an error that names it', async () => {
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

    test('one of another type is refused where a type is expected, and says which it is', async () => {
      const expected =
        "stands for a Feature, not for an Event: give one of an Event, or ask for another 'type'.";
      const asked = { ids: [first('Event'), first('Feature')], type: 'EVENT' };
      const { data, errors } = await gateway().graphql(NODES, asked);
      expect(data.nodes).toMatchObject([{ __typename: 'Event' }, null]);
      expect(errors?.map(({ message }) => message)).toEqual([`'ids.1' ${expected}`]);
      for (const by of [{ nodeId: first('Feature') }, { feature: 'checkout-one-page' }]) {
        const { errors: refusals } = await gateway().graphql(LOOKUP, { by, type: 'EVENT' });
        expect(problemOf({ errors: refusals })).toEqual([
          { message: `'by.${Object.keys(by)[0]}' ${expected}`, code: 'BAD_USER_INPUT' },
        ]);
        expect(
          (await gateway().graphql(LOOKUP, { by, type: 'FEATURE' })).data.lookup,
        ).toMatchObject({
          __typename: 'Feature',
        });
      }
    });

    test('one of another deployment is refused, and says where to go', async () => {
      const foreign = rewrite(first('Event'), (text) => text.replace(/^1:[^:]+:/, '1:others:'));
      const { data, errors } = await gateway().graphql(NODE, { id: foreign });
      expect(data).toEqual({ node: null });
      expect(problemOf({ errors })).toEqual([
        {
          message:
            "'id' is a nodeId of another deployment: ask the gateway that answered it, or find the object here by its number or name with lookup(by:).",
          code: 'BAD_USER_INPUT',
        },
      ]);
    });

    test('one without any mark of its deployment is looked for', async () => {
      const unmarked = rewrite(first('Event'), (text) => text.replace(/^1:[^:]+:/, '1::'));
      const { data } = await gateway().graphql(NODE, { id: unmarked });
      expect(data.node.nodeId).toBe(first('Event'));
    });
  });

  describe('a lookup', () => {
    const by = async (input: unknown, call = {}) => gateway().graphql(LOOKUP, { by: input }, call);

    test('finds an object in each of its ways', async () => {
      const number = (type: (typeof MEMBERS)[number]) =>
        Buffer.from(first(type), 'base64url').toString().split(':').at(-1) ?? '';
      const ways: [object, string][] = [
        [{ nodeId: first('Project') }, first('Project')],
        [{ event: Number(number('Event')) }, first('Event')],
        [{ feature: number('Feature') }, first('Feature')],
        [{ project: number('Project') }, first('Project')],
        [{ integration: Number(number('Integration')) }, first('Integration')],
        [{ integrationEvent: number('IntegrationEvent') }, first('IntegrationEvent')],
        [{ integrationEvent: Number(number('IntegrationEvent')) }, first('IntegrationEvent')],
      ];
      for (const [input, nodeId] of ways) {
        expect((await by(input)).data).toMatchObject({ lookup: { nodeId } });
      }
    });

    test('answers null for what is not there and for what may not be seen', async () => {
      for (const input of [
        { event: -1 },
        { feature: 'no-such-feature' },
        { project: '' },
        { integration: 9999 },
        { integrationEvent: '999999' },
      ]) {
        expect(await by(input)).toMatchObject({ data: { lookup: null }, errors: undefined });
      }
      for (const input of [{ integration: 1 }, { integrationEvent: '1' }]) {
        expect((await by(input)).data.lookup).not.toBeNull();
        expect(await by(input, { token: DEMO_TOKENS.viewer })).toMatchObject({
          data: { lookup: null },
          errors: undefined,
        });
      }
    });

    test.each([
      [{}, /[Ee]xactly one key must be specified/],
      [{ event: 1, feature: 'a' }, /[Ee]xactly one key must be specified/],
      [{ event: null }, /must be non-null/],
      [{ event: 1, feature: null }, /[Ee]xactly one key must be specified/],
      [{ event: 'one' }, /Int cannot represent non-integer/],
      [{ tag: 'x' }, /"tag" is not defined by type "LookupInput"/],
      [{ feature: 'a\0b' }, /feature name contains a character that cannot be stored/],
      [{ project: 'a\ud800' }, /project id contains a character that cannot be stored/],
      [
        { integrationEvent: 'x' },
        /not the number of a delivery: give what its field 'id' answered/,
      ],
      [{ integrationEvent: '9223372036854775808' }, /not the number of a delivery/],
    ])('%j is refused', async (input, reason) => {
      const { errors } = await by(input);
      expect(problemOf({ errors })).toMatchObject([
        { message: expect.stringMatching(reason), code: 'BAD_USER_INPUT' },
      ]);
    });

    test('tells a nodeId in the place of a number where it belongs', async () => {
      const { errors } = await by({ integrationEvent: first('IntegrationEvent') });
      expect(errors?.[0].message).toBe(
        "'by.integrationEvent' is not the number of a delivery: it is a nodeId, which goes into 'by.nodeId'.",
      );
    });
  });

  test('the mark of the deployment is the id that the service gave its installation, unreadably', async () => {
    const info = await database().client.setting.findUniqueOrThrow({
      where: { name: 'instanceInfo' },
    });
    const text = Buffer.from(first('Event'), 'base64url').toString();
    expect(text).toMatch(/^1:[\w-]{6}:Event:\d+$/);
    expect(text).not.toContain((info.content as { id: string }).id.slice(0, 6));
  });
});
