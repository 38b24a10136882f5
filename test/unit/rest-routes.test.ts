import { describe, expect, test } from 'vitest';
import { createFakeRest } from '../testkit/rest-fakes.js';

const CLONE = '/api/admin/projects/web/features/checkout/clone';
const JSON_TYPE = { 'content-type': 'application/json' };

describe('event search', () => {
  test('passes every condition to the domain operation', async () => {
    const { send, calls } = createFakeRest();
    const search = new URLSearchParams({
      query: '100%_',
      id: 'IS_ANY_OF:7, 9',
      groupId: 'IS:01JZ0000000000000000000000',
      feature: 'IS:checkout',
      project: 'IS_ANY_OF:web,app',
      type: 'IS:feature-created',
      createdBy: 'IS:-42',
      from: 'IS:2025-01-01',
      to: 'IS:2025-01-31',
      offset: '20',
      limit: '10',
      unknown: 'ignored',
    });
    await send(`/api/admin/search/events?${search}`, { as: 'viewer' });
    expect(calls).toEqual([
      {
        operation: 'searchEvents',
        author: 'viewer',
        input: {
          criteria: {
            text: '100%_',
            ids: [7, 9],
            groups: ['01JZ0000000000000000000000'],
            features: ['checkout'],
            projects: ['web', 'app'],
            types: ['feature-created'],
            creators: [-42],
            from: new Date('2025-01-01T00:00:00Z'),
            before: new Date('2025-02-01T00:00:00Z'),
          },
          page: { limit: 10, offset: 20 },
        },
      },
    ]);
  });

  test('returns the first 50 by default', async () => {
    const { send, calls } = createFakeRest();
    await send('/api/admin/search/events?feature=IS:&query=');
    expect(calls[0]?.input).toEqual({ criteria: {}, page: { limit: 50, offset: 0 } });
  });

  test('reports the first violation in the order of the document, whatever the order of the request', async () => {
    const bad = {
      limit: 'limit[]=1',
      offset: 'offset[]=1',
      to: 'to=x',
      from: 'from=x',
      createdBy: 'createdBy=IS:x',
      type: 'type=x',
      project: 'project=x',
      feature: 'feature=x',
      groupId: 'groupId=x',
      id: 'id=IS:x',
      query: 'query[]=x',
    };
    const { send, calls } = createFakeRest();
    const remaining = Object.entries(bad);
    while (remaining.length > 0) {
      const { json } = await send(
        `/api/admin/search/events?${remaining.map(([, part]) => part).join('&')}`,
      );
      const name = remaining.pop()?.[0];
      expect(json.details).toEqual([expect.objectContaining({ path: `/query/${name}` })]);
    }
    expect(calls).toEqual([]);
  });

  test('reports the received value, shortened', async () => {
    const { send } = createFakeRest();
    const { json } = await send(`/api/admin/search/events?feature=${'x'.repeat(5000)}`);
    expect(json.message).toContain('xxx');
    expect(json.message.length).toBeLessThan(400);
  });

  test('returns all keys of an event in their order', async () => {
    const event = {
      summary: '**ann** created checkout',
      label: 'Feature created',
      groupId: null,
      groupType: null,
      environment: null,
      projectId: 'web',
      featureName: 'checkout',
      tags: null,
      preData: null,
      data: { b: 1, a: [null] },
      createdByUserId: 3,
      createdAt: new Date('2025-01-01T10:00:00.123Z'),
      createdBy: 'ann',
      type: 'feature-created',
      id: 9,
    };
    const { send } = createFakeRest({
      operations: {
        searchEvents: async () => ({ events: [event, { ...event, createdAt: null }], total: 2 }),
      },
    });
    const { body } = await send('/api/admin/search/events');
    const eventJson = (createdAt: string) =>
      `{"id":9,"type":"feature-created","createdBy":"ann","createdAt":${createdAt},` +
      '"createdByUserId":3,"data":{"b":1,"a":[null]},"preData":null,"tags":[],' +
      '"featureName":"checkout","project":"web","environment":null,' +
      '"label":"Feature created","summary":"**ann** created checkout"}';
    const events = `${eventJson('"2025-01-01T10:00:00.123Z"')},${eventJson('null')}`;
    expect(body).toBe(`{"events":[${events}],"total":2}`);
  });

  test('returns the group of an event only where one is recorded', async () => {
    const event = {
      id: 9,
      type: 'feature-created',
      createdBy: 'ann',
      createdAt: null,
      createdByUserId: null,
      data: null,
      preData: null,
      tags: [],
      featureName: null,
      projectId: null,
      environment: 'production',
      groupType: 'transaction',
      groupId: '01JZ0000000000000000000000',
      label: 'x',
      summary: 'x',
    };
    const { send } = createFakeRest({
      operations: {
        searchEvents: async () => ({
          events: [event, { ...event, groupType: null, groupId: null }],
          total: 2,
        }),
      },
    });
    const { body } = await send('/api/admin/search/events');
    expect(body).toContain(
      '"environment":"production","groupType":"transaction","groupId":"01JZ0000000000000000000000","label"',
    );
    expect(body).toContain('"environment":"production","label"');
  });

  test.each(['x', '1.5', '', '99999999999', '-99999999999', '0x1', '1,,2'])(
    'rejects %j as event ID',
    async (value) => {
      const { send, calls } = createFakeRest();
      const { status, json } = await send(`/api/admin/search/events?id=IS_ANY_OF:5,${value}`);
      expect([status, json.name]).toEqual([400, 'BadDataError']);
      expect(json.details).toEqual([expect.objectContaining({ path: '/query/id' })]);
      expect(calls).toEqual([]);
    },
  );

  test.each([false, 0, null, undefined, ''])(
    'returns tags stored as %j as an empty list',
    async (tags) => {
      const event = {
        id: 1,
        type: 'x',
        createdBy: 'ann',
        createdAt: null,
        createdByUserId: null,
        data: undefined,
        preData: undefined,
        tags,
        featureName: null,
        projectId: null,
        environment: null,
        groupType: null,
        groupId: null,
        label: 'x',
        summary: 'x',
      };
      const { send } = createFakeRest({
        operations: { searchEvents: async () => ({ events: [event], total: 1 }) },
      });
      const { json } = await send('/api/admin/search/events');
      expect(json.events).toMatchObject([{ tags: [], data: null, preData: null }]);
    },
  );
});

