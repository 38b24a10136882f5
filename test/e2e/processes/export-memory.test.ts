import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '../../testkit/database.js';
import { runCommand, stopCommands } from '../../testkit/gateway-process.js';
import { addManyEvents } from '../../testkit/many-events.js';

// Of four thousand bytes each: less work for the same amount.
const COUNT = 25_000;
const TEXT_BYTES = 1_792;
const MOST_KB = 250_000;
const PEAK = new URL('../../testkit/print-peak-memory.mjs', import.meta.url);

let database: TestDatabase;
beforeAll(async () => {
  // Builds the program if it is missing or stale.
  expect(await runCommand(['serve', '--check-config'])).toMatchObject({ code: 0 });
  database = await createMigratedDatabase();
  await addManyEvents(database.url, COUNT, TEXT_BYTES);
});
afterAll(async () => {
  await stopCommands();
  await database.drop();
});

test.each(['ndjson', 'csv'])(
  'an export of 100 MB as %s takes no more memory than a short one',
  {
    timeout: 600_000,
  },
  async (format) => {
    const settings = { DATABASE_URL: database.url, NODE_OPTIONS: `--import ${PEAK}` };
    const args = ['export', '--format', format, '--output', '/dev/null', '--quiet'];
    const ended = await runCommand(args, settings);
    expect(ended).toMatchObject({ code: 0, stdout: '' });
    const peak = Number(/peak (\d+)\n$/.exec(ended.stderr)?.[1]);
    expect(peak).toBeGreaterThan(50_000);
    expect(peak).toBeLessThan(MOST_KB);
  },
);
