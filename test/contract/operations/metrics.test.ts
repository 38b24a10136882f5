import { expect, test } from 'vitest';
import { describeWithDemo, startGateway } from '../../testkit/app.js';
import { openEventStream } from '../../testkit/event-stream.js';

describeWithDemo('GET /metrics', ({ gateway, database, kind }) => {
  const read = async () => (await gateway().rest('/metrics', { token: null })).text;

  /** Value of the series with these labels, or 0. */
  const countOf = async (line: string) => {
    const found = (await read()).split('\n').find((text) => text.startsWith(`${line} `));
    return Number(found?.split(' ').at(-1) ?? 0);
  };

  test('returns Prometheus text, needs no token and is not cached', async () => {
    const { status, headers, text } = await gateway().rest('/metrics', { token: null });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m);
  });

  test('measures requests by route, method and status', async () => {
    const line =
      'flaggraph_http_requests_total{route="/api/admin/addons/:id/events",method="GET",status="200"}';
    const before = await countOf(line);
    await gateway().rest('/api/admin/addons/1/events');
    await gateway().rest('/api/admin/addons/2/events');
    await expect.poll(() => countOf(line)).toBe(before + 2);
  });

  test('measures the duration of requests by route', async () => {
    const route = 'route="/api/admin/addons/:id/events"';
    const line = `flaggraph_http_request_duration_seconds_count{${route}}`;
    const before = await countOf(line);
    await gateway().rest('/api/admin/addons/1/events');
    await gateway().rest('/api/admin/addons/1/events', { token: null });
    await expect.poll(() => countOf(line)).toBe(before + 2);
  });

  test('groups unknown routes and methods', async () => {
    const requests = 'flaggraph_http_requests_total';
    const unknownPath = `${requests}{route="other",method="other",status="404"}`;
    const noPage = `${requests}{route="/docs/*",method="other",status="404"}`;
    const before = { nowhere: await countOf(unknownPath), noPage: await countOf(noPage) };
    for (const path of ['/a', '/b/c', '/api/admin/projects/x', '/docs/no-such-page']) {
      await gateway().rest(path, { method: 'PATCH' });
    }
    await expect.poll(() => countOf(unknownPath)).toBe(before.nowhere + 3);
    await expect.poll(() => countOf(noPage)).toBe(before.noPage + 1);
    expect((await read()).match(/PATCH|projects\/x|no-such-page|\/b\/c/)).toBeNull();
  });

  test.each([
    ['query', 'ok', '{ viewer { name } }'],
    [
      'query',
      'partial',
      '{ viewer { name } integration(id: 99999) { id } feature(name: "\\u0000") { name } }',
    ],
    ['query', 'failed', '{ events(first: 0) { totalCount } }'],
    ['subscription', 'failed', 'subscription { events(after: "forged") { cursor } }'],
    [
      'mutation',
      'ok',
      'mutation { cloneFeature(input: { featureName: "welcome-tour", newName: "welcome-tour" }) { __typename } }',
    ],
  ])('counts a %s with the outcome %s', async (type, outcome, query) => {
    const line = `flaggraph_graphql_operations_total{type="${type}",outcome="${outcome}"}`;
    const before = await countOf(line);
    await gateway().graphql(query);
    expect(await countOf(line)).toBe(before + 1);
  });

  test('counts operations in the URL of a GET too', async () => {
    const line = 'flaggraph_graphql_operations_total{type="query",outcome="ok"}';
    const before = await countOf(line);
    await gateway().rest(`/graphql?query=${encodeURIComponent('{ viewer { name } }')}`);
    expect(await countOf(line)).toBe(before + 1);
  });

  test('reports open streams and their subscriptions', async () => {
    const started = 'flaggraph_graphql_operations_total{type="subscription",outcome="ok"}';
    const before = await countOf(started);
    const stream = await openEventStream(gateway().url, 'subscription { events { cursor } }');
    await expect.poll(() => countOf('flaggraph_live_streams')).toBe(1);
    expect(await countOf(started)).toBe(before + 1);
    await stream.close();
    await expect.poll(() => countOf('flaggraph_live_streams')).toBe(0);
  });

  test('counts statements, and reports the connections of PostgreSQL', async () => {
    const before = await countOf('flaggraph_sql_statements_total');
    await gateway().graphql('{ projects { nodes { id } } }');
    expect(await countOf('flaggraph_sql_statements_total')).toBeGreaterThan(before);
    const text = await read();
    const connections = /^flaggraph_database_connections\{state="open"\} (\d+)$/m.exec(text)?.[1];
    if (kind === 'postgres') expect(Number(connections)).toBeGreaterThan(0);
    else expect(text).not.toContain('flaggraph_database_connections');
  });

  test('measures statements by operation, and the wait for a connection', async () => {
    const statements = 'flaggraph_sql_duration_seconds_count{operation="select",outcome="ok"}';
    const before = {
      statements: await countOf(statements),
      waits: await countOf('flaggraph_pool_wait_seconds_count'),
    };
    await gateway().graphql('{ projects { nodes { id } } }');
    expect(await countOf(statements)).toBeGreaterThan(before.statements);
    expect(await countOf('flaggraph_pool_wait_seconds_count')).toBeGreaterThan(before.waits);
  });

  test('reports the versions, the heap limit, and that the database responds', async () => {
    const text = await read();
    expect(text).toContain(
      `flaggraph_build_info{version="1.2.3-test",node="${process.version}"} 1`,
    );
    expect(text).toMatch(/^flaggraph_heap_limit_bytes \d{8,}$/m);
    expect(text).toMatch(/^flaggraph_database_up 1$/m);
  });

  test('counts slow operations, which are also logged', async () => {
    const slow = await startGateway(database(), { SLOW_OPERATION_MS: '1' });
    await slow.graphql('query Slow { projects { nodes { id features { totalCount } } } }');
    const text = (await slow.rest('/metrics')).text;
    expect(text).toMatch(/^flaggraph_slow_operations_total 1$/m);
    const lines = slow.log.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
    expect(lines).toEqual([
      expect.objectContaining({
        msg: 'slow operation',
        requestId: expect.any(String),
        operation: 'Slow',
        operationType: 'query',
        documentHash: expect.any(String),
        cost: expect.any(Number),
        statements: expect.any(Number),
        databaseMs: expect.any(Number),
        waitedMs: expect.any(Number),
        ms: expect.any(Number),
      }),
    ]);
    expect(lines[0].databaseMs).toBeGreaterThan(0);
    await slow.stop();
  });

  test('is served below the base path', async () => {
    const below = await startGateway(database(), { BASE_PATH: '/flags' });
    const inside = await fetch(`${below.url}/flags/metrics`);
    const outside = await fetch(`${below.url}/metrics`);
    expect([inside.status, outside.status]).toEqual([200, 401]);
    await below.stop();
  });
});