describe('the list of integration events', () => {
  test.each(['7', '%207%20', '+7', '007'])('reads %s as integration 7', async (id) => {
    const { send, calls } = createFakeRest();
    await send(`/api/admin/addons/${id}/events?limit=100&offset=3`);
    expect(calls).toMatchObject([{ input: { integrationId: 7, page: { limit: 100, offset: 3 } } }]);
  });

  test.each([
    'abc',
    '1abc',
    'NaN',
    '%00',
    '1.5',
    '1.0',
    '0x1',
    '1e0',
    'Infinity',
    '%20',
    '2147483648',
  ])('rejects %s as an ID', async (id) => {
    const { send, calls, bugs } = createFakeRest();
    const { status, json } = await send(`/api/admin/addons/${id}/events`);
    expect([status, json.name]).toEqual([400, 'BadDataError']);
    expect([...calls, ...bugs]).toEqual([]);
  });

  test('uses the default for a limit above 100', async () => {
    const { send, calls } = createFakeRest();
    await send('/api/admin/addons/1/events?limit=101');
    expect(calls).toMatchObject([{ input: { page: { limit: 50, offset: 0 } } }]);
  });

  test('requires an administrator', async () => {
    const { send, calls } = createFakeRest();
    const { status, json } = await send('/api/admin/addons/1/events', { as: 'member' });
    expect([status, json.name]).toEqual([403, 'NoAccessError']);
    expect(Object.keys(json)).toEqual(['id', 'name', 'message', 'details', 'permissions']);
    expect(json.permissions).toEqual(['ADMIN']);
    expect(calls).toEqual([]);
  });

  test('returns IDs as strings and all keys in their order', async () => {
    const record = {
      details: { url: 'x' },
      event: { id: 1 },
      stateDetails: 'refused',
      state: 'failed',
      createdAt: new Date(0),
      integrationId: 1,
      id: 9007199254740993n,
    };
    const { send } = createFakeRest({
      operations: { listIntegrationEvents: async () => [record] },
    });
    expect((await send('/api/admin/addons/1/events')).body).toBe(
      '{"integrationEvents":[{"id":"9007199254740993","integrationId":1,' +
        '"createdAt":"1970-01-01T00:00:00.000Z","state":"failed","stateDetails":"refused",' +
        '"event":{"id":1},"details":{"url":"x"}}]}',
    );
  });
});

