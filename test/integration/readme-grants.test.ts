import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askDoctor, createRole, runSql, type TestRole } from '../testkit/attach.js';
import { openPostgresWorld, type PostgresWorld } from '../testkit/clone-postgres.js';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const [forReading = '', forCloning = ''] = [...readme.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(
  ([, text = '']) => text,
);

let world: PostgresWorld;
let role: TestRole;
beforeAll(async () => {
  world = await openPostgresWorld();
  role = await createRole(world.url);
  world.onClose(role.drop);
});
afterAll(() => world.close());

/** Users belong to the whole server, so the test brings one under a name of its own. */
const follow = async (text: string) => {
  const statements = text.split(';').filter((statement) => statement.includes('GRANT'));
  await runSql(
    world.url,
    ...statements.map((statement) => statement.replaceAll(/\bflaggraph\b/g, role.name)),
  );
};

test('the statements of the README give exactly the rights that reading, then cloning needs', async () => {
  expect((await askDoctor(role.url, '--read-only')).status).toBe(1);
  await follow(forReading);
  expect((await askDoctor(role.url, '--read-only')).status).toBe(0);
  expect((await askDoctor(role.url)).status).toBe(1);
  await follow(forCloning);
  expect(await askDoctor(role.url)).toMatchObject({ status: 0, report: { grants: [] } });
});
