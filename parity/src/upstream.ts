import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/testkit/free-port.js';
import { startProcess, waitFor } from './child-process.js';
import { type InstalledUpstream, installUpstream } from './install.js';

/** The admin UI URL configured on both sides; it appears in the links of summaries. */
export const ADMIN_UI_URL = 'http://flags.example:4242';

/** An admin API token of every upstream started here. */
export const ADMIN_TOKEN = '*:*.parity-admin-token';

const RUNNER = fileURLToPath(new URL('run-upstream.mjs', import.meta.url));
const START_LIMIT_MS = 120_000;

export type Upstream = {
  version: string;
  /** URL without a base path or trailing slash. */
  url: string;
  /** Folder of its package; `frontend/build` contains the admin UI. */
  folder: string;
  pid: number;
  log(): string;
  /** Kills it without a graceful shutdown. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

export type UpstreamOptions = {
  port?: number;
  /** Path prefix of every route, such as `/flags`. Default: none. */
  basePath?: string;
  /** Additional environment variables. */
  env?: Record<string, string>;
  /** False: it neither announces events nor polls for new revisions, so nothing is delivered. Default: true. */
  announces?: boolean;
  /** False: personal tokens are not restricted to project default, as in the paid editions. Default: true. */
  isOpenSource?: boolean;
  /** True: Viewers are also limited to the projects they may see, to the extent that the package includes that code. */
  isEnterprise?: boolean;
  onProgress?: (message: string) => void;
};

const isHealthy = async (url: string, basePath = ''): Promise<true | undefined> => {
  const response = await fetch(`${url}${basePath}/health`);
  await response.arrayBuffer();
  return response.ok ? true : undefined;
};

const settingsFor = (databaseUrl: string, port: number, options: UpstreamOptions) => ({
  // Outside production some errors are HTML pages with a stack trace.
  NODE_ENV: 'production',
  TZ: 'UTC',
  DATABASE_URL: databaseUrl,
  DATABASE_SSL: 'false',
  HTTP_HOST: '127.0.0.1',
  HTTP_PORT: String(port),
  UNLEASH_URL: ADMIN_UI_URL,
  INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
  CHECK_VERSION: 'false',
  SEND_TELEMETRY: 'false',
  LOG_LEVEL: 'warn',
  CREATE_USER_RATE_LIMIT_PER_MINUTE: '1000',
  SIMPLE_LOGIN_LIMIT_PER_MINUTE: '1000',
  // Newer versions deliver to local addresses only with this setting.
  UNLEASH_ALLOW_PRIVATE_URL_IN_INTEGRATION: 'true',
  ...(options.basePath !== undefined && { BASE_URI_PATH: options.basePath }),
  ...(options.announces === false && { UNLEASH_EXPERIMENTAL_DISABLE_SCHEDULED_CACHES: 'true' }),
  ...options.env,
});

const start = async (
  { folder, node }: InstalledUpstream,
  version: string,
  databaseUrl: string,
  options: UpstreamOptions,
): Promise<Upstream> => {
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const edition = options.isEnterprise
    ? 'Enterprise'
    : options.isOpenSource === false
      ? 'Pro'
      : undefined;
  const args = edition ? [RUNNER, folder, 'serve', edition] : [join(folder, 'dist/server.js')];
  const server = startProcess(node, args, {
    cwd: folder,
    env: settingsFor(databaseUrl, port, options),
  });
  await waitFor(server, `Upstream ${version}`, START_LIMIT_MS, () =>
    isHealthy(url, options.basePath),
  );
  const { pid, log, kill, stop } = server;
  return { version, url, folder, pid, log, kill, stop };
};

/**
 * Starts a version of upstream on a database, which it migrates, and waits until it responds. Installs the version
 * first if it is missing.
 */
export const startUpstream = async (
  version: string,
  databaseUrl: string,
  options: UpstreamOptions = {},
): Promise<Upstream> =>
  start(await installUpstream(version, options.onProgress), version, databaseUrl, options);

/** Creates the tables of a version of upstream without starting it. */
export const migrateUpstream = async (
  version: string,
  databaseUrl: string,
  onProgress?: (message: string) => void,
): Promise<void> => {
  const { folder, node } = await installUpstream(version, onProgress);
  const env = { TZ: 'UTC', DATABASE_URL: databaseUrl };
  const migration = startProcess(node, [RUNNER, folder, 'migrate'], { cwd: folder, env });
  const status = await migration.ended;
  if (status !== 0) throw new Error(`Could not migrate to ${version}:\n${migration.log()}`);
};
