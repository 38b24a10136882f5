import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { UNLEASH_VERSIONS } from '../../../src/data/doctor/unleash-version.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import {
  convertToUnleash,
  createRole,
  runDoctorJson,
  runSql,
  UPGRADE_TO_7,
} from '../../testkit/attach.js';
import { cloneOverRest, outcomeOverGraphql, outcomeOverRest } from '../../testkit/clone-calls.js';
import { changesOf } from '../../testkit/clone-tables.js';
import { addCloneWorld, addFeature } from '../../testkit/clone-world.js';
import { createMigratedDatabase } from '../../testkit/database.js';
import { openEventStream } from '../../testkit/event-stream.js';

const [V6_6, V6_10, V7_6, V8_2] = UNLEASH_VERSIONS;
const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const SEARCH = '/api/admin/search/events';

type AttachedGateway = {
  url: string;
  db: Database['client'];
  gateway: Gateway;
  close(): Promise<void>;
};

/** Tables of an Unleash version, some features, and a gateway. */
const attach = async ({ lastMigration }: { lastMigration: string }): Promise<AttachedGateway> => {
  const { url, drop } = await createMigratedDatabase();
  const filling = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
  await addCloneWorld(filling.client);
  await addFeature(filling.client, {
    name: 'source',
    environments: { development: { strategies: [{ name: 'default' }] } },
  });
  await filling.close();
  await convertToUnleash(url, [lastMigration]);

  const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
  const gateway = await startGateway(database);
  return {
    url,
    db: database.client,
    gateway,
    close: async () => {
      await gateway.stop();
      await database.close();
      await drop();
    },
  };
};

const EVENT = `id typeName group { type id events { totalCount nodes { id } } }`;
const READS = `{
  events(first: 1) { nodes { ${EVENT} } }
  found: events(first: 1, filter: { text: "default" }) { nodes { ${EVENT} } }
  feature(name: "NAME") {
    events(first: 1) { nodes { ${EVENT} } }
    asOf(time: "2026-01-01T00:00:00Z") { lastEvent { ${EVENT} } nextEvent { ${EVENT} } }
    timeline(environmentName: "development") { startedBy { ${EVENT} } }
  }
  eventLog { newest { ${EVENT} } }
}`;

/** The newest event, read over every path. */
const readEverywhere = async ({ gateway }: AttachedGateway, name: string) => {
  const { data, errors } = await gateway.graphql(READS.replace('NAME', name));
  expect(errors).toBeUndefined();
  const { body, status } = await gateway.rest(`${SEARCH}?feature=IS:${name}`);
  expect(status).toBe(200);
  return {
    rest: body.events[0],
    graph: [
      data.events.nodes[0],
      data.found.nodes[0],
      data.feature.events.nodes[0],
      data.eventLog.newest,
    ],
  };
};

