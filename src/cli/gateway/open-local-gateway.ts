import { loadConfig } from '../../config/config.js';
import { openDatabase } from '../../data/connect.js';
import { hasEmbedded } from '../../data/embedded.js';
import { LayoutError } from '../../data/layout-error.js';
import { Actor, ADMIN_TOKEN_USER_ID } from '../../domain/actor.js';
import { createOperations } from '../../domain/operations.js';
import { createGraphqlServer } from '../../graphql/graphql-server.js';
import { createReportError } from '../../http/report-error.js';
import { createLogger } from '../../observability/logger.js';
import { leaveUnoptimised } from '../keep-small.js';
import { CommandRefusedError } from '../on-database.js';
import type { Gateway } from './open-gateway.js';

const LOCKED =
  'While a server runs on the embedded database nothing else can open it: ask that server with --url, for example --url http://127.0.0.1:4000, and a token in FLAGGRAPH_TOKEN.';

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

/** A gateway inside this process, on the database that the settings name. */
export const openLocalGateway = async (env: NodeJS.ProcessEnv): Promise<Gateway> => {
  const config = loadConfig(env);
  if (config.databaseUrl === undefined && !hasEmbedded(config.dataDir)) {
    throw new CommandRefusedError(
      `There is no embedded database in ${config.dataDir}. Set DATABASE_URL or DATA_DIR, or ask a running gateway with --url.`,
    );
  }
  if (config.databaseUrl !== undefined) leaveUnoptimised();
  const database = await openDatabase({ ...config, migrate: false }).catch((error: unknown) => {
    const isLocked = error instanceof LayoutError && error.message.includes('is in use by');
    throw isLocked ? new CommandRefusedError(`${error.message}\n${LOCKED}`) : error;
  });
  const { client, ownership } = database;
  const operations = createOperations(client, config);
  const logger = createLogger({ level: 'error', pretty: false, destination: process.stderr });
  const server = createGraphqlServer({
    client,
    operations,
    reportError: createReportError(logger, { isMigratedByOthers: ownership === 'original' }),
  });
  return {
    url: 'http://gateway/graphql',
    fetch: async (url, init) =>
      server.fetch(url, init, {
        actor: OPERATOR,
        ...(init?.signal && { signal: init.signal }),
      }),
    close: async () => {
      operations.endFollowing();
      await database.close();
    },
  };
};
