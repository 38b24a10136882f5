import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { createApp } from '../app.js';
import {
  decideSessions,
  describeOff,
  isConflict,
  type SessionDecision,
} from '../auth/session-setting.js';
import { type Config, ConfigError, loadConfig } from '../config/config.js';
import { type Database, openDatabase } from '../data/connect.js';
import { LayoutError } from '../data/layout/layout-error.js';
import { createDemoAccess } from '../demo/demo-access.js';
import { isDemoLoaded, loadDemoData } from '../demo/load-demo-data.js';
import { schemaFor } from '../graphql/schema/index.js';
import { loadTrustedDocuments } from '../graphql/trusted-documents/trusted-documents.js';
import { createLogDestination } from '../observability/log-destination.js';
import { createLogger, type Logger } from '../observability/logger.js';
import { readVersion } from '../read-version.js';
import { CLOSE_LIMIT_MS, startServer, stopLimit } from '../server.js';
import { startTelemetry } from '../telemetry/start-telemetry.js';
import { assertAddressFree } from './assert-address-free.js';
import { type ControlServer, startControlServer } from './control/control-server.js';
import { exitOnFatal } from './exit-on-fatal.js';
import { misspelledSettings } from './misspelled-settings.js';
import {
  consoleDecisionOf,
  describeConsole,
  describeDatabase,
  settingsWarnings,
  startWarnings,
  welcome,
} from './serve-messages.js';
import { superviseWorkers } from './workers/supervise.js';
import { connectToSupervisor, isFirst, isWorker, reportReady, shareOf } from './workers/worker.js';

const writeError = (message: string) => process.stderr.write(`${message}\n`);

const open = (config: Config, logger: Logger): Promise<Database> =>
  openDatabase({
    ...config,
    isUnleashExpected:
      config.databaseUrl !== undefined &&
      (config.unleashSecret !== undefined || config.sessions === 'on'),
    onProgress: (message) => writeError(`… ${message}`),
    onReplicaChange: (replica, state) => {
      const level = state === 'in-use' ? 'info' : 'warn';
      logger[level]({ replica, state }, 'replica');
    },
  });

/** The embedded database starts with demo data. No other database ever does. */
const loadWorld = async (config: Config, { client, kind }: Database): Promise<boolean> => {
  if (kind !== 'embedded' || config.production) return false;
  if (await isDemoLoaded(client)) return true;
  if ((await client.feature.count()) > 0) return false;
  await loadDemoData(client, {
    now: new Date(),
    onProgress: (message) => writeError(`… ${message}`),
  });
  return true;
};

const decideAndLogSessions = (
  config: Config,
  database: Database,
  logger: Logger,
): SessionDecision => {
  const decision = decideSessions(config, database);
  if (decision.isOn) {
    if (decision.warning) logger.warn(decision.warning);
    else
      logger.info(
        'Sign-in sessions of Unleash are accepted if they are signed with UNLEASH_SECRET. The gateway cannot verify that Unleash has the same value.',
      );
    return decision;
  }
  if (isConflict(decision)) throw new LayoutError(describeOff(decision));
  if (decision.expectedBy) logger.warn(describeOff(decision));
  else if (database.ownership === 'unleash') logger.info(describeOff(decision));
  return decision;
};

/** Only this process can open the embedded database, so it accepts the commands that need it. */
const acceptCommands = async (
  { dataDir }: Config,
  database: Database,
  logger: Logger,
): Promise<ControlServer | null> => {
  if (database.kind !== 'embedded' || dataDir === 'memory://') return null;
  try {
    return await startControlServer({
      dataDir,
      database,
      onRequest: (operation) => logger.info({ operation }, 'command'),
      onError: (error) => logger.error({ err: error }, 'command failed'),
    });
  } catch (error) {
    // Such as a file system without sockets, or a path that is too long for one.
    logger.warn({ err: error }, '`token` and `doctor` work only while this server is stopped');
    return null;
  }
};

type Stopping = {
  logger: Logger;
  flushLog: () => Promise<void>;
  limitMs: number;
  stop: (isReplaced: boolean) => Promise<void>;
};

/** Stops once and exits. A second call exits at once. */
const createExit = ({ logger, flushLog, limitMs, stop }: Stopping) => {
  let isStopping = false;
  const exit = async (code: number) => {
    await flushLog();
    process.exit(code);
  };
  return async (cause: object, isReplaced = false) => {
    if (isStopping) return exit(1);
    isStopping = true;
    logger.info(cause, 'stopping');
    // The process exits even if the database hangs.
    setTimeout(() => {
      logger.error('shutdown timed out, exiting');
      void exit(1);
    }, limitMs).unref();
    await stop(isReplaced);
    logger.info('stopped');
    await exit(0);
  };
};

type ServeOptions = { port?: string; host?: string; databaseUrl?: string };

/** Lists misspelled settings among the problems: one may be the cause of another. */
const loadSettings = (env: NodeJS.ProcessEnv): Config => {
  try {
    return loadConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError([...error.problems, ...misspelledSettings(env)]);
  }
};

