import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { OPERATION_LIMITS } from '../../../src/graphql/document-limits.js';
import { cpuMsOf } from '../../testkit/cpu-time.js';
import { rawRequest } from '../../testkit/raw-request.js';
import { expectErrorBody, expectNoInternals } from '../../testkit/response-assertions.js';
import type { Seed } from '../../testkit/seed.js';
import { describeWithRows } from '../../testkit/seeded.js';
import { stopClock } from '../../testkit/stop-clock.js';

stopClock();

const EVENTS = 60;

const DONE = { stateDetails: 'done' };

const ROWS: Seed = {
  projects: { web: { name: 'Web' } },
  features: [{ name: 'one' }, { name: 'two' }, { name: 'three' }],
  events: Array.from({ length: EVENTS }, (_, index) => ({
    type: 'feature-created',
    project: index % 2 === 0 ? 'default' : 'web',
    feature: 'one',
    createdAt: new Date('2024-05-05T05:05:05Z'),
  })),
  integrations: [
    { id: 1, deliveries: [DONE, DONE, DONE] },
    { id: 2, deliveries: [DONE] },
  ],
};

const SEARCH = '/api/admin/search/events';
const CLONE = '/api/admin/projects/default/features/one/clone';

const rowCounts = async (client: PrismaClient) => [
  await client.feature.count(),
  await client.event.count(),
  await client.project.count(),
  await client.integrationEvent.count(),
];

