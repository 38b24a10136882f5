import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { doctorCommand } from '../../src/cli/doctor.js';
import { readRecommendedIndexes } from '../../src/data/doctor/recommended-indexes.js';
import { UNLEASH_VERSIONS } from '../../src/data/doctor/unleash-version.js';

/** Runs SQL as the user of the URL. */
export const runSql = async (
  url: string,
  ...statements: string[]
): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
};

/** Additions of 7.x to the tables of 6.x that the gateway uses; tables of the gateway already have the groups of events. */
const FEATURE_LINKS = [
  `CREATE TABLE feature_link (
    id text NOT NULL PRIMARY KEY,
    feature_name varchar(255) NOT NULL REFERENCES features (name) ON DELETE CASCADE,
    url text NOT NULL,
    title text,
    domain varchar(255))`,
  `ALTER TABLE project_settings ADD COLUMN link_templates jsonb DEFAULT '[]'`,
];
const WITHOUT_GROUPS = ['ALTER TABLE events DROP COLUMN group_type, DROP COLUMN group_id'];

/** Changes of an upgrade from 6.x to 7.x to these tables. */
export const UPGRADE_TO_7 = [
  'ALTER TABLE events ADD COLUMN group_type text, ADD COLUMN group_id text',
  ...FEATURE_LINKS,
];

/** Turns tables of the gateway into tables of Unleash: its migration history and columns, and no index of the gateway. */
export const convertToUnleash = async (
  url: string,
  migrations: readonly string[] = [UNLEASH_VERSIONS[0].lastMigration],
): Promise<void> => {
  const isNewer = migrations.some((name) => name > UNLEASH_VERSIONS[1].lastMigration);
  const names = migrations.map((name) => `('/${name}', now())`).join(', ');
  await runSql(
    url,
    'DROP TABLE _prisma_migrations',
    'CREATE TABLE migrations (id serial PRIMARY KEY, name varchar(255), run_on timestamp)',
    ...(names === '' ? [] : [`INSERT INTO migrations (name, run_on) VALUES ${names}`]),
    ...readRecommendedIndexes().map(({ name }) => `DROP INDEX ${name}`),
    ...(isNewer ? FEATURE_LINKS : WITHOUT_GROUPS),
  );
};

export type TestRole = { name: string; url: string; drop(): Promise<void> };

/** A database role with the privileges of PUBLIC only, until a test grants more. */
export const createRole = async (url: string): Promise<TestRole> => {
  const name = `visitor_${randomBytes(5).toString('hex')}`;
  await runSql(url, `CREATE ROLE ${name} LOGIN PASSWORD 'open-sesame'`);
  const own = new URL(url);
  own.username = name;
  own.password = 'open-sesame';
  return {
    name,
    url: own.href,
    drop: async () => {
      await runSql(url, `DROP OWNED BY ${name}`, `DROP ROLE ${name}`);
    },
  };
};

export type DoctorRun = {
  status: number | undefined;
  /** Standard output. */
  text: string;
  /** Standard error. */
  stderr: string;
};

/** Runs the doctor like the command line does, without colors. */
export const runDoctor = async (
  env: Record<string, string>,
  ...args: string[]
): Promise<DoctorRun> => {
  const printed: string[] = [];
  const stderr: string[] = [];
  let status: number | undefined;
  const command = doctorCommand({
    env,
    print: (line) => printed.push(line),
    writeError: (text) => stderr.push(text),
    hasColor: false,
    isInteractive: false,
    exit: (code) => {
      status = code;
    },
  });
  command.exitOverride().configureOutput({
    writeErr: (text) => stderr.push(text),
    writeOut: (text) => printed.push(text),
  });
  try {
    await command.parseAsync(args, { from: 'user' });
  } catch (error) {
    status = (error as { exitCode: number }).exitCode;
  }
  return { status, text: printed.join('\n'), stderr: stderr.join('') };
};

/** The same, with the JSON report that scripts read. */
export const runDoctorJson = async (url: string, ...args: string[]) => {
  const { status, text, stderr } = await runDoctor({ DATABASE_URL: url }, '--json', ...args);
  return { status, stderr, report: JSON.parse(text) };
};
