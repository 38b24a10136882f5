import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/data/connect.js';
import type { PrismaClient } from '../../src/data/db.js';
import { DEMO_TOKENS } from '../../src/demo/tokens.js';
import type { ErrorName } from '../../src/domain/errors.js';
import { expectErrorBody, expectNoInsides } from '../testkit/answers.js';
import { type Gateway, startGateway } from '../testkit/app.js';
import { cloneBy } from '../testkit/clones.js';
import { createMigratedDatabase, embeddedTemplate } from '../testkit/database.js';
import { startDatabaseProxy } from '../testkit/database-proxy.js';
import { rawRequest } from '../testkit/raw-request.js';
import { addAdminToken, addUser, describeSeededOnBothDatabases } from '../testkit/seeded.js';

const seed = async (client: PrismaClient) => {
  await addUser(client, { id: 7, username: 'newcomer' });
  await client.project.createMany({
    data: ['named', 'full', 'guarded', 'closed'].map((id) => ({
      id,
      name: id,
      archivedAt: id === 'closed' ? new Date('2024-01-01T00:00:00Z') : null,
    })),
  });
  await client.projectEnvironment.createMany({
    data: ['named', 'full', 'guarded'].map((projectId) => ({
      projectId,
      environmentName: 'development',
    })),
  });
  await client.projectSettings.createMany({
    data: [
      { projectId: 'named', featureNamingPattern: 'x-.+', featureNamingExample: 'x-ray' },
      { projectId: 'full', featureLimit: 1 },
    ],
  });
  await client.changeRequestSetting.create({
    data: { projectId: 'guarded', environmentName: 'development' },
  });
  await client.feature.createMany({
    data: [
      { name: 'plain', projectId: 'default', type: 'release', stale: false },
      { name: 'parent', projectId: 'default', type: 'release', stale: false },
      { name: 'child', projectId: 'default', type: 'release', stale: false },
      { name: 'occupant', projectId: 'full', type: 'release', stale: false },
      { name: 'without-type', projectId: 'default', type: null, stale: false },
      {
        name: 'resting',
        projectId: 'default',
        type: 'release',
        stale: false,
        archivedAt: new Date('2024-01-01T00:00:00Z'),
      },
    ],
  });
  await client.featureEnvironment.create({
    data: { featureName: 'plain', environmentName: 'development', enabled: true },
  });
  await client.dependency.create({ data: { parentName: 'parent', childName: 'child' } });
  await client.integration.create({ data: { id: 1, provider: 'webhook' } });
};

const SEARCH = '/api/admin/search/events';
const REPORT = 'query ($id: String!) { projectHealthReport(projectId: $id) { name } }';
const DELIVERIES = 'query ($id: Int!) { integrationEvents(integrationId: $id) { nodes { id } } }';

