import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { type Database, type DatabaseOptions, openDatabase } from '../../../src/data/connect.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import type { ErrorName } from '../../../src/domain/errors.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { cloneBy } from '../../testkit/clones.js';
import { createMigratedDatabase, embeddedTemplate } from '../../testkit/database.js';
import { startDatabaseProxy } from '../../testkit/database-proxy.js';
import { rawRequest } from '../../testkit/raw-request.js';
import { expectErrorBody, expectNoInternals } from '../../testkit/response-assertions.js';
import type { Seed } from '../../testkit/seed.js';
import { addAdminToken, addUser, describeWithRows } from '../../testkit/seeded.js';

const ROWS: Seed = {
  users: [{ id: 7, username: 'newcomer' }],
  projects: {
    named: {
      environments: ['development'],
      settings: { featureNamingPattern: 'x-.+', featureNamingExample: 'x-ray' },
    },
    full: { environments: ['development'], settings: { featureLimit: 1 } },
    guarded: { environments: ['development'], changeRequests: ['development'] },
    closed: { archivedAt: new Date('2024-01-01T00:00:00Z') },
  },
  features: [
    { name: 'plain', environments: { development: { enabled: true } } },
    { name: 'parent' },
    { name: 'child', parents: [{ feature: 'parent' }] },
    { name: 'occupant', project: 'full' },
    { name: 'without-type', type: null },
    { name: 'resting', archivedAt: new Date('2024-01-01T00:00:00Z') },
  ],
  integrations: [{ id: 1 }],
};

const SEARCH = '/api/admin/search/events';
const REPORT = 'query ($id: String!) { projectHealthReport(projectId: $id) { name } }';
const DELIVERIES = 'query ($id: Int!) { integrationEvents(integrationId: $id) { nodes { id } } }';

