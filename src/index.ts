import { createApp } from './app.js';
import { decideSessions, describeOff, isConflict } from './auth/session-setting.js';
import { loadConfig } from './config/config.js';
import { openDatabase } from './data/connect.js';
import { LayoutError } from './data/layout/layout-error.js';
import { schemaFor } from './graphql/schema/index.js';
import { loadTrustedDocuments } from './graphql/trusted-documents/trusted-documents.js';
import { createLogger } from './observability/logger.js';
import { readVersion } from './read-version.js';
import { startServer } from './server.js';

/** Names and values of environment variables, as docs/reference/settings.md lists them. */
export type Settings = Readonly<Record<string, string | undefined>>;

export type Gateway = {
  /** Base URL, with the base path. */
  url: string;
  /** Finishes requests in flight, then closes the database. */
  stop: () => Promise<void>;
};

/** Starts a gateway in this process. Unlike `flaggraph serve`, it loads no demo data and handles no signals. */
export const startGateway = async (settings: Settings = process.env): Promise<Gateway> => {
  const config = loadConfig({ ...settings });
  const documents =
    config.trustedDocuments && loadTrustedDocuments(schemaFor(config), config.trustedDocuments);
  const logger = createLogger({ level: config.logLevel, pretty: false });
  const database = await openDatabase(config);
  try {
    const sessions = decideSessions(config, database);
    if (!sessions.isOn && isConflict(sessions)) throw new LayoutError(describeOff(sessions));
    for (const warning of database.warnings) logger.warn(warning);
    const app = createApp({
      config,
      database,
      logger,
      documents,
      version: readVersion(),
      ...(sessions.isOn && { sessionSecret: sessions.secret }),
    });
    const server = await startServer(app, config, logger);
    return {
      url: `${server.url}${config.basePath}`,
      stop: async () => {
        await server.stop();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
};
