import { loadConfig } from '../../config/config.js';
import { openDatabase } from '../../data/connect.js';
import { hasEmbedded } from '../../data/embedded.js';
import { LayoutError } from '../../data/layout-error.js';
import { Actor, ADMIN_TOKEN_USER_ID } from '../../domain/actor.js';
import { createOperations } from '../../domain/operations.js';
import { createGraphqlServer } from '../../graphql/graphql-server.js';
import { createReportError } from '../../http/report-error.js';
import { createLogger } from '../../observability/logger.js';
import { CommandRefusedError } from '../on-database.js';

/** A gateway to ask, elsewhere or inside this process; who asks need not know which. */
export type Gateway = {
  /** What operations are sent to. */
  url: string;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  close: () => Promise<void>;
};

export type GatewayOptions = {
  /** Address of a running gateway; without it the database of the settings is opened. */
  url?: string | undefined;
  token?: string | undefined;
  env: NodeJS.ProcessEnv;
};

const LOCKED =
  'While a server runs on the embedded database nothing else can open it: ask that server with --url, for example --url http://127.0.0.1:4000, and a token in FLAGGRAPH_TOKEN.';

const addressOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw new CommandRefusedError(
      '--url takes the address of a gateway, such as http://127.0.0.1:4000 or https://flags.example.com/graphql.',
    );
  }
  if (url.username || url.password) {
    throw new CommandRefusedError(
      '--url takes no user name and no password: gateways know tokens. Set FLAGGRAPH_TOKEN.',
    );
  }
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith('/graphql') ? path : `${path}/graphql`;
  return url.href;
};

const tokenOf = ({ token, env }: GatewayOptions): string => {
  const given = (token ?? env['FLAGGRAPH_TOKEN'] ?? '').trim();
  if (given === '') {
    throw new CommandRefusedError(
      'A gateway shows events only to somebody: set FLAGGRAPH_TOKEN to an admin or personal token.',
    );
  }
  if (!/^[!-~]+$/.test(given)) {
    throw new CommandRefusedError('The token holds characters that no token has.');
  }
  return given;
};

const openRemote = (url: string, authorization: string): Gateway => ({
  url,
  fetch: (to, init) =>
    fetch(to, {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string>), authorization },
    }),
  close: async () => undefined,
});

/** Who can read the settings of the database can read all of it. */
const OPERATOR = new Actor({
  kind: 'ADMIN_TOKEN',
  userId: ADMIN_TOKEN_USER_ID,
  author: 'flaggraph',
  name: null,
  grants: [{ permission: 'ADMIN', project: null, environment: null }],
  seesAllEvents: true,
  ip: null,
});

const openLocal = async (env: NodeJS.ProcessEnv): Promise<Gateway> => {
  const config = loadConfig(env);
  if (config.databaseUrl === undefined && !hasEmbedded(config.dataDir)) {
    throw new CommandRefusedError(
      `There is no embedded database in ${config.dataDir}. Set DATABASE_URL or DATA_DIR, or ask a running gateway with --url.`,
    );
  }
  const database = await openDatabase({ ...config, migrate: false }).catch((error: unknown) => {
    const isLocked = error instanceof LayoutError && error.message.includes('is in use by');
    throw isLocked ? new CommandRefusedError(`${error.message}\n${LOCKED}`) : error;
  });
  const { client, ownership } = database;
  const logger = createLogger({ level: 'error', pretty: false, destination: process.stderr });
  const server = createGraphqlServer({
    client,
    operations: createOperations(client, config),
    reportError: createReportError(logger, { isMigratedByOthers: ownership === 'original' }),
  });
  return {
    url: 'http://gateway/graphql',
    fetch: async (url, init) => server.fetch(url, init, { actor: OPERATOR }),
    close: database.close,
  };
};

/** Checks what a gateway needs, then opens it; nothing is sent yet. */
export const openGateway = async (options: GatewayOptions): Promise<Gateway> => {
  if (options.url !== undefined) return openRemote(addressOf(options.url), tokenOf(options));
  if (options.token !== undefined) {
    throw new CommandRefusedError('--token goes with --url; the database itself needs none.');
  }
  return openLocal(options.env);
};