describe.each([V6_6, V6_10])('on tables of $version', (version) => {
  let attached: AttachedGateway;
  beforeAll(async () => {
    attached = await attach(version);
  });
  afterAll(() => attached?.close());

  test('a clone writes no group, and events have none on any path', async () => {
    expect((await cloneOverRest(attached.gateway, { source: 'source', name: 'copy' })).status).toBe(
      200,
    );
    const { rest, graph } = await readEverywhere(attached, 'copy');
    expect(Object.keys(rest)).not.toContain('groupId');
    expect(Object.keys(rest)).not.toContain('groupType');
    for (const event of graph) expect(event.group).toBeNull();
  });

  test('search by ID works', async () => {
    const { body } = await attached.gateway.rest(`${SEARCH}?id=IS:1`);
    expect(body).toMatchObject({ total: 1, events: [{ id: 1 }] });
  });

  test('a filter by group is rejected on every path instead of being ignored', async () => {
    const { status, body } = await attached.gateway.rest(`${SEARCH}?groupId=IS:x`);
    expect([status, body.name]).toEqual([400, 'BadDataError']);
    expect(body.message).toContain('records no groups');
    for (const selection of [
      'events(filter: $filter) { nodes { id } }',
      'events(filter: $filter) { totalCount }',
      'events(filter: { not: { or: [$filter] } }) { totalCountUpTo(max: 1) { count } }',
      'project(id: "shop") { events(filter: $filter) { nodes { id } } }',
      'feature(name: "source") { events(filter: $filter) { totalCount } }',
      'activity(filter: $filter) { count }',
      'project(id: "shop") { activity(filter: $filter) { count } }',
    ]) {
      const { errors } = await attached.gateway.graphql(
        `query ($filter: EventFilter!) { ${selection} }`,
        { filter: { groupId: { is: 'x' } } },
      );
      expect([selection, errors?.[0]?.extensions.code]).toEqual([selection, 'BAD_USER_INPUT']);
    }
    const stream = await openEventStream(
      attached.gateway.url,
      'subscription { events(filter: { groupId: { is: "x" } }) { node { id } } }',
    );
    expect((await stream.next())?.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    await stream.close();
  });

  test('the doctor requires no privileges on columns that the version lacks', async () => {
    const role = await createRole(attached.url);
    const { report } = await runDoctorJson(role.url);
    await role.drop();
    const grants = report.grants.join('\n');
    expect(grants).toContain('events');
    expect(grants).not.toContain('feature_link');
    expect(grants).not.toContain('group_type');
  });
});

test('an upgrade of Unleash takes effect in a running gateway at once', async () => {
  const attached = await attach(V6_6);
  const { gateway, url } = attached;
  const rejected = await gateway.rest(`${SEARCH}?groupId=IS:x`);
  expect(rejected.status).toBe(400);
  await cloneOverRest(gateway, { source: 'source', name: 'before' });
  const stream = await openEventStream(
    gateway.url,
    'subscription { events(filter: { type: { is: FEATURE_CREATED } }) { node { featureName group { id } } } }',
  );

  await runSql(url, ...UPGRADE_TO_7);
  expect((await gateway.rest(`${SEARCH}?groupId=IS:x`)).body).toEqual({ events: [], total: 0 });
  await cloneOverRest(gateway, { source: 'source', name: 'after' });
  const { rest, graph } = await readEverywhere(attached, 'after');
  expect(rest).toMatchObject({ groupType: 'transaction', groupId: expect.stringMatching(ULID) });
  for (const event of graph) expect(event.group).toMatchObject({ id: rest.groupId });
  const followed = (await stream.next())?.data.events.node;
  expect(followed).toEqual({ featureName: 'after', group: { id: rest.groupId } });
  expect((await readEverywhere(attached, 'before')).rest.groupId).toBeUndefined();

  await stream.close();
  await attached.close();
});

describe.each([V7_6, V8_2])('on tables of $version', (version) => {
  let attached: AttachedGateway;
  beforeAll(async () => {
    attached = await attach(version);
  });
  afterAll(() => attached?.close());

  const setTemplates = (project: string, templates: unknown) =>
    attached.db.$executeRaw`
      insert into project_settings (project, link_templates) values (${project}, ${JSON.stringify(templates)}::jsonb)
      on conflict (project) do update set link_templates = excluded.link_templates`;

  test('a clone writes one group, and the links of the project with their events', async () => {
    await setTemplates('shop', [
      {
        title: 'Ticket',
        urlTemplate: 'https://www.Tickets.example.co.uk/{{project}}/?f={{feature}}',
      },
      { title: null, urlTemplate: 'localhost:8080/{{feature}}' },
      { urlTemplate: 'https://wiki.example.com/{{feature}}/' },
    ]);
    const { added } = await changesOf(attached.db, async () => {
      const { status } = await cloneOverRest(attached.gateway, {
        source: 'source',
        name: 'linked',
      });
      expect(status).toBe(200);
    });

    const link = { id: expect.stringMatching(ULID), feature_name: 'linked' };
    expect(added['feature_link']).toEqual([
      {
        ...link,
        url: 'https://tickets.example.co.uk/shop?f=linked',
        title: 'Ticket',
        domain: 'example',
      },
      { ...link, url: 'https://localhost:8080/linked', title: null, domain: null },
      { ...link, url: 'https://wiki.example.com/linked', title: null, domain: 'example' },
    ]);
    expect(new Set(added['feature_link']?.map(({ id }) => id)).size).toBe(3);

    const events = await attached.db.$queryRaw<Record<string, unknown>[]>`
      select type, created_by, created_by_user_id, project, environment, data::text as data, pre_data, tags::text as tags,
        group_type, group_id from events where feature_name = 'linked' order by id`;
    const { data: _, ...created } = events[0] ?? {};
    expect(created).toMatchObject({
      type: 'feature-created',
      group_type: 'transaction',
      group_id: expect.stringMatching(ULID),
    });
    const added_ = { ...created, type: 'feature-link-added' };
    expect(events.slice(1)).toEqual([
      { ...added_, data: '{"url":"https://tickets.example.co.uk/shop?f=linked","title":"Ticket"}' },
      { ...added_, data: '{"url":"https://localhost:8080/linked","title":null}' },
      { ...added_, data: '{"url":"https://wiki.example.com/linked"}' },
      {
        ...created,
        type: 'feature-strategy-add',
        environment: 'development',
        data: expect.any(String),
      },
    ]);
    await setTemplates('shop', []);
  });

  test('the plan of a clone contains these links', async () => {
    await setTemplates('plaza', [{ title: 'Docs', urlTemplate: 'docs.example.com/{{feature}}' }]);
    const { data } = await attached.gateway.graphql(`{
      clonePlan(input: { featureName: "source", newName: "planned", targetProjectId: "plaza" }) {
        wouldSucceed copy { links { url title } }
      }
    }`);
    expect(data.clonePlan).toEqual({
      wouldSucceed: true,
      copy: { links: [{ url: 'https://docs.example.com/planned', title: 'Docs' }] },
    });
  });

  test('a template that yields no URL returns 400, and nothing is written', async () => {
    await setTemplates('bare', [{ title: 'x', urlTemplate: 'no url at {{feature}}' }]);
    const call = { source: 'source', name: 'broken', project: 'bare' };
    const { added } = await changesOf(attached.db, async () => {
      const outcome = await outcomeOverRest(attached.gateway, call);
      expect(outcome).toMatchObject({ kind: '400 BadDataError' });
      expect(outcome.message).toContain("A link template of project 'bare'");
      expect((await outcomeOverGraphql(attached.gateway, call)).message).toBe(outcome.message);
    });
    expect(added).toEqual({});
  });

  test('the doctor reports missing privileges on the newer columns', async () => {
    const role = await createRole(attached.url);
    const { report } = await runDoctorJson(role.url);
    await role.drop();
    const grants = report.grants.join('\n');
    expect(grants).toMatch(/GRANT INSERT \(.*domain\) ON feature_link /);
    expect(grants).toMatch(/GRANT SELECT \(.*group_type, group_id\) ON events /);
  });
});
