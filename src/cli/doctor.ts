import { Command, Option } from 'commander';
import {
  decideSessions,
  describeOff,
  isConflict,
  type SessionDecision,
} from '../auth/session-setting.js';
import { loadConfig } from '../config/config.js';
import type { Connection } from '../data/connection.js';
import { type BuildOutcome, buildIndexes } from '../data/doctor/build-indexes.js';
import { diagnoseFindings } from '../data/doctor/diagnosis.js';
import { examine, type Findings } from '../data/doctor/examine.js';
import { needsAction } from '../data/doctor/index-state.js';
import { type ReadGrants, readGrants } from '../data/doctor/read-grants.js';
import { openEmbedded } from '../data/embedded/embedded.js';
import { tableOf } from '../data/layout/layout.js';
import { openPostgres } from '../data/postgres.js';
import { toPlainJson, toPlainText, withPlainTexts } from '../domain/plain-line.js';
import { assertDatabase } from './assert-database.js';
import { CommandError } from './command-error.js';
import { openOrCall } from './control/control-client.js';
import { grantScript } from './doctor-grants.js';
import { toJson } from './doctor-json.js';
import { createBuildReporter } from './doctor-progress.js';
import { inspectReplicas, replicaProblems } from './doctor-replicas.js';
import { createPaint, toText } from './doctor-report.js';
import { formatError } from './format-error.js';
import { consoleDecisionOf } from './serve-messages.js';
import {
  processStreamTerminal,
  processTerminal,
  type StreamTerminal,
  type Terminal,
} from './terminal.js';

const EXIT = { fine: 0, missing: 1, recommendations: 2, unusable: 3, interrupted: 130 } as const;

const HELP = `
Examines the database in DATABASE_URL, else the embedded one in DATA_DIR, also
while a server runs on it.

Examples:
  $ flaggraph doctor
  $ flaggraph doctor --json | jq .status
  $ flaggraph doctor --print-grants --role flaggraph > grants.sql
  $ flaggraph doctor --apply-indexes

In JSON, status is fine (0), missing (1), recommendations (2) or unusable (3), and
layout.owner is unleash, flaggraph (this gateway), empty, foreign or unreadable.

Exit status:
  0    no problems found
  1    something required is missing: an operation or the server can't work
  2    everything works, but there are recommendations, such as missing indexes
  3    the settings are invalid or the database can't be reached
  130  --apply-indexes was interrupted`;

/** Adds progress and error output, and the exit status. */
export type DoctorTerminal = Terminal & StreamTerminal;

const processDoctorTerminal: DoctorTerminal = {
  ...processTerminal,
  ...processStreamTerminal,
  exit: (status) => {
    process.exitCode = status;
  },
};

const SERVER_RUNNING =
  'A server runs on the embedded database, and building an index would block all of its requests. Stop the server, then repeat the command.';

type Options = {
  json?: boolean;
  readOnly?: boolean;
  applyIndexes?: boolean;
  withTextIndex?: boolean;
  printGrants?: boolean;
  role?: string;
};

/** The database to examine. */
type Subject = {
  examine: () => Promise<Findings>;
  readGrants: (role: string | undefined) => Promise<ReadGrants>;
  /** Absent if a running server has the embedded database open. */
  connection?: Connection;
};

const connect = (env: NodeJS.ProcessEnv): Promise<Connection> => {
  const config = loadConfig(env);
  assertDatabase(config);
  const { databaseUrl, dataDir } = config;
  return databaseUrl ? openPostgres({ databaseUrl, poolSize: 1 }) : openEmbedded({ dataDir });
};

const toSubject = (connection: Connection): Subject => {
  return {
    examine: () => examine(connection, tableOf),
    readGrants: (role) => readGrants(connection, tableOf, role),
    connection,
  };
};

/** Why no index can be built on this database by any user. */
const buildObstacle = ({ access, layout }: Findings): string | undefined => {
  if (access.isReplica) return 'this is a replica; use its primary';
  if (access.isReadOnly) return 'this user can only read';
  if (layout.owner === 'unleash') return undefined;
  if (layout.owner === 'flaggraph' && layout.pending.length === 0) return undefined;
  return layout.owner === 'flaggraph'
    ? 'the gateway creates them at its next start, with its migrations'
    : 'their tables do not exist';
};

/**
 * Builds the missing indexes. A signal cancels the current build; a second one exits without waiting for the cleanup.
 */
