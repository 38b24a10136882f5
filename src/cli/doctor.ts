import { Command } from 'commander';
import { ConfigError, loadConfig } from '../config/config.js';
import type { Connection } from '../data/connection.js';
import { PrismaClient } from '../data/db.js';
import { type BuildOutcome, buildIndexes } from '../data/doctor/build-indexes.js';
import { examine, type Findings } from '../data/doctor/examine.js';
import { isWanting } from '../data/doctor/index-state.js';
import { judge } from '../data/doctor/verdict.js';
import { hasEmbedded, openEmbedded } from '../data/embedded.js';
import { mapOfTables } from '../data/layout.js';
import { LayoutError } from '../data/layout-error.js';
import { openPostgres } from '../data/postgres.js';
import { toJson } from './doctor-json.js';
import { createBuildTeller } from './doctor-progress.js';
import { createPaint, toText } from './doctor-report.js';
import { processTerminal, type Terminal } from './on-database.js';

const EXIT = { fine: 0, missing: 1, recommendations: 2, unusable: 3, interrupted: 130 } as const;

const EXIT_HELP = `
Exit status:
  0  all fine
  1  something needed is missing: an operation, or the start itself, cannot work
  2  everything works; only recommendations are left, such as missing indexes
  3  the settings are wrong or the database cannot be reached
  130  --apply-indexes was interrupted`;

/** Beside the terminal of every command: where progress and errors go, and how the process ends. */
export type DoctorTerminal = Terminal & {
  tell: (text: string) => void;
  hasColour: boolean;
  /** Whether a line of progress may be written over. */
  isWatched: boolean;
  exit: (status: number) => void;
};

const processDoctorTerminal: DoctorTerminal = {
  ...processTerminal,
  tell: (text) => process.stderr.write(text),
  hasColour: process.stdout.isTTY === true && !process.env['NO_COLOR'],
  isWatched: process.stderr.isTTY === true,
  exit: (status) => {
    process.exitCode = status;
  },
};

type Options = {
  json?: boolean;
  readOnly?: boolean;
  applyIndexes?: boolean;
  withTextIndex?: boolean;
};

const connect = (env: NodeJS.ProcessEnv): Promise<Connection> => {
  const { databaseUrl, dataDir } = loadConfig(env);
  if (databaseUrl) return openPostgres({ databaseUrl, poolSize: 1 });
  if (hasEmbedded(dataDir)) return openEmbedded({ dataDir });
  throw new LayoutError(
    `There is no embedded database in ${dataDir} yet. Start the gateway once, or set DATABASE_URL or DATA_DIR.`,
  );
};

/** Why no index can be made on this database, whoever asks. */
const buildObstacle = ({ access, layout }: Findings): string | undefined => {
  if (access.isReplica) return 'this is a replica; ask its primary';
  if (access.isReadOnly) return 'the database takes only reads from this user';
  if (layout.owner === 'original') return undefined;
  if (layout.owner === 'ours' && layout.pending.length === 0) return undefined;
  return layout.owner === 'ours'
    ? 'the gateway makes them itself at its next start, with its migrations'
    : 'there are no tables for them';
};

/** Makes the missing indexes; a signal ends the build under way, a second one does not wait for the clean-up. */
const applyIndexes = async (
  connection: Connection,
  findings: Findings,
  { withTextIndex }: Options,
  terminal: DoctorTerminal,
): Promise<BuildOutcome[]> => {
  const wanting = [...findings.indexes, ...(withTextIndex ? [findings.textIndex] : [])].filter(
    isWanting,
  );
  const obstacle = buildObstacle(findings);
  if (wanting.length > 0 && obstacle) {
    terminal.tell(`No indexes were made: ${obstacle}.\n`);
    return [];
  }

  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    terminal.tell('\nStopping: ending the build and removing what it has begun …\n');
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  try {
    const teller = createBuildTeller(terminal);
    return await buildIndexes(connection, wanting, { ...teller, signal: stop.signal });
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
  }
};

const diagnose = async (
  connection: Connection,
  options: Options,
  terminal: DoctorTerminal,
): Promise<number> => {
  const tableOf = mapOfTables(new PrismaClient({ adapter: connection.adapter }));
  let findings = await examine(connection, tableOf);
  let built: BuildOutcome[] = [];
  if (options.applyIndexes) {
    built = await applyIndexes(connection, findings, options, terminal);
    if (built.length > 0) findings = await examine(connection, tableOf);
  }

  const verdict = judge(findings, { isReadOnlyMeant: options.readOnly === true, built });
  if (options.json) terminal.print(JSON.stringify(toJson(findings, verdict, built), null, 2));
  else
    for (const line of toText(findings, verdict, createPaint(terminal.hasColour)))
      terminal.print(line);

  const isInterrupted = built.some(({ result }) => result === 'interrupted');
  return isInterrupted ? EXIT.interrupted : EXIT[verdict.status];
};

const run = async (options: Options, terminal: DoctorTerminal): Promise<number> => {
  try {
    const connection = await connect(terminal.env);
    try {
      return await diagnose(connection, options, terminal);
    } finally {
      await connection.close();
    }
  } catch (error) {
    const isExpected = error instanceof ConfigError || error instanceof LayoutError;
    const message = error instanceof Error ? error.message : String(error);
    const told = isExpected || !(error instanceof Error) ? message : (error.stack ?? message);
    if (options.json) {
      terminal.print(JSON.stringify({ status: 'unusable', error: message }, null, 2));
    }
    terminal.tell(`error: ${told}\n`);
    return EXIT.unusable;
  }
};

/** `flaggraph doctor`: tells what the gateway finds in the database that the settings name, and what it lacks. */
export const doctorCommand = (terminal: DoctorTerminal = processDoctorTerminal): Command => {
  const command = new Command('doctor')
    .description(
      'examine the database: layout, version, rights, indexes; changes nothing unless told',
    )
    .option('--json', 'print JSON instead of text')
    .option('--read-only', 'no clones are meant to be made: that they cannot be is no fault then')
    .option('--apply-indexes', 'make the recommended indexes that are missing, one by one')
    .option('--with-text-index', 'with --apply-indexes: also make the optional index for free text')
    .addHelpText('after', EXIT_HELP)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.fine : EXIT.unusable));
  command.action(async (options: Options) => {
    if (options.withTextIndex && !options.applyIndexes) {
      command.error('error: --with-text-index goes with --apply-indexes');
    }
    terminal.exit(await run(options, terminal));
  });
  return command;
};