/** Options take precedence over the environment. All settings are validated before anything is opened. */
const readSettings = ({ port, host, databaseUrl }: ServeOptions) => {
  const config = loadSettings({
    ...process.env,
    ...(port !== undefined && { PORT: port }),
    ...(host !== undefined && { HOST: host }),
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  });
  const documents =
    config.trustedDocuments && loadTrustedDocuments(schemaFor(config), config.trustedDocuments);
  return { config, documents };
};

const openLog = ({ logLevel, production }: Config) => {
  const isInteractive = process.stdout.isTTY === true && !production;
  const log = isInteractive ? null : createLogDestination();
  const logger = createLogger({
    level: logLevel,
    pretty: isInteractive,
    ...(log && { destination: log.stream }),
  });
  return {
    logger: isWorker() ? logger.child({ pid: process.pid }) : logger,
    flushLog: log?.flush ?? (async () => undefined),
  };
};

const serve = async (options: ServeOptions) => {
  const { config: whole, documents } = readSettings(options);
  const { logger, flushLog } = openLog(whole);
  const fatal = exitOnFatal(logger);
  fatal.onExit(flushLog);
  if (whole.workers > 1 && !isWorker()) {
    const { workers: count } = whole;
    const isTerminal = process.stdout.isTTY === true;
    return superviseWorkers({ count, logger, stopLimitMs: stopLimit(whole), isTerminal });
  }
  const config = shareOf(whole);
  const supervisor = isWorker() ? connectToSupervisor() : null;
  const version = readVersion();
  const telemetry = await startTelemetry(config.telemetry, { version, logger });
  if (config.databaseUrl === undefined) await assertAddressFree(config.host, config.port);
  const database = await open(config, logger);
  fatal.onExit(database.close);
  database.lost?.then((error) => fatal.exit(error, error.message));
  if (isFirst()) for (const warning of startWarnings(config, database)) logger.warn(warning);
  try {
    const sessions = decideAndLogSessions(config, database, logger);
    const demo = createDemoAccess(config, await loadWorld(config, database));
    const app = createApp({
      config,
      database,
      logger,
      version,
      documents,
      ...(sessions.isOn && { sessionSecret: sessions.secret }),
      demo,
      scrape: supervisor?.scrape,
    });
    supervisor?.provideMetrics(app.readMetrics);
    telemetry.exportMetrics(app.readMetrics);
    const server = await startServer(app, config, logger);
    fatal.onExit(() => server.stop());
    const control = await acceptCommands(config, database, logger);
    if (control) fatal.onExit(control.close);
    const exit = createExit({
      logger,
      flushLog,
      limitMs: stopLimit(config),
      stop: async (isReplaced) => {
        await Promise.all([control?.close(), server.stop({ isReplaced })]);
        const close = async () => {
          await telemetry.stop();
          await database.close();
        };
        await Promise.race([close(), delay(CLOSE_LIMIT_MS)]);
      },
    });
    if (supervisor) {
      supervisor.onStop((isReplaced) => void exit({ isReplaced }, isReplaced));
      reportReady(server.url);
    } else {
      for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void exit({ signal }));
      // A terminal sends SIGHUP when it closes; service managers send it to reload.
      process.on('SIGHUP', (signal) => {
        if (process.stdout.isTTY) void exit({ signal });
        else logger.warn('SIGHUP is ignored: only two or more WORKERS can be replaced.');
      });
    }
    if (!isFirst()) return;
    if (!config.production) return welcome(config, server.url, demo, sessions, database);
    logger.info({ url: server.url, workers: whole.workers }, 'listening');
    const decision = consoleDecisionOf(config, sessions);
    const isMissed = config.console === 'on' && !decision.isOn;
    logger[isMissed ? 'warn' : 'info'](describeConsole(decision, config.basePath));
  } catch (error) {
    await database.close();
    throw error;
  }
};

const HELP = `
Without a database URL, serves an embedded database with demo data in DATA_DIR.
All other settings are environment variables: see docs/reference/settings.md.

Examples:
  $ flaggraph serve --port 8080
  $ DATABASE_URL=postgresql://unleash:password@127.0.0.1:5432/unleash flaggraph serve --host 0.0.0.0
  $ flaggraph serve --check-config`;

export const serveCommand = () =>
  new Command('serve')
    .description('Serve GraphQL and REST. This is the default command.')
    .option('--port <port>', 'port to listen on, instead of PORT')
    .option('--host <address>', 'address to listen on, instead of HOST')
    .option(
      '--database-url <url>',
      'PostgreSQL to attach to; prefer DATABASE_URL, because options are visible in process lists',
    )
    .option('--check-config', 'validate the settings and exit')
    .addHelpText('after', HELP)
    .action(async ({ checkConfig, ...options }: ServeOptions & { checkConfig?: boolean }) => {
      if (!checkConfig) return serve(options);
      const { config } = readSettings(options);
      const warnings = settingsWarnings(config);
      const lines = [
        `The settings are valid${warnings.length > 0 ? ', with warnings' : ''}.`,
        `Database: ${describeDatabase(config)}.`,
        ...warnings.map((warning) => `Warning: ${warning}`),
      ];
      process.stdout.write(`${lines.join('\n')}\n`);
    });