describe('a clone request', () => {
  test('returns 200 and creates the copy in the project of the path', async () => {
    const { postJson, calls } = createFakeRest();
    const { status, json } = await postJson(CLONE, { name: 'copy' }, { as: 'member' });
    expect([status, json.name]).toEqual([200, 'copy']);
    expect(calls).toEqual([
      {
        operation: 'cloneFeature',
        author: 'member',
        input: { source: 'checkout', targetProject: 'web', name: 'copy', replaceGroupId: true },
      },
    ]);
  });

  test('returns the keys of Unleash first, in its order', async () => {
    const { postJson } = createFakeRest();
    expect((await postJson(CLONE, { name: 'copy' })).body).toBe(
      '{"name":"copy","description":null,"type":"release","project":"web","stale":false,' +
        '"createdAt":"2025-01-01T00:00:00.000Z","lastSeenAt":null,"impressionData":false,' +
        '"archivedAt":null,"archived":false,"environments":[],"enabled":false,"favorite":false,' +
        '"createdBy":null,"variants":[],"children":[],"dependencies":[],"lifecycle":null,' +
        '"collaborators":{"users":[]}}',
    );
  });

  test('requires CREATE_FEATURE in that project, whatever environment the body names', async () => {
    const { postJson } = createFakeRest();
    const body = { name: 'copy', environment: 'anything', environmentId: 'else' };
    expect((await postJson(CLONE, body, { as: 'member' })).status).toBe(200);
    const otherProject = CLONE.replace('/web/', '/app/');
    const { status, json } = await postJson(otherProject, body, { as: 'member' });
    expect([status, json.name, json.permissions]).toEqual([
      403,
      'NoAccessError',
      ['CREATE_FEATURE'],
    ]);
  });

  test.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/xml'])(
    'is rejected with content type %s',
    async (contentType) => {
      const { send, calls } = createFakeRest();
      const headers = contentType === undefined ? {} : { 'content-type': contentType };
      const { status, json } = await send(CLONE, { method: 'POST', headers, body: 'name=copy' });
      expect([status, json.name]).toEqual([415, 'ContentTypeerror']);
      expect(json.message).toContain(contentType ?? 'no content type');
      expect(calls).toEqual([]);
    },
  );

  test.each([
    [{ name: 123456 }, { name: '123456', replaceGroupId: true }],
    [{ name: true }, { name: 'true', replaceGroupId: true }],
    [{ name: null }, { name: '', replaceGroupId: true }],
    [
      { name: 'x', replaceGroupId: 'true' },
      { name: 'x', replaceGroupId: true },
    ],
    [
      { name: 'x', replaceGroupId: 1 },
      { name: 'x', replaceGroupId: true },
    ],
    [
      { name: 'x', replaceGroupId: false },
      { name: 'x', replaceGroupId: false },
    ],
    [
      { name: 'x', replaceGroupId: 'false' },
      { name: 'x', replaceGroupId: false },
    ],
    [
      { name: 'x', replaceGroupId: 0 },
      { name: 'x', replaceGroupId: false },
    ],
    [
      { name: 'x', replaceGroupId: null },
      { name: 'x', replaceGroupId: false },
    ],
  ])('accepts %j as %j', async (body, expected) => {
    const { postJson, calls } = createFakeRest();
    await postJson(CLONE, body);
    expect(calls).toMatchObject([{ input: expected }]);
  });

  test.each([
    [{}, '/body/name'],
    [{ replaceGroupId: 'maybe' }, '/body/name'],
    [{ name: ['x'] }, '/body/name'],
    [{ name: { x: 1 }, replaceGroupId: 2 }, '/body/name'],
    [{ name: 'a\ud800' }, '/body/name'],
    [{ name: 'x', replaceGroupId: 2 }, '/body/replaceGroupId'],
    [{ name: 'x', replaceGroupId: '' }, '/body/replaceGroupId'],
    [{ name: 'x', replaceGroupId: [] }, '/body/replaceGroupId'],
    [[], '/body'],
    ['text', '/body'],
    [null, '/body'],
  ])('rejects %j because of %s', async (body, path) => {
    const { postJson, calls } = createFakeRest();
    const { status, json } = await postJson(CLONE, body);
    expect([status, json.name]).toEqual([400, 'BadDataError']);
    expect(json.details).toEqual([expect.objectContaining({ path })]);
    expect(calls).toEqual([]);
  });

  test('treats an empty body as one without a name', async () => {
    const { send } = createFakeRest();
    const { status, json } = await send(CLONE, { method: 'POST', headers: JSON_TYPE });
    expect(status).toBe(400);
    expect(Object.keys(json.details[0])).toEqual(['path', 'message']);
  });

  test('rejects a source name with a NUL', async () => {
    const { postJson } = createFakeRest();
    const path = '/api/admin/projects/web/features/a%00/clone';
    expect((await postJson(path, { name: 'copy' })).status).toBe(400);
  });
});