/** Failures that are the same whichever transport meets them. */
const READ_FAILURES: {
  failure: string;
  name: ErrorName;
  status: number;
  code: string;
  rest: (gateway: Gateway) => ReturnType<Gateway['rest']>;
  graphql: (gateway: Gateway) => ReturnType<Gateway['graphql']>;
}[] = [
  {
    failure: 'a call without a token',
    name: 'AuthenticationRequired',
    status: 401,
    code: 'UNAUTHENTICATED',
    rest: (gateway) => gateway.rest(SEARCH, { token: null }),
    graphql: (gateway) => gateway.graphql('{ viewer { name } }', {}, { token: null }),
  },
  {
    failure: 'a call with a worthless token',
    name: 'AuthenticationRequired',
    status: 401,
    code: 'UNAUTHENTICATED',
    rest: (gateway) => gateway.rest(SEARCH, { token: 'user:worthless' }),
    graphql: (gateway) => gateway.graphql('{ viewer { name } }', {}, { token: 'user:worthless' }),
  },
  {
    failure: 'a delivery list without ADMIN',
    name: 'NoAccessError',
    status: 403,
    code: 'FORBIDDEN',
    rest: (gateway) => gateway.rest('/api/admin/addons/1/events', { token: 'user:token-of-7' }),
    graphql: (gateway) => gateway.graphql(DELIVERIES, { id: 1 }, { token: 'user:token-of-7' }),
  },
  {
    failure: 'a project that does not exist',
    name: 'NotFoundError',
    status: 404,
    code: 'NOT_FOUND',
    rest: (gateway) => gateway.rest('/api/admin/projects/nowhere/health-report'),
    graphql: (gateway) => gateway.graphql(REPORT, { id: 'nowhere' }),
  },
  {
    failure: 'a project in another letter case',
    name: 'NotFoundError',
    status: 404,
    code: 'NOT_FOUND',
    rest: (gateway) => gateway.rest('/api/admin/projects/DEFAULT/health-report'),
    graphql: (gateway) => gateway.graphql(REPORT, { id: 'DEFAULT' }),
  },
  {
    failure: 'an integration that does not exist',
    name: 'NotFoundError',
    status: 404,
    code: 'NOT_FOUND',
    rest: (gateway) => gateway.rest('/api/admin/addons/99/events'),
    graphql: (gateway) => gateway.graphql(DELIVERIES, { id: 99 }),
  },
  {
    failure: 'a text that cannot be stored',
    name: 'BadDataError',
    status: 400,
    code: 'BAD_USER_INPUT',
    rest: (gateway) => gateway.rest(`${SEARCH}?query=a%00b`),
    graphql: (gateway) =>
      gateway.graphql('query ($text: String) { events(filter: { text: $text }) { totalCount } }', {
        text: 'a\0b',
      }),
  },
];

/** Failures of a clone: an error body in REST, a member of the result union or an error in GraphQL. */
const CLONE_FAILURES: {
  failure: string;
  name: ErrorName;
  status: number;
  order: { feature: string; name: string; into: string };
  says: RegExp;
}[] = [
  {
    failure: 'a source that does not exist',
    name: 'NotFoundError',
    status: 404,
    order: { feature: 'nothing', name: 'copy', into: 'default' },
    says: /'nothing' does not exist/,
  },
  {
    failure: 'an archived source',
    name: 'NotFoundError',
    status: 404,
    order: { feature: 'resting', name: 'copy', into: 'default' },
    says: /'resting'/,
  },
  {
    failure: 'a target that does not exist',
    name: 'NotFoundError',
    status: 404,
    order: { feature: 'plain', name: 'copy', into: 'nowhere' },
    says: /'nowhere'/,
  },
  {
    failure: 'an archived target',
    name: 'NotFoundError',
    status: 404,
    order: { feature: 'plain', name: 'copy', into: 'closed' },
    says: /'closed'/,
  },
  {
    failure: 'a name in use',
    name: 'NameExistsError',
    status: 409,
    order: { feature: 'plain', name: 'parent', into: 'default' },
    says: /'parent' already belongs to another feature/,
  },
  {
    failure: 'the name of an archived feature',
    name: 'NameExistsError',
    status: 409,
    order: { feature: 'plain', name: 'resting', into: 'default' },
    says: /archived/,
  },
  {
    failure: 'an impossible name',
    name: 'BadDataError',
    status: 400,
    order: { feature: 'plain', name: 'two words', into: 'default' },
    says: /two words/,
  },
  {
    failure: 'a name that misses the pattern of the project',
    name: 'PatternError',
    status: 400,
    order: { feature: 'plain', name: 'copy', into: 'named' },
    says: /x-\.\+.*x-ray/s,
  },
  {
    failure: 'a full project',
    name: 'InvalidOperationError',
    status: 403,
    order: { feature: 'plain', name: 'copy', into: 'full' },
    says: /'full' already holds the 1/,
  },
  {
    failure: 'a parent in another project',
    name: 'InvalidOperationError',
    status: 403,
    order: { feature: 'child', name: 'x-copy', into: 'named' },
    says: /'parent' of project 'default'/,
  },
  {
    failure: 'a project with change requests',
    name: 'ForbiddenError',
    status: 403,
    order: { feature: 'plain', name: 'copy', into: 'guarded' },
    says: /'guarded'/,
  },
  {
    failure: 'a source without a type',
    name: 'BadDataError',
    status: 400,
    order: { feature: 'without-type', name: 'copy', into: 'default' },
    says: /'without-type' has no value for 'type'/,
  },
];

