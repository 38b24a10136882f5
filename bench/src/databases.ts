import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Progress } from '../../parity/src/progress.js';
import { startPostgres } from '../../test/testkit/postgres.js';
import { applyIndexes, type Indexes } from './contenders/gateway.js';
import { CHECKSUMS } from './world/checksums.js';
import { fillWorld, recipeOf } from './world/fill-world.js';

export type Store = {
  /** An exclusive copy of the filled database of this size, with or without the recommended indexes. */
  copy(events: number, label: string, indexes: Indexes): Promise<string>;
  /** Marks a copy as modified, so that it is not reused. */
  markDirty(url: string): void;
  /** Version of the server. */
  version(): Promise<string>;
  /** Drops temporary databases and stops the server if this run started it. */
  close(): Promise<void>;
};

type Admin = {
  run(statement: string): Promise<pg.QueryResult>;
  urlOf(name: string): string;
};

const openAdmin = (adminUrl: string): Admin => ({
  run: async (statement) => {
    const client = new pg.Client({ connectionString: adminUrl });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await client.query(statement);
    } finally {
      await client.end();
    }
  },
  urlOf: (name) => {
    const url = new URL(adminUrl);
    url.pathname = `/${name}`;
    return url.href;
  },
});

const nameOf = (url: string) => new URL(url).pathname.slice(1);

const commentOf = async (admin: Admin, name: string): Promise<string | undefined> => {
  const { rows } = await admin.run(
    `select shobj_description(oid, 'pg_database') as comment from pg_database where datname = '${name}'`,
  );
  return rows[0]?.comment ?? undefined;
};

const make = async (admin: Admin, name: string, template: string): Promise<void> => {
  const { rows } = await admin.run(`select current_setting('server_version_num')::int as version`);
  // Reduces the write-ahead log.
  const strategy = rows[0]?.version >= 150_000 ? 'STRATEGY FILE_COPY' : '';
  await admin.run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.run(`CREATE DATABASE ${name} TEMPLATE ${template} ${strategy}`);
  await admin.run(`ALTER DATABASE ${name} SET timezone = 'UTC'`);
  await admin.run(`ALTER DATABASE ${name} SET maintenance_work_mem = '512MB'`);
};

/** The tests' server is small. The contenders' databases should fit into memory here. */
export const SERVER_SETTINGS = { shared_buffers: '1GB' };

/** Copies of one filled database. With `keep`, the next run reuses it. */
export const openStore = async (keep: boolean, progress: Progress): Promise<Store> => {
  const { adminUrl, stop } = await startPostgres(SERVER_SETTINGS);
  const admin = openAdmin(adminUrl);
  const prefix = keep ? 'flaggraph_bench' : `flaggraph_bench_${randomBytes(4).toString('hex')}`;
  const created = new Set<string>();
  const dirty = new Set<string>();

  const finish = (name: string, comment: string) =>
    admin.run(`COMMENT ON DATABASE ${name} IS '${comment}'`);

  /** Creates a database unless a complete one with the same recipe exists, according to its comment. */
  const provide = async (
    name: string,
    comment: (found: string | undefined) => string | undefined,
    build: () => Promise<string>,
  ): Promise<{ name: string; isNew: boolean }> => {
    created.add(name);
    const found = await commentOf(admin, name);
    if (found !== undefined && comment(found) !== undefined) return { name, isNew: false };
    await finish(name, await build());
    return { name, isNew: true };
  };

  const filled = async (events: number): Promise<string> => {
    const recipe = recipeOf(events);
    const name = `${prefix}_${events}`;
    await provide(
      name,
      (found) => (found?.startsWith(`${recipe} `) ? found : undefined),
      async () => {
        const total = events.toLocaleString('en');
        await make(admin, name, 'template0');
        const checksum = await fillWorld(admin.urlOf(name), events, {
          onProgress: progress.log,
          step: (done) => progress.step(done, events, `events of ${total} written`),
        });
        const known = CHECKSUMS[recipe];
        if (known !== undefined && known !== checksum) {
          throw new Error(
            `the database of ${total} events has an unexpected checksum: ${checksum}`,
          );
        }
        if (known === undefined) progress.log(`No known checksum for ${recipe}: ${checksum}`);
        return `${recipe} ${checksum}`;
      },
    );
    return name;
  };

  const index = async (name: string, indexes: Indexes): Promise<void> => {
    if (indexes === 'none') return;
    const within = openAdmin(admin.urlOf(name));
    if (indexes === 'text') await within.run('CREATE EXTENSION IF NOT EXISTS pg_trgm');
    await applyIndexes(admin.urlOf(name), indexes, progress.log);
    const { rowCount } = await within.run(
      `select from pg_indexes where indexname = 'flaggraph_events_text'`,
    );
    if ((rowCount === 1) !== (indexes === 'text')) throw new Error(`${name} has wrong indexes`);
  };

  const derived = async (from: string, name: string, missing: Indexes): Promise<string> => {
    const ground = (await commentOf(admin, from)) ?? '';
    const { isNew } = await provide(
      name,
      (found) => (found === ground ? found : undefined),
      async () => {
        progress.log(`Copying the database for ${name.slice(name.lastIndexOf('_') + 1)}`);
        await make(admin, name, from);
        await index(name, missing);
        // Indexes on expressions have their own statistics.
        if (missing !== 'none') await openAdmin(admin.urlOf(name)).run('VACUUM (ANALYZE) events');
        return ground;
      },
    );
    // An older run may have created fewer indexes than are recommended now.
    if (!isNew) await index(name, missing);
    return name;
  };

  return {
    copy: async (events, label, indexes) => {
      const base = await filled(events);
      const name = `${prefix}_${events}_${label}`;
      if (indexes !== 'text') return admin.urlOf(await derived(base, name, indexes));

      const indexed = `${prefix}_${events}_indexed`;
      if (!created.has(indexed)) await derived(base, indexed, 'text');
      const exists = (await commentOf(admin, name)) !== undefined;
      return admin.urlOf(await derived(indexed, name, exists ? 'text' : 'none'));
    },
    markDirty: (url) => dirty.add(nameOf(url)),
    version: async () => {
      const { rows } = await admin.run(
        `select split_part(version(), ' ', 2) || ' with shared_buffers of ' || current_setting('shared_buffers') as version`,
      );
      return String(rows[0]?.version);
    },
    close: async () => {
      for (const name of created) {
        if (!keep || dirty.has(name)) {
          await admin.run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
        }
      }
      await stop();
    },
  };
};