/** Failures that are the same in both transports. */
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
    failure: 'a call with an invalid token',
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
    failure: 'an invalid name',
    name: 'BadDataError',
    status: 400,
    order: { feature: 'plain', name: 'two words', into: 'default' },
    says: /two words/,
  },
  {
    failure: 'a name that does not match the pattern of the project',
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
    says: /'full' .* limit of 1 /,
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

describeWithRows('errors', ROWS, ({ gateway, database }) => {
  test.each(READ_FAILURES)('$failure: $name', async ({ name, status, code, rest, graphql }) => {
    const one = await rest(gateway());
    expect(one.status).toBe(status);
    expect(one.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expectErrorBody(one.body, name);
    expectNoInternals(one.text);

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
    expect(graphql).toMatchObject({ resultName: name, status: 200, message: rest.body.message });
    expect([await client.feature.count(), await client.event.count()]).toEqual(before);
  });

  test('the errors of a clone contain the data that a caller needs to recover', async () => {
    const mutation = `mutation ($input: CloneFeatureInput!) { cloneFeature(input: $input) {
      __typename
      ... on NamingPatternError { pattern example description }
      ... on FeatureLimitError { limit projectId }
      ... on NotFoundError { resource key }
      ... on NameExistsError { archived }
      ... on CloneRefusedError { details }
    } }`;
    const clone = async (featureName: string, newName: string, targetProjectId: string) => {
      const input = { featureName, newName, targetProjectId };
      return (await gateway().graphql(mutation, { input })).data.cloneFeature;
    };
    expect(await clone('plain', 'copy', 'named')).toEqual({
      __typename: 'NamingPatternError',
      pattern: 'x-.+',
      example: 'x-ray',
      description: null,
    });
    expect(await clone('plain', 'copy', 'full')).toEqual({
      __typename: 'FeatureLimitError',
      limit: 1,
      projectId: 'full',
    });
    expect(await clone('without-type', 'copy', 'default')).toEqual({
      __typename: 'CloneRefusedError',
      details: ["Feature 'without-type' has no value for 'type'."],
    });
    for (const [name, archived] of [
      ['parent', false],
      ['resting', true],
    ] as const) {
      expect(await clone('plain', name, 'default')).toEqual({
        __typename: 'NameExistsError',
        archived,
      });
    }
    expect((await clone('plain', 'two words', 'default')).__typename).toBe('InvalidNameError');
    for (const [feature, project, resource, key] of [
      ['nothing', 'default', 'Feature', 'nothing'],
      ['resting', 'default', 'Feature', 'resting'],
      ['plain', 'nowhere', 'Project', 'nowhere'],
      ['plain', 'closed', 'Project', 'closed'],
    ] as const) {
      expect(await clone(feature, 'copy', project)).toEqual({
        __typename: 'NotFoundError',
        resource,
        key,
      });
    }
  });

  test('an installation at its limit: ExceedsLimitError', async () => {
    const small = await startGateway(database(), { UNLEASH_FEATURE_FLAGS_LIMIT: '2' });
    const order = { feature: 'plain', name: 'copy', into: 'default' };
    const outcomes = [await cloneBy('REST', small, order), await cloneBy('GraphQL', small, order)];
    await small.stop();
    expect(outcomes.map(({ resultName }) => resultName)).toEqual([
      'ExceedsLimitError',
      'ExceedsLimitError',
    ]);
    expect(outcomes[0]).toMatchObject({ status: 400, message: outcomes[1]?.message });
    expect(outcomes[0]?.message).toMatch(/\b2\b/);
  });

  describe('for paths', () => {
    test.each([
      ['POST', '/'],
      ['GET', '/nothing'],
      ['GET', '/api/admin'],
      ['GET', '/api/admin/search'],
      ['GET', '/api/admin/projects/default'],
      ['GET', '/api/admin/projects/default/features/plain/clone'],
      ['POST', SEARCH],
      ['PUT', SEARCH],
      ['DELETE', '/api/admin/addons/1/events'],
      ['PATCH', '/api/admin/projects/default/health-report'],
    ])('NotFoundError: %s %s', async (method, path) => {
      const { status, body } = await gateway().rest(path, { method });
      expect(status).toBe(404);
      expectErrorBody(body, 'NotFoundError');
      expect(body.message).toContain(`${method} ${path}`);
    });

    test('do not repeat the query string', async () => {
      const { text } = await gateway().rest('/nothing?token=hush');
      expect(text).not.toContain('hush');
    });

    test.each(['PUT', 'DELETE', 'PATCH'])('405 Method Not Allowed: %s /graphql', async (method) => {
      const { status, headers } = await gateway().rest('/graphql', { method });
      expect([status, headers.get('allow')]).toEqual([405, 'GET, POST']);
    });
  });

  describe('ContentTypeerror is returned', () => {
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

    test('clones are rejected with the same message in both transports', async () => {
      const order = { feature: 'plain', name: 'during-maintenance', into: 'default' };
      const [rest, graphql] = await during(async () => [
        await cloneBy('REST', gateway(), order),
        await cloneBy('GraphQL', gateway(), order),
      ]);
      expect(rest).toMatchObject({ status: 503, resultName: 'MaintenanceModeError' });
      expect(graphql).toMatchObject({ status: 200, resultName: 'MaintenanceModeError' });
      expect(graphql?.message).toBe(rest?.message);
      const written = { where: { name: order.name } };
      expect(await database().client.feature.findUnique(written)).toBeNull();
    });

    test('the error is returned before a missing permission, and after a missing token', async () => {
      const path = '/api/admin/projects/default/features/plain/clone';
      await during(async () => {
        const body = { name: 'copy' };
        const withoutPermission = await gateway().rest(path, { body, token: 'user:token-of-7' });
        expect(withoutPermission.body.name).toBe('MaintenanceModeError');
        const anonymous = await gateway().rest(path, { body, token: null });
        expect(anonymous.body.name).toBe('AuthenticationRequired');
      });
    });

    test('reads are served', async () => {
      await during(async () => {
        expect((await gateway().rest(SEARCH)).status).toBe(200);
        expect((await gateway().graphql('{ events { totalCount } }')).errors).toBeUndefined();
      });
    });

    test('a setting of any other shape is ignored', async () => {
      const { client } = database();
      for (const [index, content] of [{ enabled: 'true' }, [true], 'on', {}].entries()) {
        await client.setting.upsert({
          where: { name: 'maintenance.mode' },
          create: { name: 'maintenance.mode', content },
          update: { content },
        });
        const order = { feature: 'plain', name: `no-maintenance-${index}`, into: 'default' };
        expect((await cloneBy('REST', gateway(), order)).resultName).toBe('ok');
      }
      await client.setting.delete({ where: { name: 'maintenance.mode' } });
    });
  });

  test('an internal error returns only an ID, which is also in the log', async () => {
    const { client } = database();
    await client.$executeRaw`alter table events rename to events_kept`;
    const rest = await gateway().rest(SEARCH);
    const graphql = await gateway().rest('/graphql', {
      body: { query: '{ events { totalCount } viewer { name } }' },
    });
    await client.$executeRaw`alter table events_kept rename to events`;

    expect(rest.status).toBe(500);
    expectErrorBody(rest.body, 'UnknownError');
    expectNoInternals(rest.text, 'events');
    expect(graphql.status).toBe(500);
    const [error] = graphql.body.errors;
    expect(error.extensions).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', name: 'UnknownError' });
    expect(Object.keys(error.extensions).sort()).toEqual(['code', 'id', 'name']);
    expect(error.message).toBe(rest.body.message);
    expectNoInternals(JSON.stringify(error.message));

    for (const id of [rest.body.id, error.extensions.id]) {
      const lines = gateway().log.filter((line) => line.includes(id));
      expect(lines).toHaveLength(1);
      const { level, err } = JSON.parse(lines[0] ?? '');
      expect(level).toBe(50);
      expect(JSON.stringify(err)).toMatch(/events/);
    }
    expect((await gateway().rest(SEARCH)).status).toBe(200);
  });

  test('errors of the client are not logged as errors', async () => {
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

  /** Blocks all statements that read events. */
  const lockEvents = async (url: string) => {
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    cleanUps.push(() => holder.end());
    await holder.query('begin');
    await holder.query('lock table events in access exclusive mode');
    return () => holder.query('rollback');
  };

  /** Resolves with a client once `count` sessions of this database wait for a lock. */
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

  test('exceeds the statement timeout, both transports return TimeoutError', async () => {
    const { gateway, url } = await start({ statementTimeoutMs: 1_000 });
    const unlock = await lockEvents(url);
    const [rest, graphql] = await Promise.all([search(gateway), events(gateway)]);
    expect(rest.status).toBe(504);
    expectErrorBody(rest.body, 'TimeoutError');
    expectNoInternals(rest.text);
    expect(rest.body.message).toMatch(/in time/);
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

  test('exceeds the request timeout, both transports return TimeoutError', async () => {
    const { gateway, url } = await start({}, { REQUEST_TIMEOUT_MS: '2000' });
    const unlock = await lockEvents(url);
    const [rest, graphql] = await Promise.all([search(gateway), events(gateway)]);
    expect([rest.status, rest.body.name]).toEqual([504, 'TimeoutError']);
    expect(rest.body.message).toMatch(/2000 ms/);
    expect([graphql.status, graphql.errors?.[0].extensions.code]).toEqual([504, 'TIMEOUT']);
    // The lock is still held, so statements end only because they were cancelled on the server.
    const startedAt = performance.now();
    await waitingFor(url, 0);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    await unlock();
    expect((await search(gateway)).status).toBe(200);
  });

  test('is slow and the client disconnects, its statements are cancelled on the server', async () => {
    const { gateway, url } = await start({});
    const unlock = await lockEvents(url);
    const headers = { authorization: DEMO_TOKENS.admin, 'content-type': 'application/json' };
    const body = JSON.stringify({ query: '{ events { nodes { id } } }' });
    for (const [path, init] of [
      [SEARCH, {}],
      ['/graphql', { method: 'POST', body }],
    ] as const) {
      const controller = new AbortController();
      const { signal } = controller;
      const response = fetch(`${gateway.url}${path}`, { headers, signal, ...init });
      response.catch(() => undefined);
      await waitingFor(url, 1);
      controller.abort();
      const startedAt = performance.now();
      await waitingFor(url, 0);
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    }
    await unlock();
  });

  test('has no free connection, both transports return OverloadedError with Retry-After', async () => {
    const { gateway, url } = await start({ poolSize: 1 });
    const unlock = await lockEvents(url);
    const holding = search(gateway);
    await waitingFor(url, 1);

    const [rest, graphql] = await Promise.all([search(gateway), events(gateway)]);
    expect(rest.status).toBe(503);
    expect(Number(rest.headers.get('retry-after'))).toBeGreaterThan(0);
    expectErrorBody(rest.body, 'OverloadedError');
    expectNoInternals(rest.text);
    expect(graphql.status).toBe(503);
    expect(Number(graphql.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(graphql.errors?.[0].extensions.code).toBe('OVERLOADED');

    await unlock();
    expect((await holding).status).toBe(200);
    expect((await search(gateway)).status).toBe(200);
  });

  test('terminates a session during a statement, both transports return OverloadedError with Retry-After', async () => {
    const { gateway, url } = await start({});
    const unlock = await lockEvents(url);
    const byGet = gateway.rest(
      `/graphql?query=${encodeURIComponent('{ events { nodes { id } } }')}`,
    );
    const responses = Promise.all([search(gateway), events(gateway), byGet]);
    const watcher = await waitingFor(url, 3);
    await watcher.query(`select pg_terminate_backend(pid) ${WAITING}`);
    const [rest, graphql, get] = await responses;
    await unlock();

    expect([rest.status, rest.body.name]).toEqual([503, 'OverloadedError']);
    expect([graphql.status, graphql.errors?.[0].extensions.code]).toEqual([503, 'OVERLOADED']);
    expect([get.status, get.body.errors[0].extensions.code]).toEqual([503, 'OVERLOADED']);
    for (const { headers } of [rest, graphql, get]) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await search(gateway)).status).toBe(200);
  });

  test('is slow, identical concurrent reads return only what each caller may see', async () => {
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
    for (const count of [byRest, byGraphql]) {
      // Fills the cached totals of both callers.
      expect([await count(DEMO_TOKENS.admin), await count(newcomer)]).toEqual([1, 0]);
      const unlock = await lockEvents(url);
      const first = count(DEMO_TOKENS.admin);
      const watcher = await waitingFor(url, 1);
      const second = count(newcomer);
      await expect
        .poll(async () => (await watcher.query(`select pid ${WAITING}`)).rowCount)
        .toBeGreaterThan(1);
      await unlock();
      expect([await first, await second]).toEqual([1, 0]);
    }
  });

  test('is slow, identical reads of one caller are coalesced', async () => {
    const statements: string[] = [];
    const { gateway, url } = await start({ onQuery: (sql) => statements.push(sql) });
    const countOf = (pattern: RegExp) => statements.filter((sql) => pattern.test(sql)).length;
    const times = 6;
    for (const send of [search, events]) {
      await send(gateway);
      statements.length = 0;
      await send(gateway);
      const once = countOf(/\bevents\b/);
      expect(once).toBeGreaterThan(0);

      const unlock = await lockEvents(url);
      statements.length = 0;
      const results: Promise<{ status: number }>[] = [];
      while (results.length < times) {
        results.push(send(gateway));
        // The token check shows that the request has arrived.
        await expect.poll(() => countOf(/\bapi_tokens\b/)).toBe(results.length);
      }
      await unlock();
      const responses = await Promise.all(results);
      expect(responses.map(({ status }) => status)).toEqual(Array(times).fill(200));
      // One read in flight, one shared by the other requests, and one for late arrivals.
      expect(countOf(/\bevents\b/)).toBeLessThanOrEqual(3 * once);
    }
  });

  const expectUnavailable = async (gateway: Gateway) => {
    const rest = await search(gateway);
    expect(rest.status).toBe(503);
    expect(Number(rest.headers.get('retry-after'))).toBeGreaterThan(0);
    expectErrorBody(rest.body, 'OverloadedError');
    expectNoInternals(rest.text, '127.0.0.1');
    const graphql = await events(gateway);
    expect(graphql.status).toBe(503);
    expect(graphql.errors?.[0].extensions.code).toBe('OVERLOADED');
    // Probe results are cached for one second.
    await expect
      .poll(async () => (await gateway.rest('/readyz', { token: null })).status)
      .toBe(503);
    expect((await gateway.rest('/livez', { token: null })).status).toBe(200);
  };

  test('is unreachable, the gateway is alive, not ready, and recovers without a restart', async () => {
    let proxy: Awaited<ReturnType<typeof startDatabaseProxy>> | undefined;
    const { gateway } = await start({}, {}, async (url) => {
      proxy = await startDatabaseProxy(url);
      return proxy.url;
    });
    cleanUps.push(async () => proxy?.cut());
    expect((await gateway.rest('/readyz', { token: null })).status).toBe(200);

    await proxy?.cut();
    await expectUnavailable(gateway);

    await proxy?.restore();
    await expect.poll(async () => (await search(gateway)).status).toBe(200);
    await expect
      .poll(async () => (await gateway.rest('/readyz', { token: null })).status)
      .toBe(200);
  });

  test('is embedded and closed, the gateway is alive and not ready', async () => {
    const database = await openDatabase({
      dataDir: 'memory://',
      embeddedTemplate: embeddedTemplate(),
    });
    const gateway = await startGateway(database);
    cleanUps.push(gateway.stop);
    await database.close();
    await expectUnavailable(gateway);
  });
});