const applyIndexes = async (
  connection: Connection,
  findings: Findings,
  { withTextIndex }: Options,
  terminal: DoctorTerminal,
): Promise<BuildOutcome[]> => {
  const wanting = [...findings.indexes, ...(withTextIndex ? [findings.textIndex] : [])].filter(
    needsAction,
  );
  const obstacle = buildObstacle(findings);
  if (wanting.length > 0 && obstacle) {
    terminal.writeError(`No indexes were created: ${obstacle}.\n`);
    return [];
  }

  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    terminal.writeError('\nStopping: cancelling the build and removing the unfinished index …\n');
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  try {
    const reporter = createBuildReporter(terminal);
    return await buildIndexes(connection, wanting, { ...reporter, signal: stop.signal });
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
  }
};

const sessionFindings = (sessions: SessionDecision) => {
  if (sessions.isOn) {
    return { faults: [], recommendations: sessions.warning === null ? [] : [sessions.warning] };
  }
  if (!sessions.expectedBy) return { faults: [], recommendations: [] };
  const described = [describeOff(sessions)];
  return isConflict(sessions)
    ? { faults: described, recommendations: [] }
    : { faults: [], recommendations: described };
};

const diagnose = async (
  subject: Subject,
  options: Options,
  terminal: DoctorTerminal,
): Promise<number> => {
  if (options.printGrants) {
    const found = await subject.readGrants(options.role);
    const isReadOnly = options.readOnly === true;
    const script = grantScript(found, { isReadOnly, settings: loadConfig(terminal.env) });
    for (const line of script) terminal.print(toPlainText(line));
    return EXIT.fine;
  }
  if (options.applyIndexes && !subject.connection) throw new CommandError(SERVER_RUNNING);

  let findings = await subject.examine();
  let built: BuildOutcome[] = [];
  if (options.applyIndexes && subject.connection) {
    built = await applyIndexes(subject.connection, findings, options, terminal);
    if (built.length > 0) findings = await subject.examine();
  }

  const config = loadConfig(terminal.env);
  const sessions = decideSessions(config, {
    ownership: findings.layout.owner === 'unleash' ? 'unleash' : 'flaggraph',
    sessionTable: findings.sessionTable,
  });
  const { faults, recommendations } = sessionFindings(sessions);
  const replicas = await inspectReplicas(config, subject.connection);
  const console = consoleDecisionOf(config, sessions);
  const diagnosis = diagnoseFindings(findings, {
    isReadOnlyMeant: options.readOnly === true,
    faults,
    recommendations: [...recommendations, ...replicaProblems(replicas)],
    built,
  });
  if (options.json) {
    terminal.print(
      toPlainJson(toJson(findings, diagnosis, { built, sessions, replicas, console })),
    );
  } else {
    const paint = createPaint(terminal.hasColor);
    const plain = withPlainTexts({ findings, diagnosis, sessions, replicas, console });
    const lines = toText(plain.findings, plain.diagnosis, plain, paint);
    for (const line of lines) terminal.print(line);
  }

  const isInterrupted = built.some(({ result }) => result === 'interrupted');
  return isInterrupted ? EXIT.interrupted : EXIT[diagnosis.status];
};

const run = async (options: Options, terminal: DoctorTerminal): Promise<number> => {
  const { env } = terminal;
  try {
    return await openOrCall(loadConfig(env).dataDir, {
      open: async () => connect(env),
      onOpen: (connection) =>
        diagnose(toSubject(connection), options, terminal).finally(connection.close),
      onServer: (server) => diagnose(server, options, terminal),
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (options.json) terminal.print(toPlainJson({ status: 'unusable', error: message }));
    terminal.writeError(`error: ${toPlainText(formatError(error))}\n`);
    return EXIT.unusable;
  }
};

/** `flaggraph doctor`: reports what the gateway finds in the configured database, and what is missing. */
export const doctorCommand = (terminal: DoctorTerminal = processDoctorTerminal): Command => {
  const command = new Command('doctor')
    .description(
      'Report what the database has and lacks: version, privileges, indexes. Changes nothing by default.',
    )
    .option('--json', 'print JSON instead of text')
    .option('--read-only', 'accept that features cannot be cloned')
    .option('--apply-indexes', 'create the missing recommended indexes, one at a time')
    .option('--with-text-index', 'with --apply-indexes: also create the optional text index')
    .addOption(
      new Option('--print-grants', 'print the GRANT statements that the gateway needs').conflicts([
        'json',
        'applyIndexes',
      ]),
    )
    .option('--role <name>', 'with --print-grants: role to grant to (default: the current one)')
    .addHelpText('after', HELP)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.fine : EXIT.unusable));
  command.action(async (options: Options) => {
    if (options.withTextIndex && !options.applyIndexes) {
      command.error('error: --with-text-index requires --apply-indexes.');
    }
    if (options.role !== undefined && !options.printGrants) {
      command.error('error: --role requires --print-grants.');
    }
    terminal.exit(await run(options, terminal));
  });
  return command;
};
