import pg from 'pg';
import { expect, test } from 'vitest';
import { migrate } from '../../../src/data/layout/migrate.js';
import { readMigrations } from '../../../src/data/layout/migrations-folder.js';
import { pgSession } from '../../../src/data/sql-session.js';
import { createDatabase } from '../../testkit/database.js';
import { applyAll, diagnose, withPrismaEngine } from '../../testkit/prisma-engine.js';

const migrations = readMigrations();

/** Runs work on an empty database with the gateway's migration runner; returns the columns of the history table. */
const onEmptyDatabase = async (
  work: (url: string, run: () => ReturnType<typeof migrate>) => Promise<void>,
) => {
  const { url, drop } = await createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await work(url, () => migrate(pgSession(client)));
  const { rows } =
    await client.query(`SELECT column_name, udt_name, character_maximum_length, is_nullable, column_default
    FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`);
  await client.end();
  await drop();
  return rows;
};

test("Prisma and the migration runner of the gateway accept each other's migrations as applied", async () => {
  const byGateway = await onEmptyDatabase(async (url, run) => {
    await run();
    await withPrismaEngine(url, async (engine) => {
      expect(await diagnose(engine, migrations)).toMatchObject({
        hasMigrationsTable: true,
        history: null,
        failedMigrationNames: [],
        editedMigrationNames: [],
      });
      expect(await applyAll(engine, migrations)).toEqual({ appliedMigrationNames: [] });
    });
  });

  const prismas = await onEmptyDatabase(async (url, run) => {
    await withPrismaEngine(url, (engine) => applyAll(engine, migrations));
    expect(await run()).toEqual({ ownership: 'flaggraph', applied: [], isNew: false });
  });
  expect(byGateway).toEqual(prismas);
});
