import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { SchemaEngine as Engine, MigrationList } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import type { Migration } from '../../src/data/layout/migrations-folder.js';

const SCHEMA = fileURLToPath(new URL('../../prisma/schema.prisma', import.meta.url));
const FILTERS = { externalTables: [], externalEnums: [] };

/** Prisma's migration engine on a database, to compare it with the migration runner of the gateway. */
export const withPrismaEngine = async <Result>(
  url: string,
  work: (engine: Engine) => Promise<Result>,
): Promise<Result> => {
  const pool = new pg.Pool({ connectionString: url });
  const { SchemaEngine } = await engineModule;
  const engine = await SchemaEngine.new(
    { datamodels: [[SCHEMA, readFileSync(SCHEMA, 'utf8')]] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(createUnsplitAdapter(pool)),
  );
  try {
    return await work(engine);
  } finally {
    await pool.end();
  }
};

export const diagnose = (engine: Engine, migrations: readonly Migration[]) =>
  engine.diagnoseMigrationHistory({
    migrationsList: migrationList(migrations),
    optInToShadowDatabase: false,
    filters: FILTERS,
  });

export const applyAll = (engine: Engine, migrations: readonly Migration[]) =>
  engine.applyMigrations({ migrationsList: migrationList(migrations), filters: FILTERS });

const migrationList = (migrations: readonly Migration[]): MigrationList => ({
  baseDir: dirname(SCHEMA),
  lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
  shadowDbInitScript: '',
  migrationDirectories: migrations.map(({ name, sql }) => ({
    path: name,
    migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
  })),
});

/** The adapter splits scripts at every semicolon, also inside function bodies; this one sends them whole. */
const createUnsplitAdapter = (pool: pg.Pool): PrismaPg => {
  const factory = new PrismaPg(pool);
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    adapter.executeScript = async (script) => {
      await pool.query(script);
    };
    return adapter;
  };
  return factory;
};

/** The package expects bundlers to instantiate its WebAssembly module. Only once: a second instance breaks the first. */
const loadEngine = async (): Promise<typeof import('@prisma/schema-engine-wasm')> => {
  // Receives the text of a panic, which is lost otherwise.
  Reflect.set(globalThis, 'PRISMA_WASM_PANIC_REGISTRY', { set_message: console.error });
  const entry = createRequire(import.meta.url).resolve(
    '@prisma/schema-engine-wasm/schema_engine_bg',
  );
  const bindings = await import(entry);
  const bytes = readFileSync(join(dirname(entry), 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': bindings });
  bindings.__wbg_set_wasm(instance.exports);
  const { __wbindgen_start: start } = instance.exports;
  if (typeof start === 'function') start();
  return bindings;
};
const engineModule = loadEngine();