describeWithRows('input validation', ROWS, ({ gateway, database, statementsOf }) => {
  afterAll(async () => {
    expect(await rowCounts(database().client)).toEqual([3, EVENTS, 2, 4]);
  });

  describe('rejects invalid search parameters:', () => {
    test.each([
      ['feature', 'one'],
      ['feature', ''],
      ['feature', 'is:one'],
      ['feature', ' IS:one'],
      ['feature', 'IS_NOT:one'],
      ['feature', 'IS:a\nb'],
      ['feature', 'IS:a\u2028b'],
      ['feature', 'IS:a\0b'],
      ['feature', `IS:${'x'.repeat(10_000)}`],
      ['project', 'IS_NONE_OF:web'],
      ['project', 'IS_ANY_OF:a,\0'],
      ['type', 'feature-created'],
      ['type', 'IS:\0'],
      ['createdBy', 'IS:ada'],
      ['createdBy', 'IS:1.5'],
      ['createdBy', 'IS:1e3'],
      ['createdBy', 'IS:0x1'],
      ['createdBy', 'IS:99999999999'],
      ['createdBy', 'IS:2147483648'],
      ['createdBy', 'IS:-2147483649'],
      ['createdBy', 'IS_ANY_OF:3,'],
      ['createdBy', 'IS:1\0'],
      ['from', '2024-01-01'],
      ['from', ''],
      ['from', 'IS:'],
      ['from', 'IS:2024-1-1'],
      ['from', 'IS:2024-13-45'],
      ['from', 'IS:2023-02-29'],
      ['from', 'IS:0000-01-01'],
      ['from', 'IS_ANY_OF:2024-01-01'],
      ['from', 'IS:2024-01-01T00:00:00Z'],
      ['to', 'IS:2024-02-30'],
      ['to', 'IS:2024-00-10'],
      ['to', 'IS:99999-01-01'],
      ['query', 'a\0b'],
    ])('%s=%j', async (name, value) => {
      const path = `${SEARCH}?${name}=${encodeURIComponent(value)}`;
      const { status, body, text } = await gateway().rest(path);
      expect(status).toBe(400);
      expectErrorBody(body, 'BadDataError');
      expect(body.details[0].path).toBe(`/query/${name}`);
      expectNoInternals(text, DEMO_TOKENS.admin);
      expect(text.length).toBeLessThan(2_000);
    });

    test.each([
      'query',
      'feature',
      'project',
      'type',
      'createdBy',
      'from',
      'to',
      'offset',
      'limit',
    ])('%s repeated or with brackets', async (name) => {
      for (const search of [`${name}=IS:1&${name}=IS:2`, `${name}[]=IS:1`, `${name}[a]=IS:1`]) {
        const { status, body } = await gateway().rest(`${SEARCH}?${search}`);
        expect(status).toBe(400);
        expectErrorBody(body, 'BadDataError');
        expect(body.details[0].path).toBe(`/query/${name}`);
      }
    });
  });

  test('rejects a search text that is too long', async () => {
    const text = 'a'.repeat(10_001);
    const { status, body } = await gateway().rest(`${SEARCH}?query=${text}`);
    expect([status, body.details[0].path]).toEqual([400, '/query/query']);
    expect((await gateway().rest(`${SEARCH}?query=${text.slice(1)}`)).status).toBe(200);

    for (const [field, type, maxLength] of [
      ['events', 'EventFilter', 10_000],
      ['features', 'FeatureFilter', 500],
      ['projects', 'ProjectFilter', 500],
    ] as const) {
      const query = `query ($filter: ${type}) { ${field}(filter: $filter) { totalCount } }`;
      const search = (value: string) => gateway().graphql(query, { filter: { text: value } });
      expect((await search('a'.repeat(maxLength))).data[field].totalCount).toBe(0);
      const longer = await search('a'.repeat(maxLength + 1));
      expect(longer.errors?.[0].message).toContain(`at most ${maxLength} characters`);
      const { errors } = await search('b'.repeat(900_000));
      expect(errors?.[0].message).toMatch(/at most 10000 characters/);
      expect(errors?.[0].extensions.code).toBe('LIMIT_EXCEEDED');
    }
  });

  test('reports the first of several invalid parameters, in the order of the OpenAPI document', async () => {
    const { body } = await gateway().rest(`${SEARCH}?to=x&from=x&createdBy=x&type=x`);
    expect(body.details.map(({ path }: { path: string }) => path)).toEqual(['/query/type']);
  });

  test('ignores unknown parameters', async () => {
    const { status, body } = await gateway().rest(
      `${SEARCH}?nonsense[a]=1&features=IS:two&limit=1`,
    );
    expect([status, body.total]).toEqual([200, EVENTS]);
  });

  describe('uses the default for a limit or offset out of range, as Unleash does:', () => {
    const LIMITS: [string, number][] = [
      ['0', 50],
      ['-1', 50],
      ['abc', 50],
      ['', 50],
      ['NaN', 50],
      ['1001', 50],
      ['5000', 50],
      ['1000.5', 50],
      ['Infinity', 50],
      ['99999999999999999999', 50],
      ['1000', EVENTS],
      ['2.9', 2],
      ['0.5', 0],
      ['0.0000001', 1],
      ['1e1', 10],
      ['0x5', 5],
      [' 7 ', 7],
    ];
    test.each(LIMITS)('limit=%j returns %i events', async (limit, count) => {
      const { status, body } = await gateway().rest(`${SEARCH}?limit=${encodeURIComponent(limit)}`);
      expect([status, body.events.length, body.total]).toEqual([200, count, EVENTS]);
    });

    const OFFSETS: [string, number][] = [
      ['-1', 50],
      ['abc', 50],
      ['Infinity', 50],
      ['50', 10],
      ['50.9', 10],
      ['1e30', 50],
      ['60', 0],
      ['9007199254740993', 0],
      ['100000000000000000000', 0],
    ];
    test.each(OFFSETS)('offset=%j leaves %i events on the page', async (offset, count) => {
      const { status, body } = await gateway().rest(`${SEARCH}?offset=${offset}`);
      expect([status, body.events.length, body.total]).toEqual([200, count, EVENTS]);
    });

    test.each([
      ['limit=0', 3],
      ['limit=-5', 3],
      ['limit=101', 3],
      ['limit=2.9', 2],
      ['limit=0.5', 0],
      ['offset=2', 1],
      ['offset=-2', 3],
      ['offset=100000000000000000000', 0],
      ['offset=x&limit=y', 3],
    ])('%s of a delivery list leaves %i', async (search, count) => {
      const { status, body } = await gateway().rest(`/api/admin/addons/1/events?${search}`);
      expect([status, body.integrationEvents.length]).toEqual([200, count]);
    });
  });

  describe('of paths', () => {
    test.each([
      'abc',
      '1abc',
      'NaN',
      '1.5',
      '1.0',
      '0x1',
      '1e0',
      'Infinity',
      '%20',
      '1%00',
      '%00',
      '99999999999',
      '2147483648',
      '-2147483649',
      '%E0%A4%A',
      '1,2',
    ])('rejects integration %s', async (id) => {
      const { status, body, text } = await gateway().rest(`/api/admin/addons/${id}/events`);
      expect(status).toBe(400);
      expectErrorBody(body, 'BadDataError');
      expect(body.details[0].path).toBe('/params/id');
      expectNoInternals(text);
    });

    test.each(['0', '-1', '2147483647', '00099'])('returns 404 for integration %s', async (id) => {
      const { status, body } = await gateway().rest(`/api/admin/addons/${id}/events`);
      expect(status).toBe(404);
      expectErrorBody(body, 'NotFoundError');
    });

    test('ignores spaces around an integration ID', async () => {
      expect((await gateway().rest('/api/admin/addons/%201%20/events')).status).toBe(200);
    });

    test.each(['%', '%zz', '%C3%28', 'a%00b', '%ED%A0%80'])('rejects project %s', async (id) => {
      const report = await rawRequest(gateway().url, {
        path: `/api/admin/projects/${id}/health-report`,
        headers: { authorization: DEMO_TOKENS.admin },
      });
      expect(report.status).toBe(400);
      expectErrorBody(JSON.parse(report.body.toString()), 'BadDataError');
      const clone = await rawRequest(gateway().url, {
        path: `/api/admin/projects/${id}/features/one/clone`,
        method: 'POST',
        headers: { authorization: DEMO_TOKENS.admin, 'content-type': 'application/json' },
        body: '{"name":"copy"}',
      });
      expect(clone.status).toBe(400);
      expectErrorBody(JSON.parse(clone.body.toString()), 'BadDataError');
    });

    test('returns 404 for a very long project ID, and 431 when the URL exceeds the limit', async () => {
      const long = await gateway().rest(`/api/admin/projects/${'x'.repeat(8_000)}/health-report`);
      expect([long.status, long.body.name]).toEqual([404, 'NotFoundError']);
      const endless = await rawRequest(gateway().url, { path: `/api/${'x'.repeat(20_000)}` });
      expect(endless.status).toBe(431);
      expect(JSON.parse(endless.body.toString()).name).toBe('BadDataError');
    });
  });

  describe('rejects the body of a clone:', () => {
    test.each([
      ['{', '/body'],
      ['{"name":"copy"', '/body'],
      ["{'name':'copy'}", '/body'],
      ['{"name":"copy"} x', '/body'],
      ['{"name":"\\x"}', '/body'],
      ['[]', '/body'],
      ['"copy"', '/body'],
      ['null', '/body'],
      ['7', '/body'],
      ['', '/body/name'],
      ['{}', '/body/name'],
      ['{"Name":"copy"}', '/body/name'],
      ['{"name":["copy"]}', '/body/name'],
      ['{"name":{"first":"copy"}}', '/body/name'],
      ['{"name":"a\\u0000b"}', '/body/name'],
      ['{"name":"a\\ud800b"}', '/body/name'],
      ['{"name":"\\udc00"}', '/body/name'],
      ['{"name":"copy","replaceGroupId":"yes"}', '/body/replaceGroupId'],
      ['{"name":"copy","replaceGroupId":2}', '/body/replaceGroupId'],
      ['{"name":"copy","replaceGroupId":[]}', '/body/replaceGroupId'],
      ['{"name":""}', undefined],
      ['{"name":null}', undefined],
      ['{"name":"."}', undefined],
      ['{"name":".."}', undefined],
      ['{"name":"two words"}', undefined],
      ['{"name":"a/b"}', undefined],
      ['{"name":"ünï"}', undefined],
      ['{"name":"a%20b"}', undefined],
      ['{"name":"a\\nb"}', undefined],
      [`{"name":"${'x'.repeat(101)}"}`, undefined],
    ])('%s', async (rawBody, path) => {
      const { status, body, text } = await gateway().rest(CLONE, { method: 'POST', rawBody });
      expect(status).toBe(400);
      expectErrorBody(body, 'BadDataError');
      if (path) expect(body.details[0].path).toBe(path);
      expectNoInternals(text);
    });

    test('nested as deeply as the size limit allows', async () => {
      const rawBody = `{"name":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
      const { status, body } = await gateway().rest(CLONE, { rawBody });
      expect(status).toBe(400);
      expectErrorBody(body, 'BadDataError');
    });

    test('with a wrong Content-Encoding, or larger than the limit when decompressed', async () => {
      const send = (rawBody: Buffer, encoding: string) =>
        gateway().rest(CLONE, { rawBody, headers: { 'content-encoding': encoding } });
      const broken = await send(Buffer.from('{"name":"copy"}'), 'gzip');
      expect([broken.status, broken.body.name]).toEqual([400, 'BadDataError']);
      const bomb = await send(gzipSync(Buffer.alloc(50_000_000, 0x20)), 'gzip');
      expect([bomb.status, bomb.body.name]).toEqual([413, 'PayloadTooLargeError']);
      const unknown = await send(Buffer.from('x'), 'br');
      expect([unknown.status, unknown.body.name]).toEqual([415, 'ContentTypeerror']);
    });
  });

  test('validates a body even on paths that only read', async () => {
    const { status, body } = await rawRequest(gateway().url, {
      path: SEARCH,
      headers: {
        authorization: DEMO_TOKENS.admin,
        'content-type': 'application/json',
        'content-length': '2',
      },
      body: '[]',
    });
    expect(status).toBe(400);
    expectErrorBody(JSON.parse(body.toString()), 'BadDataError');
  });

  /** Every rejected GraphQL request has a 4xx status, errors with codes, and no data. */
  const expectRejected = async (query: string, variables: Record<string, unknown> = {}) => {
    const { status, text, body } = await gateway().rest('/graphql', { body: { query, variables } });
    expect(body.data ?? null).toBeNull();
    expect(status).toBe(400);
    expect(body.errors.length).toBeGreaterThan(0);
    for (const { extensions } of body.errors) {
      expect(extensions.code).toMatch(/^[A-Z_]+$/);
      expect(extensions.id).toMatch(/^[0-9a-f-]{36}$/);
      expect(extensions.name).toMatch(/Error$/);
    }
    expectNoInternals(text, DEMO_TOKENS.admin);
    expect(text.length).toBeLessThan(20_000);
    return body.errors[0];
  };

  describe('rejects invalid GraphQL arguments:', () => {
    test.each([
      '{ event(id: "1") { id } }',
      '{ event(id: 1.5) { id } }',
      '{ event(id: 99999999999) { id } }',
      '{ event(id: null) { id } }',
      '{ event { id } }',
      '{ event(id: 1, name: "x") { id } }',
      '{ event(id: 1) { id nonsense } }',
      '{ events(filter: { nonsense: 1 }) { totalCount } }',
      '{ events(filter: { featureName: "one" }) { totalCount } }',
      '{ events(filter: { featureName: { is: 1 } }) { totalCount } }',
      '{ events(filter: { type: { is: "FEATURE_CREATED" } }) { totalCount } }',
      '{ events(filter: { type: { is: NO_SUCH_TYPE } }) { totalCount } }',
      '{ events(filter: { createdByUserId: { is: 2147483648 } }) { totalCount } }',
      '{ events(filter: { createdAt: { from: "yesterday" } }) { totalCount } }',
      '{ events(filter: { createdAt: { from: "2024-02-30T00:00:00Z" } }) { totalCount } }',
      '{ events(filter: { createdAt: { before: "2024-01-01T25:00:00Z" } }) { totalCount } }',
      '{ events(filter: { createdAt: { before: "2024-02-30" } }) { totalCount } }',
      '{ events(filter: { createdAt: { from: true } }) { totalCount } }',
      '{ events(first: "10") { totalCount } }',
      '{ events(first: 1.5) { totalCount } }',
      '{ events(first: 99999999999) { totalCount } }',
      '{ projects(filter: { mode: SECRET }) { totalCount } }',
      '{ features(filter: { tag: { type: "team" } }) { totalCount } }',
      '{ project(id: 7) { id } }',
      '{ feature(name: true) { name } }',
      '{ integration(id: "1") { id } }',
      'mutation { cloneFeature(input: { featureName: "one" }) { __typename } }',
      'mutation { cloneFeature(input: { featureName: "one", newName: 7 }) { __typename } }',
      'mutation { cloneFeature(input: { featureName: "one", newName: "x", more: 1 }) { __typename } }',
      'mutation { cloneFeature(input: { featureName: "one", newName: "x", replaceGroupId: null }) { __typename } }',
      '{ viewer',
      '{ viewer { name } } }',
      '',
      'subscription { events { id } }',
      '{ ...loop } fragment loop on Query { ...loop }',
      'query a { viewer { name } } query b { viewer { name } }',
    ])('%s', async (query) => {
      await expectRejected(query);
    });
  });

  test('returns the same errors as application/json, with the status of GraphQL over HTTP', async () => {
    const runQuery = (query: string, accept: string) =>
      gateway().rest('/graphql', { body: { query, variables: { id: 'x' } }, headers: { accept } });
    for (const query of [
      '{ viewer',
      '{ nonsense }',
      'query ($id: Int) { event(id: $id) { id } }',
    ]) {
      const plain = await runQuery(query, 'application/json');
      const modern = await runQuery(query, 'application/graphql-response+json');
      const any = await runQuery(query, '*/*');
      expect([plain.status, modern.status, any.status]).toEqual([200, 400, 400]);
      const errors = [plain, modern, any].map(({ body }) => {
        const [{ message, extensions }] = body.errors;
        expect(extensions.id).toMatch(/^[0-9a-f-]{36}$/);
        return { message, ...extensions, id: undefined };
      });
      expect(errors).toEqual([errors[0], errors[0], errors[0]]);
    }
  });

  describe('rejects invalid GraphQL variables:', () => {
    const OPERATIONS = {
      event: 'query ($value: Int!) { event(id: $value) { id } }',
      first: 'query ($value: Int) { events(first: $value) { nodes { id } } }',
      filter: 'query ($value: EventFilter) { events(filter: $value) { nodes { id } } }',
      clone: 'mutation ($value: CloneFeatureInput!) { cloneFeature(input: $value) { __typename } }',
    };
    test.each<[keyof typeof OPERATIONS, unknown]>([
      ['event', '1'],
      ['event', 1.5],
      ['event', 99999999999],
      ['event', null],
      ['event', [1]],
      ['event', true],
      ['first', '5'],
      ['first', 2 ** 31],
      ['filter', 'text'],
      ['filter', { nonsense: 1 }],
      ['filter', { text: 7 }],
      ['filter', { featureName: { is: ['one'] } }],
      ['filter', { id: { anyOf: [1, '2'] } }],
      ['filter', { id: { anyOf: [1, null] } }],
      ['filter', { createdAt: { from: '2024-13-45T00:00:00Z' } }],
      ['filter', { createdAt: { from: {} } }],
      ['filter', { type: { anyOf: ['feature-created'] } }],
      ['filter', { type: { category: ['feature'] } }],
      ['filter', { type: { noneOf: [null] } }],
      ['filter', { featureName: { noneOf: [1] } }],
      ['filter', { and: 'all' }],
      ['filter', { or: [null] }],
      ['filter', { or: [[{}]] }],
      ['filter', { not: [{}] }],
      ['filter', { not: { nonsense: 1 } }],
      ['clone', { featureName: 'one', newName: { a: 1 } }],
      ['clone', { featureName: 'one', newName: 'x', replaceGroupId: 'yes' }],
      ['clone', { featureName: 'one', newName: 'x', unknown: true }],
      ['clone', 'one'],
    ])('%s with %j', async (operation, value) => {
      await expectRejected(OPERATIONS[operation], { value });
    });

    test('a missing required variable', async () => {
      await expectRejected(OPERATIONS.event);
    });
  });

  describe('rejects text that PostgreSQL cannot store, in GraphQL:', () => {
    const PLACES = {
      'event text': '{ events(filter: { text: $text }) { totalCount } }',
      'event feature': '{ events(filter: { featureName: { is: $text } }) { nodes { id } } }',
      'event project': '{ events(filter: { projectId: { anyOf: [$text] } }) { nodes { id } } }',
      'event environment':
        '{ events(filter: { environmentName: { is: $text } }) { nodes { id } } }',
      'event author': '{ events(filter: { createdBy: { noneOf: [$text] } }) { nodes { id } } }',
      'event text in a filter in a filter':
        '{ events(filter: { or: [{ not: { text: $text } }] }) { totalCount } }',
      'feature that is left out':
        '{ features(filter: { name: { noneOf: [$text] } }) { totalCount } }',
      'project that is left out':
        '{ projects(filter: { id: { noneOf: [$text] } }) { totalCount } }',
      'feature text': '{ features(filter: { text: $text }) { nodes { name } } }',
      'feature name': '{ features(filter: { name: { is: $text } }) { totalCount } }',
      'feature type': '{ features(filter: { type: { is: $text } }) { totalCount } }',
      'feature project': '{ features(filter: { projectId: { is: $text } }) { totalCount } }',
      'feature tag': '{ features(filter: { tag: { type: "a", value: $text } }) { totalCount } }',
      'project text': '{ projects(filter: { text: $text }) { nodes { id } } }',
      'project id': '{ projects(filter: { id: { is: $text } }) { totalCount } }',
      'a health report': '{ projectHealthReport(projectId: $text) { name } }',
      'delivered feature':
        '{ integrationEvents(integrationId: 1, filter: { featureName: { is: $text } }) { totalCount } }',
    };
    const NULLABLE = {
      'one feature': '{ feature(name: $text) { name } }',
      'one project': '{ project(id: $text) { name } }',
    };
    const UNSTORABLE = ['a\0b', 'a\ud800b', '\udc00'];

    test.each(Object.entries(PLACES))('%s', async (_place, selection) => {
      for (const text of UNSTORABLE) {
        const error = await expectRejected(`query ($text: String!) ${selection}`, { text });
        expect(error.extensions).toMatchObject({ code: 'BAD_USER_INPUT', name: 'BadDataError' });
      }
    });

    test.each(Object.entries(NULLABLE))('%s', async (_place, selection) => {
      for (const text of UNSTORABLE) {
        const { data, errors } = await gateway().graphql(`query ($text: String!) ${selection}`, {
          text,
        });
        expect(Object.values(data)).toEqual([null]);
        expect(errors?.[0].extensions.code).toBe('BAD_USER_INPUT');
      }
    });

    test.each([
      ['the name', (text: string) => ({ featureName: 'one', newName: text })],
      ['the source', (text: string) => ({ featureName: text, newName: 'copy' })],
      [
        'the target',
        (text: string) => ({ featureName: 'one', newName: 'copy', targetProjectId: text }),
      ],
    ])('%s of a clone', async (_title, inputOf) => {
      const clone = `mutation ($input: CloneFeatureInput!) {
        cloneFeature(input: $input) { __typename ... on Error { name message } }
      }`;
      for (const text of UNSTORABLE) {
        const { data, errors } = await gateway().graphql(clone, { input: inputOf(text) });
        expect(errors?.[0].extensions.name ?? data.cloneFeature.name).toBe('BadDataError');
      }
    });
  });

  describe('suggests the correct form:', () => {
    const literal = (filter: string) => `{ events(filter: ${filter}) { totalCount } }`;
    test.each([
      ['{ projectId: "web-shop" }', / Write it like \{ is: "web-shop" \}\.$/],
      ['{ projectId: { equals: "web-shop" } }', / Write it like \{ is: "web-shop" \}\.$/],
      ['{ createdByUserId: 7 }', / Write it like \{ is: 42 \}\.$/],
      ['{ type: FEATURE_CREATED }', / Write it like \{ is: FEATURE_CREATED \}\.$/],
      [
        '{ createdAt: "2026-10-15" }',
        / Write it like \{ from: "2026-10-15", before: "2026-11-01" \}\.$/,
      ],
      [
        '{ createdAt: { last: "a week" } }',
        /^Duration cannot represent "a week"\. Write it like "P7D" \(seven days\) or "PT12H" \(twelve hours\)\.$/,
      ],
      ['{ createdAt: { last: 7 } }', /^Duration cannot represent this value\. Write it like "P7D"/],
      [
        `{ createdAt: { last: "${'9'.repeat(5_000)}" } }`,
        /^Duration cannot represent "9{100}…"\. /,
      ],
      [
        '{ createdAt: { from: "2023-02-30" } }',
        /^DateTime cannot represent "2023-02-30"\. Write it like 2026-10-15T00:00:00Z, or in ranges like 2026-10-15\.$/,
      ],
      [
        '{ createdAt: { before: "yesterday" } }',
        /"yesterday"\. Write it like 2026-10-15T00:00:00Z, or in ranges like 2026-10-15\.$/,
      ],
      ['{ createdAt: { before: 1700000000 } }', /^DateTime must be a string such as "2026-10-15T/],
      [
        `{ createdAt: { before: "${'9'.repeat(5_000)}" } }`,
        /^DateTime cannot represent "9{100}…"\. /,
      ],
    ])('%s', async (filter, message) => {
      const error = await expectRejected(literal(filter));
      expect(error.message).toMatch(message);
      expect(error.locations).toHaveLength(1);
    });

    test.each<[unknown, RegExp]>([
      [{ projectId: 'web-shop' }, / Write it like \{ is: "web-shop" \}\.$/],
      [
        { createdAt: { from: '2026-10-32' } },
        / Write it like 2026-10-15T00:00:00Z, or in ranges like 2026-10-15\.$/,
      ],
      [{ createdAt: { from: { day: 1 } } }, / such as "2026-10-15T00:00:00Z"\.$/],
    ])('%j as a variable', async (value, message) => {
      const error = await expectRejected(
        'query ($value: EventFilter) { events(filter: $value) { totalCount } }',
        { value },
      );
      expect(error.message).toMatch(message);
    });

    test('except for other errors, which stay unchanged', async () => {
      const error = await expectRejected(literal('{ nonsense: 1 }'));
      expect(error.message).toBe('Field "nonsense" is not defined by type "EventFilter".');
    });
  });

  describe('of timestamps at the limits', () => {
    const totalSince = (timestamp: string) => `{
      events(filter: { createdAt: { from: "${timestamp}" } }) { totalCount }
      integrationEvents(integrationId: 1, filter: { createdAt: { from: "${timestamp}" } }) { totalCount }
    }`;

    test.each([
      ['0001-01-01T00:00:00Z', EVENTS, 3],
      ['9999-12-31T23:59:59.999Z', 0, 0],
    ])('accepts %s', async (timestamp, events, deliveries) => {
      const { data } = await gateway().graphql(totalSince(timestamp));
      expect(data).toEqual({
        events: { totalCount: events },
        integrationEvents: { totalCount: deliveries },
      });
    });

    test.each(['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+12:00', '9999-12-31T23:59:59-12:00'])(
      'rejects %s',
      async (timestamp) => {
        const error = await expectRejected(totalSince(timestamp));
        expect(error.message).toMatch(/years 1 to 9999/);
        await expectRejected(
          `{ events(filter: { createdAt: { before: "${timestamp}" } }) { totalCount } }`,
        );
      },
    );
  });

  describe('of pages in GraphQL', () => {
    test.each([
      ['first: 0', /'first' must be between 1 and 1000 \(got 0\)/],
      ['first: -1', /'first'/],
      ['first: 1001', /'first' must be between 1 and 1000/],
      ['last: 0', /'last'/],
      ['last: -3', /'last'/],
      ['last: 5000', /'last'/],
      ['first: 1, last: 1', /not both/],
      ['after: ""', /'after' is not a cursor/],
      ['after: "forged"', /'after' is not a cursor/],
      ['before: "MTIz"', /'before' is not a cursor/],
      ['first: 5, after: "\\u0000"', /'after' is not a cursor/],
      [`after: "${'A'.repeat(3000)}"`, /'after' is not a cursor/],
    ])('rejects events(%s)', async (args, message) => {
      const error = await expectRejected(`{ events(${args}) { nodes { id } } }`);
      expect(error.extensions).toMatchObject({ code: 'BAD_USER_INPUT', name: 'BadDataError' });
      expect(error.message).toMatch(message);
    });

    test.each([
      ['features(first: 1001) { nodes { name } }', 1000],
      ['projects(first: 1001) { nodes { id } }', 1000],
      ['integrationEvents(integrationId: 1, first: 101) { nodes { id } }', 100],
      ['feature(name: "one") { events(first: 1001) { nodes { id } } }', 1000],
      ['project(id: "default") { features(first: 1001) { nodes { name } } }', 1000],
      ['integration(id: 1) { deliveries(last: 101) { nodes { id } } }', 100],
    ])('rejects %s above its limit', async (selection, max) => {
      const { errors } = await gateway().graphql(`{ ${selection} }`);
      expect(errors?.[0].extensions.code).toBe('BAD_USER_INPUT');
      expect(errors?.[0].message).toContain(`between 1 and ${max}`);
    });

    const cursorOf = async (selection: string, ...path: string[]): Promise<string> => {
      const { data, errors } = await gateway().graphql(`{ ${selection} }`);
      expect(errors).toBeUndefined();
      const connection = path.reduce((value, key) => value[key], data);
      return connection.pageInfo.endCursor;
    };
    const PAGE = '{ pageInfo { endCursor } nodes { __typename } }';

    test('rejects cursors of another list or another filter', async () => {
      const ofEvents = await cursorOf(`events(first: 2) ${PAGE}`, 'events');
      const ofFilter = await cursorOf(
        `events(first: 2, filter: { projectId: { is: "web" } }) ${PAGE}`,
        'events',
      );
      const ofFeatures = await cursorOf(`features(first: 1) ${PAGE}`, 'features');
      const ofProject = await cursorOf(
        `project(id: "default") { events(first: 1) ${PAGE} }`,
        'project',
        'events',
      );
      const ofDeliveries = await cursorOf(
        `integrationEvents(integrationId: 1, first: 1) ${PAGE}`,
        'integrationEvents',
      );
      const foreign = [
        `events(after: "${ofFeatures}") ${PAGE}`,
        `events(after: "${ofFilter}") ${PAGE}`,
        `events(after: "${ofProject}") ${PAGE}`,
        `events(last: 1, before: "${ofFilter}") ${PAGE}`,
        `events(after: "${ofEvents}", filter: { projectId: { is: "web" } }) ${PAGE}`,
        `events(after: "${ofFilter}", filter: { projectId: { is: "default" } }) ${PAGE}`,
        `features(after: "${ofEvents}") ${PAGE}`,
        `features(after: "${ofFeatures}", filter: { archived: true }) ${PAGE}`,
        `projects(after: "${ofFeatures}") ${PAGE}`,
        `integrationEvents(integrationId: 1, after: "${ofEvents}") ${PAGE}`,
        `integrationEvents(integrationId: 2, after: "${ofDeliveries}") ${PAGE}`,
      ];
      for (const selection of foreign) {
        const error = await expectRejected(`{ ${selection} }`);
        expect([selection, error.message]).toEqual([
          selection,
          expect.stringMatching(/another list, or of another filter/),
        ]);
      }
      const { errors } = await gateway().graphql(
        `{ project(id: "web") { events(after: "${ofProject}") ${PAGE} } }`,
      );
      expect(errors?.[0].message).toMatch(/another list, or of another filter/);
    });

    test('rejects a cursor with a modified key', async () => {
      const real = await cursorOf(`events(first: 2) ${PAGE}`, 'events');
      const start = Buffer.from(real, 'base64url')
        .toString()
        .replace(/[^:]*$/, '');
      for (const key of ['', '-1', 'abc', '1.5', '99999999999', '2147483648', '1 or 1=1', '1\0']) {
        const cursor = Buffer.from(`${start}${key}`).toString('base64url');
        const error = await expectRejected(`{ events(after: "${cursor}") ${PAGE} }`);
        expect(error.message).toMatch(/'after' is not a cursor/);
      }
      const deliveries = await cursorOf(
        `integrationEvents(integrationId: 1, first: 1) ${PAGE}`,
        'integrationEvents',
      );
      const prefix = Buffer.from(deliveries, 'base64url')
        .toString()
        .replace(/[^:]*$/, '');
      const huge = Buffer.from(`${prefix}99999999999999999999`).toString('base64url');
      await expectRejected(`{ integrationEvents(integrationId: 1, after: "${huge}") ${PAGE} }`);
      const features = await cursorOf(`features(first: 1) ${PAGE}`, 'features');
      const ofFeatures = Buffer.from(features, 'base64url')
        .toString()
        .replace(/[^:]*$/, '');
      const unstorable = Buffer.from(`${ofFeatures}a\0b`).toString('base64url');
      await expectRejected(`{ features(after: "${unstorable}") ${PAGE} }`);
    });
  });

  test('rejects a filter of more than 1000 values', async () => {
    const query = 'query ($ids: [Int!]) { events(filter: { id: { anyOf: $ids } }) { totalCount } }';
    const ids = Array.from({ length: 1001 }, (_, index) => index);
    expect((await expectRejected(query, { ids })).message).toMatch(
      /at most 1000 values \(got 1001\)/,
    );
    const { data } = await gateway().graphql(query, { ids: ids.slice(1) });
    expect(data.events.totalCount).toBe(EVENTS);
  });

  describe('of nested filters', () => {
    const query = 'query ($filter: EventFilter) { events(filter: $filter) { totalCount } }';
    const nested = (levels: number) => `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`;
    // Built as text: JSON.stringify does not nest as deeply as a client can.
    const expectRejectedJson = async (operation: string, filter: string) => {
      const rawBody = `{"query":${JSON.stringify(operation)},"variables":{"filter":${filter}}}`;
      const send = () => gateway().rest('/graphql', { rawBody });
      expect(await cpuMsOf(send)).toBeLessThan(5_000);
      const { status, body, text } = await send();
      expect([status, body.data ?? null]).toEqual([400, null]);
      expectNoInternals(text, DEMO_TOKENS.admin);
      return body.errors[0];
    };

    test.each<[string, string, RegExp, string]>([
      ['too deep', nested(6), /'filter(\.not){6}' is nested too deeply/, 'BAD_USER_INPUT'],
      ['far too deep', nested(60), /nested 50 levels deep/, 'LIMIT_EXCEEDED'],
      ['as deep as a request can be', nested(100_000), /nested 50 levels deep/, 'LIMIT_EXCEEDED'],
      [
        'far too wide',
        JSON.stringify({ or: Array.from({ length: 300_000 }, () => ({})) }),
        /5000 values/,
        'LIMIT_EXCEEDED',
      ],
      [
        'too wide',
        JSON.stringify({ or: Array.from({ length: 4_000 }, () => ({})) }),
        /50 conditions in total; 'filter.or\[50\]'/,
        'BAD_USER_INPUT',
      ],
      [
        'with four thousand values',
        JSON.stringify({
          or: [{}, { not: { featureName: { anyOf: Array.from({ length: 4_000 }, () => 'one') } } }],
        }),
        /'filter\.or\[1\]\.not\.featureName\.anyOf' can have at most 1000 values \(got 4000\)/,
        'BAD_USER_INPUT',
      ],
      [
        'that looks for twenty texts',
        JSON.stringify({
          or: Array.from({ length: 20 }, (_, index) => ({ not: { text: `text ${index}` } })),
        }),
        new RegExp(`cost at most ${OPERATION_LIMITS.cost}`),
        'LIMIT_EXCEEDED',
      ],
    ])('rejects one quickly: %s', async (_title, filter, message, code) => {
      const error = await expectRejectedJson(query, filter);
      expect(error.message).toMatch(message);
      expect(error.extensions.code).toBe(code);
    });

    test('rejects a long text in a variable or a literal, and a long cursor', async () => {
      const text = 'x'.repeat(10_001);
      const timelines = (argument: string) =>
        `{ features(first: 3) { nodes { timeline(environmentName: ${argument}) { from } } } }`;
      for (const error of [
        await expectRejected(`query ($text: String!) ${timelines('$text')}`, { text }),
        await expectRejected(timelines(`"${text}"`)),
      ]) {
        expect(error.message).toMatch(/at most 10000 characters/);
        expect(error.extensions.code).toBe('LIMIT_EXCEEDED');
      }
      const { data } = await gateway().graphql('{ features(first: 1) { pageInfo { endCursor } } }');
      const known = Buffer.from(data.features.pageInfo.endCursor, 'base64url').toString();
      const forged = Buffer.from(known + 'a'.repeat(3_000)).toString('base64url');
      const cursor = await expectRejected(`{ features(after: "${forged}") { totalCount } }`);
      expect(cursor.message).toMatch(/is not a cursor of this API/);
    });

    test('rejects too much depth even where the filter is not evaluated, and in literals', async () => {
      const unused =
        'query ($filter: EventFilter) { __typename a: events(filter: $filter) @skip(if: true) { totalCount } }';
      expect((await expectRejectedJson(unused, nested(90_000))).message).toMatch(/nested 50/);
      const literal = (levels: number) =>
        `{ events(filter: ${'{ not: '.repeat(levels)}{}${' }'.repeat(levels)}) { totalCount } }`;
      expect((await expectRejected(literal(6))).message).toMatch(/nested too deeply/);
      await expectRejected(literal(1_000));
    });
  });

  test('returns null for impossible event IDs', async () => {
    for (const id of [0, -1, 2147483647, -2147483648]) {
      const { data, errors } = await gateway().graphql(`{ event(id: ${id}) { id } }`);
      expect([data, errors]).toEqual([{ event: null }, undefined]);
    }
  });

  describe('of requests to /graphql', () => {
    const post = (rawBody: string | Buffer, headers: Record<string, string> = {}) =>
      gateway().rest('/graphql', { method: 'POST', rawBody, headers });

    test.each([
      ['{'],
      ['{"query":"{ viewer { name } }"'],
      ['nonsense'],
      [''],
      ['null'],
      ['7'],
      ['"{ viewer { name } }"'],
      ['{}'],
      ['{"query":null}'],
      ['{"query":7}'],
      ['{"query":["{ viewer { name } }"]}'],
      ['{"query":"{ viewer { name } }","variables":"x"}'],
      ['{"query":"{ viewer { name } }","variables":[1]}'],
      ['{"query":"{ viewer { name } }","operationName":7}'],
      ['{"query":"{ viewer { name } }","operationName":"other"}'],
      ['{"query":"{ viewer { name } }","extensions":"x"}'],
    ])('rejects the body %s', async (rawBody) => {
      const { status, body, text } = await post(rawBody);
      expect(status).toBe(400);
      expect(body.data ?? null).toBeNull();
      for (const error of body.errors) expect(error.extensions?.code).toMatch(/^[A-Z_]+$/);
      expectNoInternals(text);
    });

    test.each(['', '\u{feff}'])(
      'reports what to send when the body is empty: %j',
      async (rawBody) => {
        const { status, body, text } = await post(rawBody);
        expect([status, body.errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
        expect(body.errors[0].message).toContain("with the operation in 'query'");
        expect(text).not.toContain('originalError');
      },
    );

    test('rejects batches', async () => {
      const { status, body } = await post('[{"query":"{ viewer { name } }"}]');
      expect(status).toBe(400);
      expect(body.errors[0].extensions.code).toMatch(/^[A-Z_]+$/);
    });

    test('rejects mutations by GET', async () => {
      const query =
        'mutation { cloneFeature(input: { featureName: "one", newName: "by-get" }) { __typename } }';
      const { status, body } = await gateway().rest(`/graphql?query=${encodeURIComponent(query)}`);
      expect(status).toBe(405);
      expect(body.errors[0].extensions?.code).toMatch(/^[A-Z_]+$/);
      expect(await database().client.feature.findUnique({ where: { name: 'by-get' } })).toBeNull();
    });

    test('accepts queries by GET', async () => {
      const { body } = await gateway().rest(
        '/graphql?query=%7B%20viewer%20%7B%20isAdmin%20%7D%20%7D',
      );
      expect(body.data.viewer.isAdmin).toBe(true);
    });

    test.each([
      ['application/x-www-form-urlencoded', 'query=%7B+viewer+%7B+name+%7D+%7D'],
      ['text/plain', '{"query":"{ viewer { name } }"}'],
      ['application/graphql', '{ viewer { name } }'],
      [
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n{"query":"{ viewer { name } }"}\r\n--x--\r\n',
      ],
    ])('rejects %s, so that forms of other origins cannot send it', async (type, text) => {
      const { status, body } = await post(text, { 'content-type': type });
      expect(status).toBe(415);
      expect(body.errors[0].extensions.code).toBe('UNSUPPORTED_MEDIA_TYPE');
    });

    test('rejects bodies that exceed the limit when decompressed', async () => {
      const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20));
      const { status } = await post(bomb, { 'content-encoding': 'gzip' });
      expect(status).toBe(413);
    });
  });

  describe('of operations', () => {
    const nested = (depth: number) =>
      `{ project(id: "default") ${'{ features(first: 1) { nodes { project '.repeat(depth)} { id } ${'} } }'.repeat(depth)} }`;
    const times = (count: number, part: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => part(index)).join(' ');
    const { tokens, depth, aliases, directives, cost } = OPERATION_LIMITS;

    test.each([
      ['too deep', nested(6), new RegExp(`${depth} fields deep`)],
      [
        'with too many aliases',
        `{ ${times(aliases + 1, (i) => `a${i}: viewer { name }`)} }`,
        new RegExp(`${aliases} aliases`),
      ],
      [
        'with too many aliases in fragments',
        `{ ...many } fragment many on Query { ${times(aliases + 1, (i) => `a${i}: __typename`)} }`,
        new RegExp(`${aliases} aliases`),
      ],
      [
        'with too many directives',
        `{ viewer { ${times(directives + 1, () => 'name @skip(if: false)')} } }`,
        new RegExp(`${directives} directives`),
      ],
      ['with too many tokens', `{ viewer { ${'name '.repeat(tokens)} } }`, /token/i],
      [
        'too expensive',
        '{ projects(first: 1000) { nodes { features(first: 1000) { nodes { name } } } } }',
        new RegExp(`cost at most ${cost}`),
      ],
      [
        'too expensive by its default pages',
        '{ projects { nodes { features { nodes { events { nodes { id label summary } } } } } } }',
        new RegExp(`cost at most ${cost}`),
      ],
      [
        'that asks the schema in circles',
        `{ __schema { types { ${'fields { type { '.repeat(10)} name ${'} } '.repeat(10)} } } }`,
        /introspection depth/i,
      ],
      [
        'that asks for parts of the schema again and again',
        `{ __schema { types { ${times(3, (i) => `a${i}: fields { ...more }`)} } } }
          fragment more on __Field { ${times(3, (i) => `b${i}: type { name }`)} }`,
        /aliases in introspection fields/,
      ],
      [
        'that asks for fields of types of fields, through fragments',
        `{ viewer { name } __schema { types { ...fields } } }
          fragment fields on __Type { fields { type { ...again } } }
          fragment again on __Type { ofType { possibleTypes { name } } }`,
        /nested 2 levels deep/,
      ],
      [
        'of lists in lists',
        `{ events(filter: { text: ${'['.repeat(2_400)}${']'.repeat(2_400)} }) { totalCount } }`,
        /nested too deeply/,
      ],
      [
        'of fragments in fragments',
        `{ viewer { ...f0 } } ${times(45, (i) => `fragment f${i} on Viewer { ...f${i + 1} ...f${i + 1} }`)}
          fragment f45 on Viewer { name }`,
        new RegExp(`cost at most ${cost}`),
      ],
      [
        'of more fragments than can be compared',
        `{ viewer { ...f0 } } ${times(100, (i) => `fragment f${i} on Viewer { ...f${i + 1} ...f${i + 1} }`)}
          fragment f100 on Viewer { name }`,
        /repeats the same fields or fragments too often/,
      ],
      ['of fields in fields', `${'{ viewer '.repeat(2_400)}${'}'.repeat(2_400)}`, /./],
    ])('rejects one before reading anything: %s', async (_title, query, message) => {
      const send = async () => expect((await expectRejected(query)).message).toMatch(message);
      const ofToken = await statementsOf(() => gateway().graphql('{ __typename }'));
      const ofRefusal = await statementsOf(async () =>
        expect(await cpuMsOf(send)).toBeLessThan(10_000),
      );
      expect(ofRefusal).toEqual(ofToken);
    });

    test('rejects a cost that depends on variables', async () => {
      const query = `query ($n: Int) { projects(first: $n) { nodes { features(first: $n) { nodes { name } } } } }`;
      const error = await expectRejected(query, { n: 1000 });
      expect(error.extensions.code).toBe('LIMIT_EXCEEDED');
      expect((await gateway().graphql(query, { n: 10 })).errors).toBeUndefined();
    });

    test.each(['query', 'subscription'])(
      'rejects a cost that another operation in the document hides: %s',
      async (kind) => {
        const large =
          kind === 'query'
            ? '{ events(first: 1000) { nodes { feature { project { features(first: 1000) { nodes { name } } } } } } }'
            : '{ events { node { feature { project { features(first: 1000) { nodes { project { features(first: 1000) { nodes { name } } } } } } } } } }';
        const { status, body } = await gateway().rest('/graphql', {
          headers: { accept: 'text/event-stream, application/json' },
          body: {
            query: `query Small { viewer { kind } } ${kind} Large ${large}`,
            operationName: 'Large',
          },
        });
        expect([status, body?.errors?.[0].extensions.code]).toEqual([400, 'LIMIT_EXCEEDED']);
      },
    );

    test('reports the first hundred errors only', async () => {
      const failing = 'feature { enabled(environmentName: "nowhere") }';
      const query = `{ events(first: ${EVENTS}) { nodes { ${times(4, (i) => `a${i}: ${failing}`)} } } }`;
      const { errors = [] } = await gateway().graphql(query);
      expect(errors).toHaveLength(101);
      expect(errors.at(-2).extensions.code).toBe('NOT_FOUND');
      expect(errors.at(-1).message).toMatch(/^\d+ more errors are not shown\.$/);
    });

    test('uses the variables of the selected operation only', async () => {
      const query = `query Event($x: Int!) { event(id: $x) { id } }
        query Feature($x: String!) { feature(name: $x) { name } } query Viewer { viewer { kind } }`;
      const runQuery = (operationName: string, variables: object = {}) =>
        gateway().rest('/graphql', { body: { query, operationName, variables } });
      const { body } = await runQuery('Feature', { x: 'plain' });
      expect(body.errors).toBeUndefined();
      expect((await runQuery('Viewer')).body.data.viewer.kind).toBe('ADMIN_TOKEN');
    });

    test('rejects documents of more than 100,000 characters', async () => {
      const { status, body } = await gateway().rest('/graphql', {
        body: { query: `${'\n'.repeat(400_000)}{ ${times(40, (i) => `bad${i}`)} }` },
      });
      expect([status, body.errors]).toEqual([
        400,
        [expect.objectContaining({ message: expect.stringMatching(/100000 characters/) })],
      ]);
    });

    test('accepts an operation just within the limits', async () => {
      const wide = `{ ${times(aliases, (i) => `a${i}: viewer { isAdmin }`)} }`;
      const { data, errors } = await gateway().graphql(wide);
      expect(errors).toBeUndefined();
      expect(Object.keys(data)).toHaveLength(aliases);
      expect((await gateway().graphql(nested(4))).errors).toBeUndefined();
    });
  });

  test('returns a JSON error when the headers are too large', async () => {
    const { status, body } = await rawRequest(gateway().url, {
      path: '/livez',
      headers: { 'x-large': 'x'.repeat(20_000) },
    });
    expect(status).toBe(431);
    expect(JSON.parse(body.toString())).toMatchObject({ name: 'BadDataError' });
  });
});
