import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../testkit/free-port.js';
import { serverAccount } from '../../testkit/postgres-binaries.js';
import { requireProgram } from '../../testkit/program.js';

export type PgBouncer = {
  /** The database of a URL, reached through the pooler. */
  urlOf(databaseUrl: string): string;
  stop(): Promise<void>;
};

/** A real PgBouncer in front of the server of a URL. */
export const startPgBouncer = async (
  databaseUrl: string,
  poolMode: 'session' | 'transaction',
): Promise<PgBouncer> => {
  await requireProgram({ command: 'pgbouncer', version: ['--version'] });
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'flaggraph-test-pgbouncer-'));
  const account = serverAccount();
  const settings = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users.txt');
  writeFileSync(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${serverPort || 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = ${poolMode}
default_pool_size = 20
max_client_conn = 200
`,
  );
  if (account) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, folder]);
  chmodSync(folder, 0o755);
  const child = spawn('pgbouncer', [settings], { stdio: 'ignore', ...account });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGINT');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };

  const urlOf = (url: string) => {
    const through = new URL(url);
    through.host = `127.0.0.1:${port}`;
    return through.href;
  };
  for (let attempt = 0; ; attempt += 1) {
    const client = new pg.Client({ connectionString: urlOf(databaseUrl) });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return { urlOf, stop };
    } catch (error) {
      if (attempt === 100 || child.exitCode !== null) {
        await stop();
        throw error;
      }
      await delay(50);
    }
  }
};
