import type { SessionDecision } from '../auth/session-setting.js';
import type { Config } from '../config/config.js';
import type { Database } from '../data/connect.js';
import { readDatabaseUrl } from '../data/pool/database-url.js';
import type { DemoAccess } from '../demo/demo-access.js';
import { isConsoleBuilt } from '../pages/console-files.js';
import { type ConsoleDecision, decideConsole } from '../pages/console-setting.js';
import { misspelledSettings } from './misspelled-settings.js';

const newTablesWarnings = ({ kind, isNew }: Database): string[] =>
  kind === 'postgres' && isNew
    ? [
        'The database was empty, so the gateway has created its own tables. Unleash cannot be installed in it any more.',
      ]
    : [];

const embeddedWarnings = ({ production, dataDir, databaseUrl }: Config): string[] => {
  if (databaseUrl !== undefined || !production) return [];
  return dataDir === 'memory://'
    ? ['The database is in memory (DATA_DIR is memory://): all data is lost when the process ends.']
    : [
        'The embedded database serves one process, without replicas, failover and online backups. Use PostgreSQL in production: set DATABASE_URL.',
      ];
};

/** What an operator should know about the settings, one sentence each. */
export const settingsWarnings = (config: Config): string[] => [
  ...misspelledSettings(process.env),
  ...embeddedWarnings(config),
];

/** What an operator should know about the settings and the database, one sentence each. */
export const startWarnings = (config: Config, database: Database): string[] => [
  ...settingsWarnings(config),
  ...database.warnings,
  ...newTablesWarnings(database),
];

export const describeDatabase = ({ databaseUrl, dataDir }: Config): string =>
  databaseUrl === undefined
    ? `embedded, in ${dataDir}`
    : `PostgreSQL at ${readDatabaseUrl(databaseUrl).place}`;

const describeTables = ({ ownership, layoutVersion }: Database): string => {
  if (ownership === 'flaggraph') return 'tables of the gateway';
  return layoutVersion === null ? 'tables of Unleash' : `tables of Unleash ${layoutVersion}`;
};

/** Whether the console of this package is served with these settings. */
export const consoleDecisionOf = (config: Config, { isOn }: SessionDecision): ConsoleDecision =>
  decideConsole(config, { hasSessions: isOn, isBuilt: isConsoleBuilt() });

/** For the log and for `doctor`. */
export const describeConsole = (decision: ConsoleDecision, base: string): string =>
  decision.isOn ? `The console is at ${base}/.` : `The console is off: ${decision.reason}.`;

const firstPageLine = (decision: ConsoleDecision, base: string): string =>
  decision.isOn
    ? `  Console   ${base}/   (in a browser)`
    : `  Start     ${base}/   (in a browser; no console: ${decision.reason})`;

/** Printed when a server has started, outside production. */
export const welcome = (
  config: Config,
  url: string,
  { tokens, isLocal }: DemoAccess,
  sessions: SessionDecision,
  database: Database,
) => {
  const base = `${url}${config.basePath}`;
  const lines = [
    '',
    '  flaggraph is listening',
    '',
    firstPageLine(consoleDecisionOf(config, sessions), base),
    `  GraphQL   ${base}/graphql${config.graphiql ? '   (GraphiQL in a browser)' : ''}`,
    `  REST      ${base}/api/admin/search/events`,
    `  Docs      ${base}/docs/`,
    `  Database  ${describeDatabase(config)}, ${describeTables(database)}`,
    ...(database.ownership === 'unleash'
      ? [`  Sign-in   ${sessions.isOn ? 'accepted' : `off: ${sessions.reason}`}`]
      : []),
    ...(tokens
      ? [
          '',
          `  Demo token (admin)   ${tokens.admin}`,
          `  Demo token (viewer)  ${tokens.viewer}`,
          `  curl -H 'Authorization: ${tokens.admin}' '${base}/api/admin/search/events?limit=1'`,
          ...(isLocal
            ? []
            : ['', '  Other machines can reach this address: keep the tokens secret.']),
        ]
      : []),
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
};
