import { expect, test } from 'vitest';
import { describeDemoOnBothDatabases, startGateway } from '../testkit/app.js';
import { openEventStream } from '../testkit/event-stream.js';

describeDemoOnBothDatabases('GET /metrics', ({ gateway, database, kind }) => {
  const read = async () => (await gateway().rest('/metrics', { token: null })).text;

  /** Value of one line, named with its labels; 0 when there is none. */
  const countOf = async (line: string) => {
    const found = (await read()).split('\n').find((text) => text.startsWith(`${line} `));
    return Number(found?.split(' ').at(-1) ?? 0);
  };

  test('is text for Prometheus, needs no token and is never kept', async () => {
    const { status, headers, text } = await gateway().rest('/metrics', { token: null });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m);
  });

  test('times requests by route, method and status', async () => {
    const line =
      'flaggraph_http_request_duration_seconds_count{route="/api/admin/addons/:id/events",method="GET",status="200"}';
    const before = await countOf(line);
    await gateway().rest('/api/admin/addons/1/events');
    await gateway().rest('/api/admin/addons/2/events');
    await expect.poll(() => countOf(line)).toBe(before + 2);
  });

  test('has no name for what nobody foresaw', async () => {
    const requests = 'flaggraph_http_request_duration_seconds_count';
    const nowhere = `${requests}{route="other",method="other",status="404"}`;
    const noPage = `${requests}{route="/docs/*",method="other",status="404"}`;
    const before = { nowhere: await countOf(nowhere), noPage: await countOf(noPage) };
    for (const path of ['/a', '/b/c', '/api/admin/projects/x', '/docs/no-such-page']) {
      await gateway().rest(path, { method: 'PATCH' });
    }
    await expect.poll(() => countOf(nowhere)).toBe(before.nowhere + 3);
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
      'mutation { cloneFeature(input: { feature: "welcome-tour", name: "x", dryRun: true }) { __typename } }',
    ],
  ])('counts a %s that ends %s', async (type, outcome, query) => {
    const line = `flaggraph_graphql_operations_total{type="${type}",outcome="${outcome}"}`;
    const before = await countOf(line);
    await gateway().graphql(query);
    expect(await countOf(line)).toBe(before + 1);
  });

  test('counts what takes the long way like what takes the short cut', async () => {
    const line = 'flaggraph_graphql_operations_total{type="query",outcome="ok"}';
    const before = await countOf(line);
    await gateway().rest(`/graphql?query=${encodeURIComponent('{ viewer { name } }')}`);
    expect(await countOf(line)).toBe(before + 1);
  });

  test('shows streams while they are open, and their subscriptions', async () => {
    const started = 'flaggraph_graphql_operations_total{type="subscription",outcome="ok"}';
    const before = await countOf(started);
    const stream = await openEventStream(gateway().url, 'subscription { events { cursor } }');
    await expect.poll(() => countOf('flaggraph_live_streams')).toBe(1);
    expect(await countOf(started)).toBe(before + 1);
    await stream.close();
    await expect.poll(() => countOf('flaggraph_live_streams')).toBe(0);
  });

  test('counts statements, and shows the connections where there are any', async () => {
    const before = await countOf('flaggraph_sql_statements_total');
    await gateway().graphql('{ projects { nodes { id } } }');
    expect(await countOf('flaggraph_sql_statements_total')).toBeGreaterThan(before);
    const text = await read();
    const connections = /^flaggraph_database_connections\{state="open"\} (\d+)$/m.exec(text)?.[1];
    if (kind === 'postgres') expect(Number(connections)).toBeGreaterThan(0);
    else expect(text).not.toContain('flaggraph_database_connections');
  });

  test('is below the base path like everything else', async () => {
    const below = await startGateway(database(), { BASE_PATH: '/flags' });
    const inside = await fetch(`${below.url}/flags/metrics`);
    const outside = await fetch(`${below.url}/metrics`);
    expect([inside.status, outside.status]).toEqual([200, 401]);
    await below.stop();
  });
});
