import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createRole,
  runDoctor,
  runDoctorJson,
  runSql,
  type TestRole,
} from '../../testkit/attach.js';
import { createMigratedDatabase, type TestDatabase } from '../../testkit/database.js';
import { convertToUnleashVersion } from '../../testkit/unleash-layouts.js';

const page = readFileSync(new URL('../../../docs/guides/attach.md', import.meta.url), 'utf8');
const [script = ''] = [...page.matchAll(/^```sql\n([\s\S]*?)^```$/gm)]
  .map(([, text = '']) => text)
  .filter((text) => text.includes('GRANT'));

let database: TestDatabase;
let role: TestRole;
beforeAll(async () => {
  database = await createMigratedDatabase();
  await convertToUnleashVersion(database.url, '8.2');
  role = await createRole(database.url);
});
afterAll(async () => {
  await role?.drop();
  await database?.drop();
});

/** Roles are global to the server, so the test uses a unique name. */
const follow = (text: string) =>
  runSql(
    database.url,
    ...text
      .split('\n')
      .filter((line) => line.startsWith('GRANT'))
      .map((line) => line.replace(/ TO flaggraph;$/, ` TO ${role.name};`)),
  );

const missing = async (...args: string[]) =>
  (await runDoctorJson(role.url, ...args)).report.status === 'missing';

test('the guide shows what doctor --print-grants prints for Unleash 8.2', async () => {
  const options = ['--print-grants', '--role', 'flaggraph'];
  const { status, text } = await runDoctor({ DATABASE_URL: database.url }, ...options);
  expect(status).toBe(0);
  expect(script).toBe(`${text}\n`);
});

test('the statements of the guide grant reading first, then cloning', async () => {
  const [forReading = '', forCloning = ''] = script.split('-- Cloning\n');
  expect(await missing('--read-only')).toBe(true);
  await follow(forReading);
  expect(await missing('--read-only')).toBe(false);
  expect(await missing()).toBe(true);
  await follow(forCloning);
  expect(await missing()).toBe(false);
});
