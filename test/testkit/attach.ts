import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { doctorCommand } from '../../src/cli/doctor.js';
import { ORIGINAL_VERSIONS } from '../../src/data/doctor/original-version.js';
import { readRecommendedIndexes } from '../../src/data/doctor/recommended-indexes.js';

/** Runs SQL as whoever the address names. */
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

/** Gives our tables the marks of the original: its list of migrations, and none of our indexes. */
export const turnIntoOriginal = async (
  url: string,
  migrations: readonly string[] = [ORIGINAL_VERSIONS[0].lastMigration],
): Promise<void> => {
  const names = migrations.map((name) => `('/${name}', now())`).join(', ');
  await runSql(
    url,
    'DROP TABLE _prisma_migrations',
    'CREATE TABLE migrations (id serial PRIMARY KEY, name varchar(255), run_on timestamp)',
    ...(names === '' ? [] : [`INSERT INTO migrations (name, run_on) VALUES ${names}`]),
    ...readRecommendedIndexes().map(({ name }) => `DROP INDEX ${name}`),
  );
};

export type TestRole = { name: string; url: string; drop(): Promise<void> };

/** A database user with no other rights than everybody's, until a test grants some. */
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
  told: string;
};

/** Runs the doctor the way the command line does, without colours. */
export const runDoctor = async (
  env: Record<string, string>,
  ...args: string[]
): Promise<DoctorRun> => {
  const printed: string[] = [];
  const told: string[] = [];
  let status: number | undefined;
  const command = doctorCommand({
    env,
    print: (line) => printed.push(line),
    tell: (text) => told.push(text),
    hasColour: false,
    isWatched: false,
    exit: (code) => {
      status = code;
    },
  });
  command.exitOverride().configureOutput({
    writeErr: (text) => told.push(text),
    writeOut: (text) => printed.push(text),
  });
  try {
    await command.parseAsync(args, { from: 'user' });
  } catch (error) {
    status = (error as { exitCode: number }).exitCode;
  }
  return { status, text: printed.join('\n'), told: told.join('') };
};

/** The same, read as a script would. */
export const askDoctor = async (url: string, ...args: string[]) => {
  const { status, text, told } = await runDoctor({ DATABASE_URL: url }, '--json', ...args);
  return { status, told, report: JSON.parse(text) };
};
