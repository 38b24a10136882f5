import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../../test/testkit/free-port.js';
import { serverAccount } from '../../../test/testkit/postgres-binaries.js';
import { postgresFolder } from './postgres-folder.js';

const run = promisify(execFile);
const START_LIMIT_MS = 60_000;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // Not UTC, to detect sessions that don't set their time zone.
  timezone: 'America/New_York',
  max_connections: '200',
  shared_buffers: '256MB',
  wal_level: 'replica',
  max_wal_senders: '5',
  fsync: 'off',
  log_min_messages: 'fatal',
};

const account = serverAccount();
const running = new Set<ChildProcess>();
const folders = new Set<string>();
process.on('exit', () => {
  for (const server of running) server.kill('SIGQUIT');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'flaggraph-faults-'));
  folders.add(folder);
  if (account) chownSync(folder, account.uid, account.gid);
  return folder;
};

export type PostgresServer = {
  port: number;
  urlOf(database: string, user?: { name: string; password: string }): string;
  query<Row extends pg.QueryResultRow>(
    database: string,
    text: string,
    values?: unknown[],
  ): Promise<Row[]>;
  /** Restarts it on the same port. */
  start(): Promise<void>;
  /** `SIGINT` is a fast shutdown, `SIGQUIT` an immediate one. */
  stop(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  /** Creates a hot standby with streaming replication. */
  createStandby(): Promise<PostgresServer>;
  promote(): Promise<void>;
  remove(): Promise<void>;
};

type ServerOptions = { folder: string; port: number; password: string };

const isUp = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
};

const manage = ({ folder, port, password }: ServerOptions): PostgresServer => {
  const bin = postgresFolder();
  const data = join(folder, 'data');
  let server: ChildProcess | undefined;
  let output = '';

  const urlOf: PostgresServer['urlOf'] = (database, user = { name: 'postgres', password }) =>
    `postgresql://${user.name}:${user.password}@127.0.0.1:${port}/${database}`;

  const start = async () => {
    const settings = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]);
    const started = spawn(join(bin, 'postgres'), ['-D', data, ...settings], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...account,
    });
    server = started;
    running.add(started);
    started.on('exit', () => running.delete(started));
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4_000);
    });
    for (const deadline = Date.now() + START_LIMIT_MS; !(await isUp(urlOf('postgres'))); ) {
      if (started.exitCode !== null || Date.now() > deadline) {
        throw new Error(`PostgreSQL did not start:\n${output}`);
      }
      await delay(20);
    }
  };

  const stop: PostgresServer['stop'] = async (signal = 'SIGINT') => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };

  const query: PostgresServer['query'] = async (database, text, values = []) => {
    const client = new pg.Client({ connectionString: urlOf(database) });
    client.on('error', () => undefined);
    await client.connect();
    try {
      const { rows } = await client.query(text, values);
      return rows;
    } finally {
      await client.end();
    }
  };

  return {
    port,
    urlOf,
    query,
    start,
    stop,
    createStandby: async () => {
      const standby = { folder: makeFolder(), port: await freePort(), password };
      await run(
        join(bin, 'pg_basebackup'),
        [
          '-d',
          urlOf('postgres'),
          '-D',
          join(standby.folder, 'data'),
          '-R',
          '-X',
          'stream',
          '-c',
          'fast',
          '--no-sync',
        ],
        { cwd: standby.folder, ...account },
      );
      const managed = manage(standby);
      await managed.start();
      return managed;
    },
    promote: async () => {
      await query('postgres', 'select pg_promote(true, 30)');
    },
    remove: async () => {
      await stop('SIGQUIT');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      folders.delete(folder);
    },
  };
};

/** A Debian PostgreSQL server with its own data folder, run by an unprivileged account. */
export const createPostgres = async (): Promise<PostgresServer> => {
  const folder = makeFolder();
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account) chownSync(passwordFile, account.uid, account.gid);
  await run(
    join(postgresFolder(), 'initdb'),
    [
      ...['-D', join(folder, 'data'), '--username=postgres', '--auth=scram-sha-256'],
      ...[`--pwfile=${passwordFile}`, '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
    ],
    { cwd: folder, ...account },
  );
  const server = manage({ folder, port: await freePort(), password });
  await server.start();
  return server;
};
