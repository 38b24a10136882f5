import { expect, test } from 'vitest';
import { createMetrics } from '../../src/observability/metrics.js';

test('scrapes at the same time share one body', async () => {
  let scrapes = 0;
  const scrape = async () => {
    scrapes += 1;
    return `scrape ${scrapes}\n`;
  };
  // Not read, because `scrape` prints the metrics.
  const database = { observe: () => undefined, replicas: {} } as unknown as Parameters<
    typeof createMetrics
  >[0];
  const metrics = createMetrics(database, {
    version: '1',
    scrape,
  });
  const [first, second] = await Promise.all([metrics.respond(), metrics.respond()]);
  expect(first.body).toBeInstanceOf(Buffer);
  expect(second.body).toBe(first.body);
  expect(String(first.body)).toBe('scrape 1\n');
});
