import { Command } from 'commander';
import { createApp } from '../app.js';
import { type Config, loadConfig } from '../config/config.js';
import { type Database, openDatabase } from '../data/connect.js';
import { isDemoLoaded, loadDemoWorld } from '../demo/load-demo-world.js';
import { DEMO_TOKENS, isDemoToken } from '../demo/tokens.js';
import { schema } from '../graphql/schema/index.js';
import { loadTrustedDocuments } from '../graphql/trusted-documents/trusted-documents.js';
import { createLogger, type Logger } from '../observability/logger.js';
import { startServer } from '../server.js';

const tell = (message: string) => process.stderr.write(`${message}\n`);

const open = (config: Config): Promise<Database> =>
  openDatabase({ ...config, onProgress: (message) => tell(`… ${message}`) });

/** The embedded database starts with a world to look at; nobody else's database ever does. */
const loadWorld = async (config: Config, { client, kind }: Database): Promise<boolean> => {
  if (kind !== 'embedded' || config.production) return false;
  if (await isDemoLoaded(client)) return true;
  if ((await client.feature.count()) > 0) return false;
  await loadDemoWorld(client, {
    now: new Date(),
    onProgress: (message) => tell(`… ${message}`),
  });
  return true;
};

const welcome = (config: Config, url: string, hasDemo: boolean) => {
  const base = `${url}${config.basePath}`;
  const lines = [
    '',
    '  flaggraph is listening',
    '',
    `  Start     ${base}/   (in a browser)`,
    `  GraphQL   ${base}/graphql${config.graphiql ? '   (GraphiQL in a browser)' : ''}`,
    `  REST      ${base}/api/admin/search/events`,
    `  OpenAPI   ${base}/api/admin/openapi.json`,
    `  Database  ${config.databaseUrl === undefined ? `embedded, in ${config.dataDir}` : 'PostgreSQL'}`,
    ...(hasDemo
      ? [
          '',
          `  Demo token (admin)  ${DEMO_TOKENS.admin}`,
          `  curl -H 'Authorization: ${DEMO_TOKENS.admin}' '${base}/api/admin/search/events?limit=1'`,
        ]
      : []),
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
};

/** Ends with the first signal; a second one does not wait. */
const stopOnSignal = (logger: Logger, stop: () => Promise<void>) => {
  let isStopping = false;
  const onSignal = async (signal: string) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    logger.info({ signal }, 'stopping');
    await stop();
    process.exit(0);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
};

/** All that the environment says, the files it names included; nothing is opened before that is right. */
const readSettings = () => {
  const config = loadConfig(process.env);
  const documents =
    config.trustedDocuments && loadTrustedDocuments(schema, config.trustedDocuments);
  return { config, documents };
};

const serve = async () => {
  const { config, documents } = readSettings();
  const isWatched = process.stdout.isTTY === true && !config.production;
  const logger = createLogger({ level: config.logLevel, pretty: isWatched });
  const database = await open(config);
  for (const warning of database.warnings) logger.warn(warning);
  try {
    const hasDemo = await loadWorld(config, database);
    const app = createApp({
      config,
      database,
      logger,
      documents,
      demo: { isDemoToken, ...(hasDemo && { tokens: DEMO_TOKENS }) },
    });
    const server = await startServer(app, config, logger);
    stopOnSignal(logger, async () => {
      await server.stop();
      await database.close();
    });
    if (config.production) logger.info({ url: server.url }, 'listening');
    else welcome(config, server.url, hasDemo);
  } catch (error) {
    await database.close();
    throw error;
  }
};

export const serveCommand = () =>
  new Command('serve')
    .description('Serve GraphQL and REST. Settings come from the environment; see the README.')
    .option('--check-config', 'only check the settings')
    .action(async ({ checkConfig }: { checkConfig?: boolean }) => {
      if (!checkConfig) return serve();
      readSettings();
      process.stdout.write('The settings are fine.\n');
    });
