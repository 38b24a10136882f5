import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '../../testkit/database.js';
import { runCommand, startGatewayProcess, stopCommands } from '../../testkit/gateway-process.js';
import { addManyEvents } from '../../testkit/many-events.js';

const SLOW = 240_000;
const COUNT = 20_000;
/** About 8,000 events at once, then 800 per second: an export can be interrupted in the middle. */
const RATE = { RATE_LIMIT_POINTS: '240000', RATE_LIMIT_WINDOW_MS: '20000' };

afterAll(stopCommands);

describe('an export over HTTP from a gateway that ends', { timeout: SLOW }, () => {
  let database: TestDatabase;
  let token: string;
  beforeAll(async () => {
    database = await createMigratedDatabase();
    await addManyEvents(database.url, COUNT);
    const settings = { DATABASE_URL: database.url };
    const created = await runCommand(['token', 'create', 'admin', '--name', 'export'], settings);
    token = created.stdout.trim();
  });
  afterAll(async () => {
    await stopCommands();
    await database.drop();
  });

  /** What arrived before the connection closed, and whether that was the end of the response. */
  const read = async (response: Response) => {
    const chunks: Uint8Array[] = [];
    const reading = (async () => {
      for await (const chunk of response.body ?? []) chunks.push(chunk);
    })().then(
      () => true,
      () => false,
    );
    return { isWhole: reading, text: () => Buffer.concat(chunks).toString('utf8') };
  };
  const start = (url: string, query: string) =>
    fetch(`${url}/export/events.ndjson${query}`, {
      headers: { authorization: token, 'accept-encoding': 'identity' },
    });
  const wholeLines = (text: string) => text.slice(0, text.lastIndexOf('\n') + 1);
  const idsOf = (text: string): number[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).id);

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'is resumed after %s without a lost or repeated event',
    async (signal) => {
      const settings = { DATABASE_URL: database.url };
      const first = await startGatewayProcess({ ...settings, ...RATE });
      const response = await start(first.url, '');
      expect(response.status).toBe(200);
      const { isWhole, text } = await read(response);
      await expect.poll(() => text().length).toBeGreaterThan(1_000_000);
      await delay(500);
      const stopping = performance.now();
      await first.stop(signal);
      expect(performance.now() - stopping).toBeLessThan(10_000);
      expect(await isWhole).toBe(false);
      if (signal === 'SIGTERM') expect(text().endsWith('}\n')).toBe(true);

      const head = idsOf(wholeLines(text()));
      expect(head.length).toBeGreaterThan(1_000);
      expect(head.length).toBeLessThan(COUNT);
      const upTo = response.headers.get('export-up-to');
      const second = await startGatewayProcess(settings);
      const rest = await start(second.url, `?after=${head.at(-1)}&up-to=${upTo}`);
      const resumed = await read(rest);
      expect(await resumed.isWhole).toBe(true);
      const ids = [...head, ...idsOf(resumed.text())];
      expect(ids).toHaveLength(COUNT);
      expect(new Set(ids).size).toBe(COUNT);
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      await second.stop('SIGTERM');
    },
  );
});
