import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { openDatabase } from '../../src/data/connect.js';
import { migrate } from '../../src/data/layout/migrate.js';
import { readMigrations } from '../../src/data/layout/migrations-folder.js';
import type { SqlSession } from '../../src/data/sql-session.js';
import { loadDemoData } from '../../src/demo/load-demo-data.js';
import { DEMO_DAY } from './demo-day.js';

const CACHE = fileURLToPath(
  new URL('../../node_modules/.cache/flaggraph-embedded', import.meta.url),
);

/** Two thirds of the files are of these: opening a copy without them takes a quarter less CPU time. */
const UNUSED_DATABASES = ['template0', 'template1'];

const dropUnusedDatabases = async (db: PGlite): Promise<void> => {
  await db.exec('update pg_database set datistemplate = false');
  for (const name of UNUSED_DATABASES) await db.exec(`drop database ${name}`);
  await db.exec('checkpoint');
};

/** Path of a packed embedded database with its tables: opening a copy is ten times faster than creating one. */
export const provideEmbeddedTemplate = async (): Promise<string> => {
  const name = `embedded-${fingerprint()}.tar`;
  const path = join(CACHE, name);
  if (existsSync(path)) return path;

  const db = await PGlite.create('memory://');
  await migrate(pgliteSession(db));
  await dropUnusedDatabases(db);
  const packed = await db.dumpDataDir('none');
  await db.close();

  mkdirSync(CACHE, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, Buffer.from(await packed.arrayBuffer()));
  renameSync(unfinished, path);
  const outdated = readdirSync(CACHE).filter((file) => !file.startsWith(name));
  for (const file of outdated) rmSync(join(CACHE, file), { force: true });
  return path;
};

/** A packed embedded database with the demo world, in a new folder: its rows depend on much of the source. */
export const packDemoTemplate = async (empty: string) => {
  const folder = await mkdtemp(join(tmpdir(), 'flaggraph-demo-'));
  const dataDir = join(folder, 'data');
  const database = await openDatabase({
    dataDir,
    embeddedTemplate: new Blob([readFileSync(empty)]),
  });
  await loadDemoData(database.client, { now: DEMO_DAY });
  await database.close();

  const db = await PGlite.create(join(dataDir, 'database'));
  const packed = await db.dumpDataDir('none');
  await db.close();
  const path = join(folder, 'demo.tar');
  writeFileSync(path, Buffer.from(await packed.arrayBuffer()));
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
};

const fingerprint = (): string => {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const { version } = JSON.parse(readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8'));
  const checksums = readMigrations().map((migration) => migration.checksum);
  return createHash('sha256')
    .update([version, ...checksums, ...UNUSED_DATABASES].join())
    .digest('hex')
    .slice(0, 16);
};

const pgliteSession = (db: PGlite): SqlSession => ({
  query: async <Row>(sql: string, params: unknown[] = []) => {
    const { rows } = await db.query<Row>(sql, params);
    return { rows };
  },
  exec: async (sql) => {
    await db.exec(sql);
  },
});
