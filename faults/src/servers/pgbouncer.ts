import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../test/testkit/free-port.js';
import { serverAccount } from '../../../test/testkit/postgres-binaries.js';
import type { Scope } from '../scope.js';
import { scopedFolder, startListening } from './listening.js';

export type PoolMode = 'session' | 'transaction';

/** Starts PgBouncer with the settings of Debian's package, except addresses; returns its port. */
export const startPgBouncer = async (
  scope: Scope,
  {
    mode,
    serverPort,
    user,
  }: { mode: PoolMode; serverPort: number; user: { name: string; password: string } },
): Promise<number> => {
  const port = await freePort();
  const folder = scopedFolder(scope, 'pgbouncer');
  const users = join(folder, 'users.txt');
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(users, `"${user.name}" "${user.password}"\n`);
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${mode}
max_client_conn = 100
default_pool_size = 20
`,
  );
  const account = serverAccount();
  if (account) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, folder]);
  const args = account ? ['-u', 'nobody', file] : [file];
  await startListening(scope, { command: 'pgbouncer', args, folder, port });
  return port;
};
