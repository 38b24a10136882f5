import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loadConfig } from '../../../src/config/config.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { startRequestSpan } from '../../../src/domain/tracing.js';
import { type RunningTelemetry, startTelemetry } from '../../../src/telemetry/start-telemetry.js';
import { describeWithDemo, startGateway } from '../../testkit/app.js';
import { openEventStream } from '../../testkit/event-stream.js';
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from '../../testkit/otlp-receiver.js';
import { fieldsOf } from '../../testkit/read-protobuf.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;

const QUERY = `query Names($project: String!) {
  events(first: 2, filter: { projectId: { is: $project } }) {
    totalCount
    nodes { feature { name tags { value } } }
  }
  projects { nodes { id features(first: 1) { nodes { name } } } }
}`;

let receiver: OtlpReceiver;
let warnings: string[];

beforeEach(async () => {
  receiver = await startOtlpReceiver();
  warnings = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await receiver.stop();
});

const start = (settings: Record<string, string> = {}): Promise<RunningTelemetry> => {
  const { telemetry } = loadConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    ...settings,
  });
  return startTelemetry(telemetry, {
    version: '1.2.3',
    logger: { warn: (_facts: object, message?: string) => void warnings.push(message ?? '') },
  });
};

const named = (name: string | RegExp): ReceivedSpan[] =>
  receiver
    .spans()
    .filter((span) => (typeof name === 'string' ? span.name === name : name.test(span.name)));