describeSeededOnBothDatabases('errors', seed, ({ gateway, database }) => {
  test.each(READ_FAILURES)('$failure: $name', async ({ name, status, code, rest, graphql }) => {
    const one = await rest(gateway());
    expect(one.status).toBe(status);
    expect(one.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expectErrorBody(one.body, name);
    expectNoInsides(one.text);

    const other = await graphql(gateway());
    expect(other.status).toBe(status);
    expect(other.data ?? null).toBeNull();
    expect(other.errors).toHaveLength(1);
    const { message, extensions } = other.errors?.[0] ?? {};
    expect(extensions).toMatchObject({ code, name });
    expect(extensions.id).not.toBe(one.body.id);
    expectErrorBody({ id: extensions.id, name, message, details: [{ message }] }, name);
  });

  test.each(CLONE_FAILURES)('$failure: $name', async ({ name, status, order, says }) => {
    const { client } = database();
    const before = [await client.feature.count(), await client.event.count()];

    const rest = await gateway().rest(
      `/api/admin/projects/${order.into}/features/${order.feature}/clone`,
      { body: { name: order.name } },
    );
    expect(rest.status).toBe(status);
    expectErrorBody(rest.body, name);
    expect(rest.body.message).toMatch(says);

    const graphql = await cloneBy('GraphQL', gateway(), order);
    expect(graphql).toMatchObject({ verdict: name, status: 200, message: rest.body.message });
    expect([await client.feature.count(), await client.event.count()]).toEqual(before);
  });

  test('the refusals of a clone carry what a caller needs to go on', async () => {
    const mutation = `mutation ($input: CloneFeatureInput!) { cloneFeature(input: $input) {
      __typename
      ... on NamingPatternError { pattern example description }
      ... on FeatureLimitError { limit project }
      ... on NotFoundError { resource key }
      ... on NameExistsError { archived }
      ... on CloneRefusedError { details }
    } }`;
    const refusal = async (feature: string, name: string, targetProject: string) =>
      (await gateway().graphql(mutation, { input: { feature, name, targetProject } })).data
        .cloneFeature;
    expect(await refusal('plain', 'copy', 'named')).toEqual({
      __typename: 'NamingPatternError',
      pattern: 'x-.+',
      example: 'x-ray',
      description: null,
    });
    expect(await refusal('plain', 'copy', 'full')).toEqual({
      __typename: 'FeatureLimitError',
      limit: 1,
      project: 'full',
    });
    expect(await refusal('without-type', 'copy', 'default')).toEqual({
      __typename: 'CloneRefusedError',
      details: ["Feature 'without-type' has no value for 'type'."],
    });
    for (const [name, archived] of [
      ['parent', false],
      ['resting', true],
    ] as const) {
      expect(await refusal('plain', name, 'default')).toEqual({
        __typename: 'NameExistsError',
        archived,
      });
    }
    expect((await refusal('plain', 'two words', 'default')).__typename).toBe('InvalidNameError');
    for (const [feature, project, resource, key] of [
      ['nothing', 'default', 'Feature', 'nothing'],
      ['resting', 'default', 'Feature', 'resting'],
      ['plain', 'nowhere', 'Project', 'nowhere'],
      ['plain', 'closed', 'Project', 'closed'],
    ] as const) {
      expect(await refusal(feature, 'copy', project)).toEqual({
        __typename: 'NotFoundError',
        resource,
        key,
      });
    }
  });

  test('a full installation: ExceedsLimitError', async () => {
    const small = await startGateway(database(), { UNLEASH_FEATURE_FLAGS_LIMIT: '2' });
    const order = { feature: 'plain', name: 'copy', into: 'default' };
    const outcomes = [await cloneBy('REST', small, order), await cloneBy('GraphQL', small, order)];
    await small.stop();
    expect(outcomes.map(({ verdict }) => verdict)).toEqual([
      'ExceedsLimitError',
      'ExceedsLimitError',
    ]);
    expect(outcomes[0]).toMatchObject({ status: 400, message: outcomes[1]?.message });
    expect(outcomes[0]?.message).toMatch(/\b2\b/);
  });

  describe('addresses', () => {
    test.each([
      ['GET', '/'],
      ['GET', '/nothing'],
      ['GET', '/api/admin'],
      ['GET', '/api/admin/search'],
      ['GET', '/api/admin/projects/default'],
      ['GET', '/api/admin/projects/default/features/plain/clone'],
      ['POST', SEARCH],
      ['PUT', SEARCH],
      ['DELETE', '/api/admin/addons/1/events'],
      ['PATCH', '/api/admin/projects/default/health-report'],
    ])('%s %s is not served: NotFoundError', async (method, path) => {
      const { status, body } = await gateway().rest(path, { method });
      expect(status).toBe(404);
      expectErrorBody(body, 'NotFoundError');
      expect(body.message).toContain(`${method} ${path}`);
    });

    test('the query string is not repeated', async () => {
      const { text } = await gateway().rest('/nothing?token=hush');
      expect(text).not.toContain('hush');
    });

    test.each(['PUT', 'DELETE', 'PATCH'])('%s /graphql is not allowed', async (method) => {
      const { status, headers } = await gateway().rest('/graphql', { method });
      expect([status, headers.get('allow')]).toEqual([405, 'GET, POST']);
    });
  });

  describe('ContentTypeerror', () => {
    const TYPES = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
    ];
    test.each([...TYPES, 'application/json; charset=klingon'])(
      'for a clone sent as %s',
      async (type) => {
        const { status, body } = await gateway().rest(
          '/api/admin/projects/default/features/plain/clone',
          { rawBody: '{"name":"copy"}', headers: { 'content-type': type } },
        );
        expect(status).toBe(415);
        expectErrorBody(body, 'ContentTypeerror');
      },
    );

    test.each(TYPES)('for a GraphQL operation sent as %s', async (type) => {
      const { status, body } = await gateway().rest('/graphql', {
        rawBody: '{"query":"{ viewer { name } }"}',
        headers: { 'content-type': type },
      });
      expect(status).toBe(415);
      expect(body.errors[0].extensions).toMatchObject({
        code: 'UNSUPPORTED_MEDIA_TYPE',
        name: 'ContentTypeerror',
      });
    });

    test('for a clone without any content type', async () => {
      const { status, body } = await rawRequest(gateway().url, {
        path: '/api/admin/projects/default/features/plain/clone',
        method: 'POST',
        headers: { authorization: DEMO_TOKENS.admin },
      });
      expect(status).toBe(415);
      expectErrorBody(JSON.parse(body.toString()), 'ContentTypeerror');
    });
  });

  test('a body over the limit: PayloadTooLargeError, and nothing is written', async () => {
    const rest = await gateway().rest('/api/admin/projects/default/features/plain/clone', {
      body: { name: 'copy', more: 'x'.repeat(102_400) },
    });
    expect(rest.status).toBe(413);
    expectErrorBody(rest.body, 'PayloadTooLargeError');
    const query = `{ viewer { name } } # ${'x'.repeat(1_048_576)}`;
    const graphql = await gateway().graphql(query);
    expect(graphql.status).toBe(413);
    expect(graphql.errors?.[0].extensions).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      name: 'PayloadTooLargeError',
    });
  });

  describe('in maintenance mode', () => {
    const during = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      const { client } = database();
      const name = 'maintenance.mode';
      await client.setting.create({ data: { name, content: { enabled: true } } });
      try {
        return await work();
      } finally {
        await client.setting.delete({ where: { name } });
      }
    };

    test('nothing is cloned, and the reason is the same in both transports', async () => {
      const order = { feature: 'plain', name: 'during-maintenance', into: 'default' };
      const [rest, graphql] = await during(async () => [
        await cloneBy('REST', gateway(), order),
        await cloneBy('GraphQL', gateway(), order),
      ]);
      expect(rest).toMatchObject({ status: 503, verdict: 'MaintenanceModeError' });
      expect(graphql).toMatchObject({ status: 503, verdict: 'MaintenanceModeError' });
      expect(graphql?.message).toBe(rest?.message);
      const written = { where: { name: order.name } };
      expect(await database().client.feature.findUnique(written)).toBeNull();
    });

    test('it is told before a missing permission, and after a missing token', async () => {
      const path = '/api/admin/projects/default/features/plain/clone';
      await during(async () => {
        const body = { name: 'copy' };
        const poor = await gateway().rest(path, { body, token: 'user:token-of-7' });
        expect(poor.body.name).toBe('MaintenanceModeError');
        const nobody = await gateway().rest(path, { body, token: null });
        expect(nobody.body.name).toBe('AuthenticationRequired');
      });
    });

    test('reading goes on', async () => {
      await during(async () => {
        expect((await gateway().rest(SEARCH)).status).toBe(200);
        expect((await gateway().graphql('{ events { totalCount } }')).errors).toBeUndefined();
      });
    });

    test('a setting of any other shape means nothing', async () => {
      const { client } = database();
      for (const [index, content] of [{ enabled: 'true' }, [true], 'on', {}].entries()) {
        await client.setting.upsert({
          where: { name: 'maintenance.mode' },
          create: { name: 'maintenance.mode', content },
          update: { content },
        });
        const order = { feature: 'plain', name: `no-maintenance-${index}`, into: 'default' };
        expect((await cloneBy('REST', gateway(), order)).verdict).toBe('ok');
      }
      await client.setting.delete({ where: { name: 'maintenance.mode' } });
    });
  });

  test('a bug is told by an id that is also in the log, and by nothing else', async () => {
    const { client } = database();
    await client.$executeRaw`alter table events rename to events_kept`;
    const rest = await gateway().rest(SEARCH);
    const graphql = await gateway().rest('/graphql', {
      body: { query: '{ events { totalCount } viewer { name } }' },
    });
    await client.$executeRaw`alter table events_kept rename to events`;

    expect(rest.status).toBe(500);
    expectErrorBody(rest.body, 'UnknownError');
    expectNoInsides(rest.text, 'events');
    expect(graphql.status).toBe(500);
    const [error] = graphql.body.errors;
    expect(error.extensions).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', name: 'UnknownError' });
    expect(Object.keys(error.extensions).sort()).toEqual(['code', 'id', 'name']);
    expect(error.message).toBe(rest.body.message);
    expectNoInsides(JSON.stringify(error.message));

    for (const id of [rest.body.id, error.extensions.id]) {
      const lines = gateway().log.filter((line) => line.includes(id));
      expect(lines).toHaveLength(1);
      const { level, err } = JSON.parse(lines[0] ?? '');
      expect(level).toBe(50);
      expect(JSON.stringify(err)).toMatch(/events/);
    }
    expect((await gateway().rest(SEARCH)).status).toBe(200);
  });

  test('what the caller did wrong is no news for the log', async () => {
    const { log } = gateway();
    log.length = 0;
    await gateway().rest('/api/admin/projects/nowhere/health-report');
    await gateway().graphql(REPORT, { id: 'nowhere' });
    const lines = () => log.map((line) => JSON.parse(line));
    await expect.poll(() => lines().filter(({ status }) => status === 404)).toHaveLength(2);
    expect(lines().map(({ level }) => level)).toEqual([30, 30]);
  });
});

