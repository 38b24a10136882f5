import { afterAll, beforeAll, expect, test } from 'vitest';
import { convertToUnleash, createRole, runDoctor, runSql } from '../../testkit/attach.js';
import { createMigratedDatabase, type TestDatabase } from '../../testkit/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createMigratedDatabase();
  await convertToUnleash(database.url);
});
afterAll(() => database.drop());

const diagnose = async (settings: Record<string, string>, url = database.url) => {
  const { status, text } = await runDoctor({ DATABASE_URL: url, ...settings }, '--json');
  const { sessions, faults, recommendations, privateProjects } = JSON.parse(text);
  return { status, sessions, faults, recommendations, privateProjects };
};

test('doctor reports that sessions can work', async () => {
  const { sessions, faults } = await diagnose({ UNLEASH_SECRET: 'own' });
  expect([sessions, faults]).toEqual([{ isOn: true, reason: null, warning: null }, []]);
  const { text } = await runDoctor({ DATABASE_URL: database.url, UNLEASH_SECRET: 'own' });
  expect(text).toContain('✓ sign-in sessions of Unleash are accepted');
});

test.each([
  [{}, 'UNLEASH_SECRET is not set'],
  [{ UNLEASH_SECRET: 'own', SESSIONS: 'off' }, 'SESSIONS is off'],
  [{ UNLEASH_SECRET: 'super-secret' }, 'public default'],
])('doctor reports why sessions are off with %j', async (settings, reason) => {
  const { sessions, faults } = await diagnose(settings);
  expect(sessions).toMatchObject({ isOn: false, reason: expect.stringContaining(reason) });
  expect(faults).toEqual([]);
});

test.each([
  [{ CONSOLE: 'off', UNLEASH_SECRET: 'own' }, 'CONSOLE is off'],
  [{ NODE_ENV: 'production' }, 'in production it requires sign-in sessions'],
])('doctor reports why the console is off with %j', async (settings, reason) => {
  const { text } = await runDoctor({ DATABASE_URL: database.url, ...settings }, '--json');
  expect(JSON.parse(text).console).toEqual({
    isOn: false,
    reason: expect.stringContaining(reason),
  });
  const report = await runDoctor({ DATABASE_URL: database.url, ...settings });
  expect(report.text).toContain(`- the console is off: ${reason}`);
});

test('doctor warns about the public default secret', async () => {
  const { status, sessions, recommendations } = await diagnose({ SESSIONS: 'on' });
  expect(status).toBe(2);
  expect(sessions).toMatchObject({ isOn: true, warning: expect.stringContaining('public') });
  expect(recommendations).toContainEqual(sessions.warning);
});

test('doctor reports sessions that are requested or expected and cannot be read', async () => {
  const role = await createRole(database.url);
  try {
    await runSql(
      database.url,
      `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role.name}`,
      `REVOKE ALL ON unleash_session FROM ${role.name}`,
    );
    const { status, faults } = await diagnose({ SESSIONS: 'on', UNLEASH_SECRET: 'own' }, role.url);
    expect(status).toBe(1);
    expect(faults).toEqual([expect.stringContaining('may not read unleash_session')]);
    const expected = await diagnose({ UNLEASH_SECRET: 'own' }, role.url);
    expect(expected.faults).toEqual([]);
    expect(expected.recommendations).toContainEqual(
      expect.stringMatching(/^UNLEASH_SECRET is set, but .* may not read unleash_session/),
    );
    const indifferent = await diagnose({}, role.url);
    expect(indifferent.recommendations.join()).not.toContain('unleash_session');
  } finally {
    await role.drop();
  }
});

test('doctor counts private projects', async () => {
  expect((await diagnose({})).privateProjects).toBe(0);
  await runSql(
    database.url,
    "INSERT INTO projects (id, name) VALUES ('vault', 'Vault')",
    "INSERT INTO project_settings (project, project_mode) VALUES ('vault', 'private')",
  );
  expect((await diagnose({})).privateProjects).toBe(1);
  const { text } = await runDoctor({ DATABASE_URL: database.url });
  expect(text).toContain('private projects, hidden from Viewers who are not members: 1');
});
