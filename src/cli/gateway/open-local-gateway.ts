import { loadConfig } from '../../config/config.js';
import { openDatabase } from '../../data/connect.js';
import { FolderInUseError } from '../../data/embedded/folder-lock.js';
import { Actor, ADMIN_TOKEN_USER_ID } from '../../domain/actor.js';
import { createOperations } from '../../domain/operations.js';
import { createGraphqlServer } from '../../graphql/graphql-server.js';
import { createRunQuery } from '../../graphql/run-internal-query.js';
import { createReportError } from '../../http/report-error.js';
import { createLogger } from '../../observability/logger.js';
import { assertDatabase } from '../assert-database.js';
import { CommandError } from '../command-error.js';
import { disableWasmOptimization } from '../memory-flags.js';
import { createLocalExport } from './export-locally.js';
import type { Gateway } from './open-gateway.js';

const IN_USE_HINT =
  'Query that server instead: pass its address, such as --url http://127.0.0.1:4000, and set FLAGGRAPH_TOKEN.';

/** An operator with the database's credentials may read all of it. */
const OPERATOR = new Actor({
  kind: 'ADMIN_TOKEN',
  userId: ADMIN_TOKEN_USER_ID,
  author: 'flaggraph',
  name: null,
  grants: [{ permission: 'ADMIN', project: null, environment: null }],
  seesAllEvents: true,
  visibleProjects: null,
  ip: null,
});

/** A gateway inside this process, on the configured database. */
export const openLocalGateway = async (env: NodeJS.ProcessEnv): Promise<Gateway> => {
  const config = loadConfig(env);
  assertDatabase(config, ', or query a running gateway with --url');
  if (config.databaseUrl !== undefined) disableWasmOptimization();
  const database = await openDatabase({ ...config, migrate: false }).catch((error: unknown) => {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new CommandError(`${error.message}\n${IN_USE_HINT}`);
  });
  const { client, ownership } = database;
  const operations = createOperations(database, config);
  const logger = createLogger({ level: 'error', pretty: false, destination: process.stderr });
  const reportError = createReportError(logger, { isMigratedByOthers: ownership === 'unleash' });
  const server = createGraphqlServer({ client, operations, reportError });
  const exportLocally = createLocalExport({
    operations,
    createRunQuery: createRunQuery(client, operations),
    actor: OPERATOR,
    reportError,
  });
  return {
    url: 'http://gateway/graphql',
    isLocal: true,
    fetch: async (url, init) =>
      new URL(url).pathname.startsWith('/export/')
        ? exportLocally(url, init)
        : server.fetch(url, init, {
            actor: OPERATOR,
            ...(init?.signal && { signal: init.signal }),
          }),
    close: async () => {
      operations.endFollowing();
      await database.close();
    },
  };
};