describeWithDemo('traces over OTLP', ({ gateway, database }) => {
  const traced = async (
    work: () => Promise<unknown>,
    settings: Record<string, string> = {},
  ): Promise<void> => {
    const telemetry = await start(settings);
    await work();
    // A request ends just after its client has the response, in order.
    await gateway().rest('/livez');
    await expect.poll(() => gateway().log.at(-1)).toContain('/livez');
    await telemetry.stop();
  };

  test('nest: request, operation, batches of resolvers, statements', async () => {
    await traced(async () => {
      const { errors } = await gateway().graphql(QUERY, { project: 'web-shop' });
      expect(errors).toBeUndefined();
    });
    const spans = receiver.spans();
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const parentOf = ({ parentSpanId = '' }: ReceivedSpan) => byId.get(parentSpanId)?.name;
    const [request] = named('POST /graphql');
    const [operation] = named('GraphQL operation');
    if (!request || !operation) throw new Error('Spans are missing.');

    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([request.traceId]));
    expect(request).toMatchObject({
      kind: SERVER,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/graphql',
        'http.response.status_code': 200,
      },
    });
    expect(request.parentSpanId).toBeUndefined();
    expect(operation.attributes).toMatchObject({
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'Names',
      'flaggraph.document.hash': expect.stringMatching(/^[\w-]{43}$/),
      'flaggraph.cost': expect.any(Number),
    });
    expect(parentOf(operation)).toBe('POST /graphql');
    for (const name of [
      'listEvents',
      'countEvents',
      'listProjects',
      'listFeaturesOf',
      'load feature',
    ]) {
      expect(named(name).map(parentOf), name).toEqual(['GraphQL operation']);
    }
    const [batch] = named('listFeaturesOf');
    expect(Number(batch?.attributes['flaggraph.batch.size'])).toBeGreaterThan(1);

    const statements = spans.filter(({ kind }) => kind === CLIENT);
    const parents = statements.map(parentOf);
    expect(parents).toEqual(
      expect.arrayContaining(['listEvents', 'listFeaturesOf', 'load feature']),
    );
    expect(parents).not.toContain(undefined);
    for (const { attributes } of statements) {
      expect(attributes).toMatchObject({
        'db.system.name': 'postgresql',
        'db.query.text': expect.stringMatching(/^(select|with|set) /i),
      });
    }
  });

  test('cover REST, writes and failures', async () => {
    await traced(async () => {
      await gateway().rest('/api/admin/projects/default/features/welcome-tour/clone', {
        body: { name: `traced-${Date.now()}` },
      });
      await gateway().rest('/api/admin/projects/nowhere/health-report');
      await gateway().graphql('{ events(first: 0) { totalCount } }');
    });
    const [clone] = named(/^POST .*clone$/);
    expect(clone?.attributes['http.route']).toBe(
      '/api/admin/projects/:projectId/features/:featureName/clone',
    );
    const operations = receiver.spans().map(({ attributes }) => attributes['db.operation.name']);
    expect(operations).toEqual(expect.arrayContaining(['SELECT', 'INSERT']));
    expect(named('getHealthReport')[0]).toMatchObject({
      status: { code: ERROR },
      attributes: { 'error.type': 'NotFoundError' },
    });
    expect(named('GraphQL operation')[0]).toMatchObject({
      status: { code: ERROR },
      attributes: { 'error.type': 'BadDataError' },
    });
  });

  test('contain no credential, literal, variable, path or query string', async () => {
    const secrets = {
      token: 'user:secret-of-a-token',
      cookie: 'secret-of-a-cookie',
      literal: 'secret-literal',
      variable: 'secret-variable',
      project: 'secret-project',
      parameter: 'secret-parameter',
    };
    await traced(async () => {
      await gateway().rest('/api/admin/search/events?limit=1', { token: secrets.token });
      await gateway().rest(`/api/admin/search/events?query=${secrets.parameter}`, {
        headers: { cookie: `unleash-session=${secrets.cookie}` },
      });
      await gateway().rest(`/api/admin/projects/${secrets.project}/health-report`);
      await gateway().graphql(
        `query Find($name: String!) {
          feature(name: $name) { name }
          events(filter: { text: "${secrets.literal}" }) { totalCount }
        }`,
        { name: secrets.variable },
      );
      await gateway().graphql(`{ feature(name: "${secrets.literal}\\u0000") { name } }`);
    });
    const text = receiver.received.map(({ body }) => String(body)).join('\n');
    expect(named(/./).length).toBeGreaterThan(10);
    for (const secret of [...Object.values(secrets), DEMO_TOKENS.admin]) {
      expect(text).not.toContain(secret);
    }
    expect(text).not.toContain('secret-');
  });

  test('continue the trace of the client, and are named in the log', async () => {
    const headers = {
      traceparent: `00-${TRACE}-${CALLER}-01`,
      tracestate: 'vendor=1',
      'x-request-id': 'from-the-caller',
    };
    gateway().log.length = 0;
    await traced(async () => {
      const response = await gateway().graphql('{ viewer { name } }', {}, { headers });
      expect(response.headers.get('x-request-id')).toBe('from-the-caller');
    });
    expect(JSON.parse(gateway().log[0] ?? '')).toMatchObject({
      requestId: 'from-the-caller',
      traceId: TRACE,
    });
    const [request] = named('POST /graphql');
    expect(request).toMatchObject({
      traceId: TRACE,
      parentSpanId: CALLER,
      traceState: 'vendor=1',
      attributes: { 'flaggraph.request.id': 'from-the-caller' },
    });
  });

  test('follow the sampling decision of the client, or the sampler', async () => {
    await traced(() =>
      gateway().graphql(
        '{ viewer { name } }',
        {},
        { headers: { traceparent: `00-${TRACE}-${CALLER}-00` } },
      ),
    );
    expect(receiver.spans()).toEqual([]);
    vi.stubEnv('OTEL_TRACES_SAMPLER', 'always_off');
    await traced(() => gateway().graphql('{ viewer { name } }'));
    expect(receiver.spans()).toEqual([]);
  });

  test('omit probes and metrics, and end when a stream is closed', async () => {
    await traced(async () => {
      await gateway().rest('/livez');
      await gateway().rest('/readyz');
      await gateway().rest('/metrics');
      const stream = await openEventStream(
        gateway().url,
        'subscription { events(after: "", filter: { projectId: { is: "web-shop" } }) { cursor } }',
      );
      await stream.close();
      await expect
        .poll(async () => (await gateway().rest('/metrics')).text)
        .toContain('flaggraph_live_streams 0');
    });
    expect(named(/livez|readyz|metrics/)).toEqual([]);
    expect(named('POST /graphql')).toHaveLength(1);
  });

  test('name the service, its version and its instance', async () => {
    vi.stubEnv('OTEL_SERVICE_NAME', 'flags-eu');
    vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=test');
    await traced(() => gateway().graphql('{ viewer { name } }'));
    expect(receiver.resources()[0]).toMatchObject({
      'service.name': 'flags-eu',
      'service.version': '1.2.3',
      'service.instance.id': expect.any(String),
      'deployment.environment.name': 'test',
    });
  });

  test('are sent as Protobuf unless JSON is set', async () => {
    await traced(() => gateway().graphql('{ viewer { name } }'), {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    });
    const [sent] = receiver.received.filter(({ path }) => path === '/v1/traces');
    expect(sent?.type).toBe('application/x-protobuf');
    const spans = fieldsOf(sent?.body ?? Buffer.of(), 1)
      .flatMap((resource) => fieldsOf(resource, 2))
      .flatMap((scope) => fieldsOf(scope, 2));
    const names = spans.flatMap((span) => fieldsOf(span, 5)).map(String);
    expect(names).toEqual(
      expect.arrayContaining(['POST /graphql', 'GraphQL operation', 'SQL select']),
    );
  });

  test('do not change the response', async () => {
    const plain = await gateway().graphql(QUERY, { project: 'web-shop' });
    await traced(async () => {
      const { data } = await gateway().graphql(QUERY, { project: 'web-shop' });
      expect(data).toEqual(plain.data);
    });
  });

  test('are accompanied by the metrics of /metrics, under the same names', async () => {
    const telemetry = await start({ OTEL_TRACES_EXPORTER: 'none' });
    const measured = await startGateway(database());
    telemetry.exportMetrics(measured.app.readMetrics);
    await measured.graphql('{ projects { nodes { id } } }');
    const text = (await measured.rest('/metrics')).text;
    await telemetry.stop();
    await measured.stop();

    const names = new Set(receiver.metrics().map(({ name }) => name));
    const documented = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(names).toEqual(new Set(documented));
    const statements = receiver
      .metrics()
      .find(({ name }) => name === 'flaggraph_sql_duration_seconds');
    const [point] = statements.histogram.dataPoints;
    const counts = point.bucketCounts.map(Number);
    expect(counts).toHaveLength(point.explicitBounds.length + 1);
    expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(Number(point.count));
    const operations = receiver
      .metrics()
      .find(({ name }) => name === 'flaggraph_graphql_operations_total');
    expect(operations.sum).toMatchObject({ isMonotonic: true, aggregationTemporality: 2 });
    expect(receiver.spans()).toEqual([]);
  });
});

