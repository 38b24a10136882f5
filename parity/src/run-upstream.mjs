// Runs in upstream's own Node.js process: migrates its tables, or starts it without the restrictions of its open source
// edition.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, task, edition] = process.argv.slice(2);
const load = async (file) => {
  const loaded = await import(pathToFileURL(join(folder, 'dist', file)).href);
  return loaded.default ? { ...loaded.default, ...loaded } : loaded;
};

if (task === 'migrate') {
  const url = new URL(process.env.DATABASE_URL);
  const { migrateDb } = await load('migrator.js');
  await migrateDb({
    db: {
      driver: 'postgres',
      host: url.hostname,
      port: Number(url.port || 5432),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: url.pathname.slice(1),
      schema: 'public',
      ssl: false,
    },
  });
  process.exit(0);
}

const { start } = await load('lib/server-impl.js');
await start({
  ui: { environment: edition },
  ...(edition === 'Enterprise' && { enterpriseVersion: 'parity' }),
});
