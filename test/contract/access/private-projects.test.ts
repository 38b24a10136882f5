import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AttachedGateway, attachGateway } from '../../testkit/attached-gateway.js';
import { openEventStream } from '../../testkit/event-stream.js';
import { connectGraphqlSocket } from '../../testkit/graphql-socket.js';
import { addPrivateWorld, HIDDEN_WORD, PRIVATE_TOKENS } from '../../testkit/private-world.js';
import { describeWithRows } from '../../testkit/seeded.js';

type Caller = keyof typeof PRIVATE_TOKENS;

/** After all events of the test data. */
const A_MINUTE_AGO = new Date(Date.now() - 60_000).toISOString();

/** Queries that list, count, nest or search without naming the hidden project. */
const LISTS = [
  'features { nodes { name changeRequests { title project { id } } cleanUpReasons { kind } environments { usage { yes applications { totalCount } } releasePlans { name } } } }',
  'projects { totalCount nodes { id name description features { totalCount nodes { name } } events { totalCount } activity(by: WEEK) { count } } }',
  'features { totalCount nodes { name project { id } collaborators { name } children { name } dependencies { featureName feature { name } } environments { strategies { segments { name } } } } }',
  'features(filter: { archived: null }) { totalCount totalCountUpTo(max: 10) { count } }',
  `features(filter: { text: "${HIDDEN_WORD}" }) { totalCount nodes { name } }`,
  `projects(filter: { mode: PRIVATE }) { totalCount nodes { id } }`,
  'events(first: 100) { totalCount nodes { project { id } featureName summary createdBy changes { path } } }',
  `events(filter: { text: "${HIDDEN_WORD}" }) { totalCount nodes { id } }`,
  `events(filter: { type: { is: FEATURE_CREATED } }) { totalCount totalCountUpTo(max: 10) { count } nodes { featureName } }`,
  'activity(by: WEEK) { count byType { typeName count } byAuthor { createdBy count } }',
  'cleanUp { totalCount nodes { feature { name } reasons { kind } } }',
  `feature(name: "open-one") { events { totalCount nodes { project { id } } } collaborators { name } timeline(environmentName: "production") { state from } asOf(time: "${A_MINUTE_AGO}") { project { id } environments { environmentName state } } children { name } dependencies { featureName } }`,
  'feature(name: "open-child") { dependencies { featureName feature { name } } }',
  'eventFacets { authors { totalCount nodes { createdBy createdByUserId count } } features { totalCount nodes { featureName count } } projects { totalCount nodes { projectId count } } environments { environmentName count } types { typeName count } }',
  'feature(name: "open-one") { activity(by: WEEK) { count byAuthor { createdByUserId } } cleanUpReasons { kind since } children { name } }',
  'segments { totalCount nodes { name strategies { totalCount nodes { featureName } } } }',
  'users(search: "person") { nodes { id events { totalCount nodes { featureName projectId } } } }',
];

/** Queries for one object by its key, with a hidden key; `absent` replaces it for comparison. */
const KEYS: [what: string, hidden: string, query: (key: string) => string][] = [
  ['a project', 'vault', (key) => `project(id: "${key}") { id }`],
  ['a health report', 'vault', (key) => `projectHealthReport(projectId: "${key}") { version }`],
  ['a feature', 'vault-one', (key) => `feature(name: "${key}") { name }`],
  ['an archived feature', 'vault-archived', (key) => `feature(name: "${key}") { name }`],
  [
    'an entity',
    'vault-one',
    (key) =>
      `_entities(representations: [{ __typename: "Feature", name: "${key}" }, { __typename: "Project", id: "${key}" }]) { __typename }`,
  ],
  [
    'events by project',
    'vault',
    (key) =>
      `events(filter: { projectId: { is: "${key}" } }) { totalCount nodes { id } edges { cursor } }`,
  ],
  [
    'events by feature',
    'vault-one',
    (key) => `events(filter: { featureName: { is: "${key}" } }) { totalCount nodes { id } }`,
  ],
  [
    'events by another condition',
    'vault',
    (key) => `events(filter: { not: { projectId: { noneOf: ["${key}"] } } }) { totalCount }`,
  ],
  [
    'features by project',
    'vault',
    (key) => `features(filter: { projectId: { is: "${key}" } }) { totalCount nodes { name } }`,
  ],
  [
    'activity',
    'vault',
    (key) => `activity(by: WEEK, filter: { projectId: { is: "${key}" } }) { count }`,
  ],
  ['clean-up', 'vault', (key) => `cleanUp(filter: { projectId: { is: "${key}" } }) { totalCount }`],
];