test('drops spans while the collector hangs, and stops within its limit', async () => {
  receiver.hang();
  const telemetry = await start({ OTEL_METRICS_EXPORTER: 'none' });
  for (let n = 0; n < 10_000; n += 1) startRequestSpan('GET /', undefined)?.end();
  await expect.poll(() => receiver.received.length).toBe(1);
  const started = performance.now();
  await telemetry.stop();
  expect(performance.now() - started).toBeLessThan(5_000);
  // The queue, and the batch in flight.
  expect(receiver.spans().length).toBeLessThanOrEqual(2_048 + 512);
  expect(receiver.spans().length).toBeGreaterThan(0);
  receiver.recover();
});

test('reports failed exports once a minute, without details', async () => {
  receiver.reject();
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '10');
  const telemetry = await start({ OTEL_METRICS_EXPORTER: 'none' });
  for (const count of [1, 2, 3]) {
    startRequestSpan('GET /', undefined)?.end();
    await expect.poll(() => receiver.received.length).toBe(count);
  }
  await telemetry.stop();
  expect(warnings).toEqual(['Failed to export telemetry to the OTLP endpoint.']);
});

test('is off without an endpoint', async () => {
  const telemetry = await startTelemetry(loadConfig({}).telemetry, {
    version: '1.2.3',
    logger: { warn: () => undefined },
  });
  expect(startRequestSpan('GET /', undefined)).toBeUndefined();
  await telemetry.stop();
});