const WAITING = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

describe('when the database', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  type Options = Partial<DatabaseOptions>;

  const start = async (
    options: Options,
    settings: Record<string, string> = {},
    through: (url: string) => Promise<string> = async (url) => url,
  ) => {
    const { url, drop } = await createMigratedDatabase();
    cleanUps.push(drop);
    const database: Database = await openDatabase({
      dataDir: 'memory://',
      databaseUrl: await through(url),
      ...options,
    });
    cleanUps.push(database.close);
    await addAdminToken(database.client);
    const gateway = await startGateway(database, settings);
    cleanUps.push(gateway.stop);
    return { gateway, database, url };
  };

  /** Makes everybody wait who wants to read events. */
  const lockEvents = async (url: string) => {
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    cleanUps.push(() => holder.end());
    await holder.query('begin');
    await holder.query('lock table events in access exclusive mode');
    return () => holder.query('rollback');
  };

  /** Resolves when so many sessions of this database wait for a lock; answers a client to look on with. */
  const waitingFor = async (url: string, count: number) => {
    const watcher = new pg.Client({ connectionString: url });
    await watcher.connect();
    cleanUps.push(() => watcher.end());
    const waiting = async () => (await watcher.query(`select pid ${WAITING}`)).rowCount;
    await expect.poll(waiting).toBe(count);
    return watcher;
  };

  const search = (gateway: Gateway) => gateway.rest(SEARCH);
  const events = (gateway: Gateway) => gateway.graphql('{ events { nodes { id } } }');

  test('takes too long for a statement, both transports say so: TimeoutError', async () => {
    const { gateway, url } = await start({ statementTimeoutMs: 1_000 });
    const unlock = await lockEvents(url);
    const [rest, graphql] = await Promise.all([search(gateway), events(gateway)]);
    expect(rest.status).toBe(504);
    expectErrorBody(rest.body, 'TimeoutError');
    expectNoInsides(rest.text);
    expect(rest.body.message).toMatch(/too long/);
    expect(graphql.status).toBe(504);
    expect(graphql.errors?.[0]).toMatchObject({
      message: rest.body.message,
      extensions: { code: 'TIMEOUT', name: 'TimeoutError' },
    });
    const warned = gateway.log.filter((line) => line.includes(rest.body.id));
    expect(warned).toHaveLength(1);

    await unlock();
    expect((await search(gateway)).status).toBe(200);
  });

  test('takes too long for a request, both transports give up: TimeoutError', async () => {
    const { gateway, url } = await start({}, { REQUEST_TIMEOUT_MS: '2000' });
    const unlock = await lockEvents(url);
    const [rest, graphql] = await Promise.all([search(gateway), events(gateway)]);
    expect([rest.status, rest.body.name]).toEqual([504, 'TimeoutError']);
    expect(rest.body.message).toMatch(/2000 ms/);
    expect([graphql.status, graphql.errors?.[0].extensions.code]).toEqual([504, 'TIMEOUT']);
    await unlock();
    expect((await search(gateway)).status).toBe(200);
  });

  test('has no connection free, both transports say when to come back: OverloadedError', async () => {
    const { gateway, url } = await start({ poolSize: 1 });
    const unlock = await lockEvents(url);
    const holding = search(gateway);
    await waitingFor(url, 1);

    const [rest, graphql] = await Promise.all([search(gateway), events(gateway)]);
    expect(rest.status).toBe(503);
    expect(Number(rest.headers.get('retry-after'))).toBeGreaterThan(0);
    expectErrorBody(rest.body, 'OverloadedError');
    expectNoInsides(rest.text);
    expect(graphql.status).toBe(503);
    expect(Number(graphql.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(graphql.errors?.[0].extensions.code).toBe('OVERLOADED');

    await unlock();
    expect((await holding).status).toBe(200);
    expect((await search(gateway)).status).toBe(200);
  });

  test('ends a session in the middle of its work, both transports say when to come back', async () => {
    const { gateway, url } = await start({});
    const unlock = await lockEvents(url);
    const byGet = gateway.rest(
      `/graphql?query=${encodeURIComponent('{ events { nodes { id } } }')}`,
    );
    const answers = Promise.all([search(gateway), events(gateway), byGet]);
    const watcher = await waitingFor(url, 3);
    await watcher.query(`select pg_terminate_backend(pid) ${WAITING}`);
    const [rest, graphql, get] = await answers;
    await unlock();

    expect([rest.status, rest.body.name]).toEqual([503, 'OverloadedError']);
    expect([graphql.status, graphql.errors?.[0].extensions.code]).toEqual([503, 'OVERLOADED']);
    expect([get.status, get.body.errors[0].extensions.code]).toEqual([503, 'OVERLOADED']);
    for (const { headers } of [rest, graphql, get]) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await search(gateway)).status).toBe(200);
  });

  test('is slow, who asks what another asks already is given what he himself may see', async () => {
    const { gateway, database, url } = await start({});
    const newcomer = await addUser(database.client, { id: 7, username: 'newcomer' });
    await database.client.event.create({ data: { type: 'setting-updated', createdBy: 'ada' } });
    const byRest = async (token: string) => {
      const { body } = await gateway.rest(SEARCH, { token });
      return body.events?.length;
    };
    const byGraphql = async (token: string) => {
      const { data } = await gateway.graphql('{ events { nodes { id } } }', {}, { token });
      return data?.events.nodes.length;
    };
    for (const ask of [byRest, byGraphql]) {
      // The first to ask for a total has it learned, one after the other.
      expect([await ask(DEMO_TOKENS.admin), await ask(newcomer)]).toEqual([1, 0]);
      const unlock = await lockEvents(url);
      const first = ask(DEMO_TOKENS.admin);
      const watcher = await waitingFor(url, 1);
      const second = ask(newcomer);
      await expect
        .poll(async () => (await watcher.query(`select pid ${WAITING}`)).rowCount)
        .toBeGreaterThan(1);
      await unlock();
      expect([await first, await second]).toEqual([1, 0]);
    }
  });

  test('is slow, what one caller asks again and again meanwhile is not read as often', async () => {
    const statements: string[] = [];
    const { gateway, url } = await start({ onQuery: (sql) => statements.push(sql) });
    const countOf = (words: RegExp) => statements.filter((sql) => words.test(sql)).length;
    const times = 6;
    for (const ask of [search, events]) {
      await ask(gateway);
      statements.length = 0;
      await ask(gateway);
      const once = countOf(/\bevents\b/);
      expect(once).toBeGreaterThan(0);

      const unlock = await lockEvents(url);
      statements.length = 0;
      const answers: Promise<{ status: number }>[] = [];
      while (answers.length < times) {
        answers.push(ask(gateway));
        // Who is known has asked.
        await expect.poll(() => countOf(/\bapi_tokens\b/)).toBe(answers.length);
      }
      await unlock();
      const given = await Promise.all(answers);
      expect(given.map(({ status }) => status)).toEqual(Array(times).fill(200));
      // One read was under way, one is for all others, and one for whoever came a little later.
      expect(countOf(/\bevents\b/)).toBeLessThanOrEqual(3 * once);
    }
  });

  const expectOutOfReach = async (gateway: Gateway) => {
    const rest = await search(gateway);
    expect(rest.status).toBe(503);
    expect(Number(rest.headers.get('retry-after'))).toBeGreaterThan(0);
    expectErrorBody(rest.body, 'OverloadedError');
    expectNoInsides(rest.text, '127.0.0.1');
    const graphql = await events(gateway);
    expect(graphql.status).toBe(503);
    expect(graphql.errors?.[0].extensions.code).toBe('OVERLOADED');
    expect((await gateway.rest('/readyz', { token: null })).status).toBe(503);
    expect((await gateway.rest('/livez', { token: null })).status).toBe(200);
  };

  test('is out of reach the gateway is alive, not ready, and recovers by itself', async () => {
    let proxy: Awaited<ReturnType<typeof startDatabaseProxy>> | undefined;
    const { gateway } = await start({}, {}, async (url) => {
      proxy = await startDatabaseProxy(url);
      return proxy.url;
    });
    cleanUps.push(async () => proxy?.cut());
    expect((await gateway.rest('/readyz', { token: null })).status).toBe(200);

    await proxy?.cut();
    await expectOutOfReach(gateway);

    await proxy?.mend();
    await expect.poll(async () => (await search(gateway)).status).toBe(200);
    await expect
      .poll(async () => (await gateway.rest('/readyz', { token: null })).status)
      .toBe(200);
  });

  test('is embedded and closed the gateway is alive and not ready', async () => {
    const database = await openDatabase({
      dataDir: 'memory://',
      embeddedTemplate: embeddedTemplate(),
    });
    const gateway = await startGateway(database);
    cleanUps.push(gateway.stop);
    await database.close();
    await expectOutOfReach(gateway);
  });
});
