import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { shareOf } from '../../src/cli/workers/worker.js';
import { loadConfig } from '../../src/config/config.js';

const DATABASE_URL = 'postgresql://127.0.0.1/flags';

test('a worker has its part of the limits', () => {
  const config = loadConfig({
    DATABASE_URL,
    WORKERS: '4',
    DATABASE_POOL_SIZE: '18',
    MAX_CONNECTIONS: '1000',
    RATE_LIMIT_POINTS: '1000',
    AUTH_FAILURES_PER_MINUTE: '10',
  });
  expect(shareOf(config)).toMatchObject({
    poolSize: 4,
    traffic: {
      maxConnections: 250,
      rateLimitPoints: 250,
      authFailuresPerMinute: 3,
      maxConcurrentOperations: 2,
      maxBytesInFlight: config.traffic.maxBytesInFlight,
    },
  });
});

test('a limit that is off stays off', () => {
  const { poolSize, traffic } = shareOf(
    loadConfig({ DATABASE_URL, WORKERS: '10', RATE_LIMIT_POINTS: '0' }),
  );
  expect(traffic).toMatchObject({ maxConnections: null, rateLimitPoints: 0 });
  expect(poolSize).toBe(1);
});

test('a single process has all of them', () => {
  const config = loadConfig({ DATABASE_URL });
  expect(shareOf(config)).toEqual(config);
});

test('auto is one worker per core, and one for the embedded database', () => {
  expect(loadConfig({ DATABASE_URL, WORKERS: 'auto' }).workers).toBe(
    Math.min(availableParallelism(), 10),
  );
  expect(loadConfig({ WORKERS: 'auto' }).workers).toBe(1);
});
