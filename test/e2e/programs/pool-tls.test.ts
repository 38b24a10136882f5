import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { CancelledError, createWork, runAs } from '../../../src/data/work/work.js';
import { type PostgresServer, startPostgres } from '../../testkit/postgres.js';
import { serverAccount } from '../../testkit/postgres-binaries.js';
import { requireProgram } from '../../testkit/program.js';

let folder: string;
let server: PostgresServer;
let database: Database;
let observer: pg.Client;

const makeCertificate = (): Record<string, string> => {
  const account = serverAccount();
  const [key, certificate] = [join(folder, 'server.key'), join(folder, 'server.crt')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
      '-days',
      '2',
      ...subject,
    ],
    { stdio: 'pipe' },
  );
  chmodSync(folder, 0o755);
  chmodSync(key, 0o600);
  if (account) chownSync(key, account.uid, account.gid);
  return { ssl: 'on', ssl_key_file: key, ssl_cert_file: certificate };
};

const isOwnServer = process.env['DATABASE_URL'] === undefined;

beforeAll(async () => {
  if (!isOwnServer) return;
  await requireProgram({ command: 'openssl', version: ['version'] });
  folder = mkdtempSync(join(tmpdir(), 'flaggraph-test-tls-'));
  server = await startPostgres(makeCertificate());
  const url = new URL(server.adminUrl);
  url.searchParams.set('sslmode', 'verify-ca');
  url.searchParams.set('sslrootcert', join(folder, 'server.crt'));
  database = await openDatabase({ dataDir: 'memory://', databaseUrl: url.href });
  observer = new pg.Client({ connectionString: server.adminUrl });
  await observer.connect();
});
afterAll(async () => {
  await observer?.end();
  await database?.close();
  await server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test.runIf(isOwnServer)('cancels statements of an encrypted connection', async () => {
  const controller = new AbortController();
  const { client } = database;
  const caller = runAs(
    createWork(controller.signal),
    async () => client.$queryRaw`SELECT pg_sleep(33)::text`,
  ).catch((error: unknown) => error);
  const running = async () =>
    (
      await observer.query(
        "select 1 from pg_stat_activity a join pg_stat_ssl using (pid) where ssl and query like '%pg_sleep(33)%' and state = 'active' and pid <> pg_backend_pid()",
      )
    ).rowCount;
  await expect.poll(running).toBe(1);
  const { rows } = await observer.query<{ pid: number }>(
    "select pid from pg_stat_activity where query like '%pg_sleep(33)%' and state = 'active' and pid <> pg_backend_pid()",
  );
  controller.abort();
  expect(await caller).toBeInstanceOf(CancelledError);
  await expect.poll(running).toBe(0);
  // The cancellation was confirmed, so the connection is reused.
  const [next] = await client.$queryRaw<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`;
  expect(next.pid).toBe(rows[0]?.pid);
});