const planOf = (source: string, target: string, name = 'free-name') =>
  `{ clonePlan(input: { featureName: "${source}", newName: "${name}", targetProjectId: "${target}" }) {
    wouldSucceed targetProjectId targetProject { id } refusals { __typename name message } notCopied { aspect }
    copy { environments { environmentName inProject } } } }`;

const withoutIds = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (key, item) => (key === 'id' ? undefined : item)));

describeWithRows(
  'private projects',
  addPrivateWorld,
  ({ gateway, database }) => {
    const as = (caller: Caller) => ({ token: PRIVATE_TOKENS[caller] });
    const runQuery = (query: string, caller: Caller) => gateway().graphql(query, {}, as(caller));

    test.each(LISTS)('are absent from { %s } for a Viewer', async (query) => {
      const { data, errors } = await runQuery(`{ ${query} }`, 'viewer');
      expect(errors).toBeUndefined();
      expect(JSON.stringify(data)).not.toContain(HIDDEN_WORD);
      const full = await gateway().graphql(`{ ${query} }`);
      expect(full.errors).toBeUndefined();
      expect(data).not.toEqual(full.data);
    });

    describe.each(KEYS)('%s of a private project', (_title, hidden, query) => {
      const responseFor = async (key: string, caller: Caller) => {
        const { status, data, errors } = await runQuery(`{ ${query(key)} }`, caller);
        const text = JSON.stringify(withoutIds({ status, data, errors }));
        return text.replaceAll(key, 'KEY').replaceAll(/"cursor":"[^"]*"/g, '"cursor":""');
      };

      test('is indistinguishable from an absent one for a Viewer', async () => {
        expect(await responseFor(hidden, 'viewer')).toBe(await responseFor('absent', 'viewer'));
      });

      test.each(['member', 'groupMember', 'editor', 'noRole'] as const)(
        'is visible to a caller of the kind %s',
        async (caller) => {
          expect(await responseFor(hidden, caller)).not.toBe(await responseFor('absent', caller));
        },
      );
    });

    test('are absent by node IDs', async () => {
      const { data } = await gateway().graphql(
        '{ project(id: "vault") { nodeId } feature(name: "vault-one") { nodeId events { nodes { nodeId id } } } }',
      );
      const events = data.feature.events.nodes as { nodeId: string; id: number }[];
      expect(events).toHaveLength(2);
      const ids = [data.project.nodeId, data.feature.nodeId, ...events.map(({ nodeId }) => nodeId)];
      const found = await gateway().graphql(
        'query ($ids: [ID!]!, $one: ID!) { nodes(ids: $ids) { nodeId } node(id: $one) { nodeId } }',
        { ids, one: ids[0] },
        as('viewer'),
      );
      expect(found.data).toEqual({ nodes: ids.map(() => null), node: null });
      const event = await runQuery(`{ event(id: ${events[0]?.id}) { id } }`, 'viewer');
      expect(event.data.event).toBeNull();
    });

    test('are absent from REST search, with an empty page when no visible project is left', async () => {
      const search = async (query: string) => {
        const { status, body, text } = await gateway().rest(`/api/admin/search/events?${query}`, {
          ...as('viewer'),
        });
        expect(status).toBe(200);
        expect(text).not.toContain(HIDDEN_WORD);
        return body.total;
      };
      expect(await search('')).toBe(2);
      expect(await search('project=IS:vault')).toBe(0);
      expect(await search('project=IS_ANY_OF:vault,open')).toBe(2);
      expect(await search('project=IS:vault-that-is-gone')).toBe(0);
      expect(await search('feature=IS:vault-one')).toBe(0);
      expect(await search(`query=${HIDDEN_WORD}`)).toBe(0);
      expect(await search('createdBy=IS:29')).toBe(0);
    });

    test('are absent from exports, and their names count as unknown', async () => {
      const request = (path: string, caller: Caller) =>
        gateway().rest(`/export/events.${path}`, as(caller));
      for (const path of ['ndjson', 'csv', 'ndjson?project=open', 'csv?environment=production']) {
        const { status, text } = await request(path, 'viewer');
        expect([path, status]).toEqual([path, 200]);
        expect(text).toContain('open-one');
        expect(text).not.toContain(HIDDEN_WORD);
        if (!path.includes('project')) {
          expect((await request(path, 'member')).text).toContain('vault-one');
        }
      }
      for (const [parameter, hidden] of [
        ['project', 'vault'],
        ['project', 'vault-that-is-gone'],
        ['feature', 'vault-one'],
      ]) {
        const one = await request(`ndjson?${parameter}=${hidden}`, 'viewer');
        const other = await request(`ndjson?${parameter}=absent`, 'viewer');
        const plain = (body: object) =>
          JSON.stringify(withoutIds(body)).replaceAll(/'(?:vault[a-z-]*|absent)'/g, 'KEY');
        expect([one.status, plain(one.body)]).toEqual([400, plain(other.body)]);
        expect((await request(`ndjson?${parameter}=${hidden}`, 'editor')).status).toBe(200);
      }
    });

    test('are absent from REST health reports, their own and those of other projects', async () => {
      const report = (id: string, caller: Caller) =>
        gateway().rest(`/api/admin/projects/${id}/health-report`, as(caller));
      const [hidden, absent] = [await report('vault', 'viewer'), await report('absent', 'viewer')];
      expect(hidden.status).toBe(404);
      expect(JSON.stringify(withoutIds(hidden.body)).replaceAll('vault', 'absent')).toBe(
        JSON.stringify(withoutIds(absent.body)),
      );
      const open = await report('open', 'viewer');
      expect(open.status).toBe(200);
      expect(open.text).not.toContain(HIDDEN_WORD);
      expect((await report('open', 'editor')).text).toContain('vault-child');
      expect((await report('vault', 'member')).status).toBe(200);
    });

    test('are neither source nor target of a clone', async () => {
      const clone = (project: string, feature: string, name: string) =>
        gateway().rest(`/api/admin/projects/${project}/features/${feature}/clone`, {
          ...as('creator'),
          body: { name },
        });
      const compare = async (hidden: [string, string], absent: [string, string]) => {
        const one = await clone(...hidden, 'a-copy');
        const other = await clone(...absent, 'a-copy');
        const plain = (body: object) =>
          JSON.stringify(withoutIds(body)).replaceAll(/vault-one|vault|absent/g, 'KEY');
        expect([one.status, plain(one.body)]).toEqual([other.status, plain(other.body)]);
        expect(one.status).toBe(404);
        const plan = async ([project, feature]: [string, string]) =>
          JSON.stringify(
            withoutIds((await runQuery(planOf(feature, project), 'creator')).data),
          ).replaceAll(/vault-one|vault|absent/g, 'KEY');
        expect(await plan(hidden)).toBe(await plan(absent));
      };
      await compare(['open', 'vault-one'], ['open', 'absent']);
      await compare(['vault', 'open-one'], ['absent', 'open-one']);
      const ownProject = await runQuery(
        'mutation { cloneFeature(input: { featureName: "vault-one", newName: "b-copy" }) { __typename ... on Error { name } } }',
        'creator',
      );
      const response = JSON.stringify([ownProject.data, ownProject.errors]);
      expect(response).toContain('NotFoundError');
      expect((await clone('open', 'open-plain', 'c-copy')).status).toBe(200);
      expect(
        await database().client.feature.count({ where: { name: { endsWith: '-copy' } } }),
      ).toBe(1);
    });

    test('are absent from the projects in which a caller has a permission', async () => {
      const { data: permitted } = await runQuery(
        '{ projects(filter: { viewerCan: CREATE_FEATURE }) { totalCount nodes { id } } }',
        'creator',
      );
      expect(JSON.stringify(permitted)).not.toContain('vault');
      expect(permitted.projects.totalCount).toBe(permitted.projects.nodes.length);
      expect(permitted.projects.nodes).toContainEqual({ id: 'open' });
      const { data } = await runQuery(
        '{ project(id: "vault") { viewerCan { createFeature } } }',
        'creator',
      );
      expect(data.project).toBeNull();
    });

    test('do not reveal their names in plans of callers that may not create features', async () => {
      const planAsViewer = async (name: string, source = 'open-one') => {
        const { data } = await runQuery(planOf(source, 'open', name), 'viewer');
        return JSON.stringify(withoutIds(data)).replaceAll(name, 'NAME');
      };
      for (const source of ['open-one', 'absent']) {
        expect(await planAsViewer('vault-one', source)).toBe(
          await planAsViewer('free-name-2', source),
        );
      }
      expect(await planAsViewer('open-child')).toContain('NameExistsError');
    });

    test('are not named as parents or counted as children in a clone', async () => {
      const plan = await runQuery(planOf('open-child', 'open'), 'creator');
      expect(JSON.stringify(plan.data)).not.toContain(HIDDEN_WORD);
      expect(plan.data.clonePlan.wouldSucceed).toBe(false);
      const rest = await gateway().rest('/api/admin/projects/open/features/open-child/clone', {
        ...as('creator'),
        body: { name: 'child-copy-2' },
      });
      expect(rest.status).toBeGreaterThanOrEqual(400);
      expect(rest.text).not.toContain(HIDDEN_WORD);
      const parent = await runQuery(planOf('open-one', 'open'), 'creator');
      expect(JSON.stringify(parent.data)).not.toContain('CHILDREN');
    });

    test('do not reveal whether a taken name is archived', async () => {
      const { data } = await runQuery(planOf('open-one', 'open', 'vault-archived'), 'creator');
      const [refusal] = data.clonePlan.refusals;
      expect(refusal.name).toBe('NameExistsError');
      expect(refusal.message).not.toContain('archived feature');
    });

    test('send no events to subscriptions', async () => {
      const { client } = database();
      const stream = await openEventStream(
        gateway().url,
        'subscription { events { node { project { id } typeName } } }',
        {},
        as('viewer'),
      );
      for (const projectId of ['vault', 'open']) {
        await client.event.create({
          data: { type: 'project-updated', createdBy: 'ada', projectId },
        });
      }
      expect((await stream.next())?.data.events.node.project.id).toBe('open');
      await stream.close();
    });

    test('send no events to subscriptions over a WebSocket', async () => {
      const { client } = database();
      const socket = await connectGraphqlSocket(gateway().url, { init: as('viewer') });
      socket.subscribe('1', 'subscription { events { node { project { id } typeName } } }');
      await expect
        .poll(async () => (await gateway().rest('/metrics')).text)
        .toMatch(/^flaggraph_live_streams 1$/m);
      for (const projectId of ['vault', 'open']) {
        await client.event.create({
          data: { type: 'project-updated', createdBy: 'ada', projectId },
        });
      }
      expect((await socket.next())?.payload.data.events.node.project.id).toBe('open');
      socket.subscribe('2', '{ project(id: "vault") { id } }');
      expect((await socket.next())?.payload.data.project).toBeNull();
      socket.close();
    });

    test('appear and disappear with the membership, on the next request', async () => {
      const { client } = database();
      const isVisible = async () =>
        (await runQuery('{ project(id: "vault") { id } events { totalCount } }', 'viewer')).data;
      const before = await isVisible();
      expect(before.project).toBeNull();
      const role = await client.role.findFirstOrThrow({ where: { name: 'Member' } });
      const row = { userId: 21, roleId: role.id, projectId: 'vault' };
      await client.roleUser.create({ data: row });
      const during = await isVisible();
      expect(during.project).toEqual({ id: 'vault' });
      expect(during.events.totalCount).toBeGreaterThan(before.events.totalCount);
      await client.roleUser.deleteMany({ where: row });
      expect(await isVisible()).toEqual(before);
    });

    test('become visible to Viewers when their mode becomes open', async () => {
      const { client } = database();
      const mode = (to: string) =>
        client.projectSettings.update({ where: { projectId: 'vault' }, data: { mode: to } });
      for (const open of ['protected', 'open']) {
        await mode(open);
        expect(
          (await runQuery('{ project(id: "vault") { id } }', 'viewer')).data.project,
        ).not.toBeNull();
      }
      await mode('private');
      expect((await runQuery('{ project(id: "vault") { id } }', 'viewer')).data.project).toBeNull();
    });
  },
  { FEDERATION: 'on' },
);

describe.each([
  ['6.6', null],
  ['6.10', null],
  ['7.6', { id: 'vault' }],
  ['8.2', { id: 'vault' }],
] as const)('on a database of Unleash %s', (version, project) => {
  let attached: AttachedGateway;
  beforeAll(async () => {
    attached = await attachGateway(addPrivateWorld, { version });
  });
  afterAll(() => attached.close());

  test('a Viewer in a group with the root role Editor is limited before 7.x only', async () => {
    const token = PRIVATE_TOKENS.lifted;
    const { data } = await attached.gateway.graphql(
      '{ project(id: "vault") { id } }',
      {},
      { token },
    );
    expect(data.project).toEqual(project);
  });
});
