import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '../../testkit/database.js';
import { runCommand, startGatewayProcess, stopCommands } from '../../testkit/gateway-process.js';
import { type OtlpReceiver, startOtlpReceiver } from '../../testkit/otlp-receiver.js';

let receiver: OtlpReceiver;
let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createMigratedDatabase();
  // The first call builds the program if it is missing or stale.
  expect((await runCommand(['serve', '--check-config'])).code).toBe(0);
});
afterAll(async () => {
  await stopCommands();
  await database.drop();
});
beforeEach(async () => {
  receiver = await startOtlpReceiver();
  folder = mkdtempSync(join(tmpdir(), 'flaggraph-telemetry-'));
});
afterEach(async () => {
  await receiver.stop();
  rmSync(folder, { recursive: true });
});

const settings = () => ({ DATABASE_URL: database.url, NODE_V8_COVERAGE: folder });

const start = (extra: Record<string, string> = {}) =>
  startGatewayProcess({ ...settings(), ...extra });

/** The OpenTelemetry packages that the process has loaded, according to V8's list of scripts. */
const loadedPackages = (): string[] => {
  const reports = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  const names = reports.flatMap((text) =>
    [...text.matchAll(/node_modules\/@opentelemetry\/([\w-]+)\//g)].map(([, name]) => name ?? ''),
  );
  return [...new Set(names)].toSorted();
};

test('loads only the API package of OpenTelemetry unless an endpoint is set', async () => {
  const gateway = await start({ OTEL_SERVICE_NAME: 'flags' });
  await fetch(`${gateway.url}/metrics`);
  expect((await gateway.stop('SIGTERM')).code).toBe(0);
  expect(loadedPackages()).toEqual(['api']);
});

test('loads only the API package while OpenTelemetry is disabled', async () => {
  const gateway = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_SDK_DISABLED: 'true',
  });
  expect((await gateway.stop('SIGTERM')).code).toBe(0);
  expect(loadedPackages()).toEqual(['api']);
  expect(receiver.received).toEqual([]);
});

test('exports pending telemetry on SIGTERM', async () => {
  const gateway = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  });
  const { headers } = await fetch(`${gateway.url}/api/admin/search/events`);
  expect((await gateway.stop('SIGTERM')).code).toBe(0);
  expect(loadedPackages()).toEqual(expect.arrayContaining(['sdk-metrics', 'sdk-trace']));
  expect(receiver.spans()).toContainEqual(
    expect.objectContaining({
      name: 'GET /api/admin/search/events',
      attributes: expect.objectContaining({
        'http.response.status_code': 401,
        'flaggraph.request.id': headers.get('x-request-id'),
      }),
    }),
  );
  const up = receiver.metrics().find(({ name }) => name === 'flaggraph_database_up');
  expect(up.gauge.dataPoints[0].asDouble).toBe(1);
});

test('stops in time while the collector hangs', async () => {
  receiver.hang();
  const gateway = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  await fetch(`${gateway.url}/api/admin/search/events`);
  const { code, stdout } = await gateway.stop('SIGTERM');
  expect(receiver.received.length).toBeGreaterThan(0);
  expect(code).toBe(0);
  expect(stdout).not.toContain('not stopped in time');
});
