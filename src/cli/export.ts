import { Command, Option } from 'commander';
import {
  absoluteTimes,
  type EventFilter,
  type FilterOptions,
  readFilterOptions,
  withRelativeTimes,
} from '../export/filter-options.js';
import { FORMAT_NAMES, type FormatName } from '../export/formats.js';
import { resolveNames } from '../export/resolve-names.js';
import { CommandError } from './command-error.js';
import { addFilterOptions } from './events/add-filter-options.js';
import { WAITING } from './events/find-watermark.js';
import { exportEvents } from './export/export-events.js';
import { type ExportPosition, parsePosition } from './export/export-position.js';
import { type PreparedOutput, prepareFile } from './export/file-sink.js';
import {
  createProgressReporter,
  formatDelay,
  formatDuration,
  type ProgressReporter,
} from './export/progress.js';
import { ClosedPipeError, type Sink } from './export/sink.js';
import { createStandardSink } from './export/stream-sink.js';
import { formatError } from './format-error.js';
import { isBadInput } from './gateway/gateway-error.js';
import { type Gateway, openGateway } from './gateway/open-gateway.js';
import { createGatewayQuery } from './gateway/send-request.js';
import { RETRY_PAUSES, type Retries, withRetries } from './gateway/with-retries.js';
import { type Interrupt, listenForInterrupt } from './interrupt.js';
import { limitHeapGrowth } from './memory-flags.js';
import { processStreamTerminal, type StreamTerminal } from './terminal.js';

const EXIT = { done: 0, failed: 1 } as const;

const HELP = `
Without --url, reads the database in DATABASE_URL, else the embedded one in
DATA_DIR. With --url, queries a running gateway with the token in FLAGGRAPH_TOKEN;
--token works too, but all users of the machine can see the options of a process.

The format csv puts an apostrophe before texts that a spreadsheet would run as a
formula. The format csv-raw, for programs, leaves them as recorded.

Examples:
  $ flaggraph export --format ndjson --output events.ndjson
  $ flaggraph export --from 7d --project web-shop --type feature-archived
  $ flaggraph export --format csv --from 2026-01-01 --before 2026-04-01 > quarter.csv
  $ flaggraph export --url https://flags.example.com --created-by ada@example.com | jq .summary
  $ flaggraph export --format ndjson --output events.ndjson --resume

Exit status:
  0    all matching events were written, or the reader closed the pipe
  1    the options are invalid, or the gateway or the output failed
  130  interrupted by SIGINT; the export can be resumed
  143  interrupted by SIGTERM; the export can be resumed`;

type Options = FilterOptions & {
  format: FormatName;
  output?: string;
  resume?: boolean;
  force?: boolean;
  after?: string;
  quiet?: boolean;
  url?: string;
  token?: string;
};

const number = new Intl.NumberFormat('en-GB');

const assertCompatible = ({ output, resume, force, after }: Options): void => {
  const reject = (message: string) => {
    throw new CommandError(message);
  };
  if (output === '') reject('--output must be the name of a file (got an empty string).');
  if (resume && output === undefined) reject('--resume requires --output.');
  if (force && output === undefined) reject('--force requires --output.');
  if (resume && force) reject('Use either --resume or --force, not both.');
  if (after !== undefined && output !== undefined) {
    reject('--after applies to standard output only. To resume a file, use --resume.');
  }
};

const prepareOutput = async (
  { output, format, resume, force }: Options,
  filter: EventFilter,
  signal: AbortSignal,
): Promise<PreparedOutput> => {
  if (output === undefined) {
    return { resumed: null, open: () => createStandardSink(signal) };
  }
  const mode = resume ? 'resume' : force ? 'force' : 'new';
  return prepareFile(output, { format, given: filter, mode });
};

/** How far an export has come, and what to close. */
type Progress = {
  sink?: Sink;
  gateway?: Gateway;
  position: ExportPosition | null;
  /** Options that a resuming command must add. */
  more: string;
};

/** Reports why an export ended early and how to resume it. Returns the exit status. */
const conclude = (
  error: unknown,
  { sink, position, more }: Progress,
  { printLine }: ProgressReporter,
  interrupt: Interrupt,
): number => {
  if (error instanceof ClosedPipeError) return EXIT.done;
  const isInterrupted = interrupt.signal.aborted && (error as Error).name === 'AbortError';
  if (!isInterrupted) printLine(`error: ${formatError(error)}`);
  if (sink && position && !isBadInput(error)) {
    printLine(
      `${number.format(position.count)} events were written. ${sink.resumeHint(position, more)}`,
    );
  }
  return isInterrupted ? (interrupt.exitStatus() ?? EXIT.failed) : EXIT.failed;
};

const run = async (
  options: Options,
  terminal: StreamTerminal,
  reporter: ProgressReporter,
  interrupt: Interrupt,
): Promise<number> => {
  const { signal } = interrupt;
  const retries: Retries = {
    pauses: RETRY_PAUSES,
    signal,
    onPause: ({ message }, ms) => reporter.printLine(`${message} Retrying in ${formatDelay(ms)} …`),
  };
  const progress: Progress = { position: null, more: '' };
  try {
    assertCompatible(options);
    const unresolved = readFilterOptions(options);
    progress.more = absoluteTimes(options, unresolved);
    const after = options.after === undefined ? null : parsePosition(options.after);
    const output = await prepareOutput(options, withRelativeTimes(unresolved, options), signal);
    const gateway = await openGateway({ ...options, env: terminal.env });
    progress.gateway = gateway;
    const filter =
      output.resumed?.filter ??
      (await withRetries(retries, () =>
        resolveNames(createGatewayQuery(gateway, signal), unresolved, options),
      ));
    const sink = output.open(filter);
    progress.sink = sink;
    progress.position = output.resumed?.position ?? after;

    const startedAt = performance.now();
    for await (const reached of exportEvents({
      gateway,
      sink,
      filter,
      format: options.format,
      from: progress.position,
      retries,
      ...(!options.quiet && {
        onWait: () => reporter.printLine(WAITING),
        onTotal: (total, { count }) => reporter.onStart({ total, count }),
      }),
    })) {
      progress.position = reached;
      reporter.onPage(reached.count);
    }

    const seconds = (performance.now() - startedAt) / 1000;
    const summary = `${number.format(progress.position?.count ?? 0)} events exported in ${formatDuration(seconds)}.`;
    if (!options.quiet) reporter.printLine(summary);
    return EXIT.done;
  } catch (error) {
    return conclude(error, progress, reporter, interrupt);
  } finally {
    await progress.sink?.close();
    await progress.gateway?.close();
  }
};

/** `flaggraph export`: writes the matching events as lines, oldest first. */
export const exportCommand = (terminal: StreamTerminal = processStreamTerminal): Command => {
  const command = new Command('export')
    .description('Write all matching events to a file or a pipe, oldest first.')
    .addOption(
      new Option('--format <format>', 'ndjson: one JSON object per line; csv: a table')
        .choices([...FORMAT_NAMES])
        .default('ndjson'),
    )
    .option('--output <file>', 'file to write to, instead of standard output')
    .option('--resume', 'continue the interrupted export in --output')
    .option('--force', 'overwrite an existing --output')
    .option('--after <position>', 'continue an interrupted export on standard output')
    .option('--quiet', 'print only errors');
  addFilterOptions(command)
    .option('--url <address>', 'gateway to query, instead of the database')
    .option('--token <token>', 'token for --url; prefer FLAGGRAPH_TOKEN')
    .addHelpText('after', HELP);
  return command.action(async (options: Options) => {
    limitHeapGrowth();
    const reporter = createProgressReporter({ ...terminal, isQuiet: options.quiet === true });
    const interrupt = listenForInterrupt();
    try {
      terminal.exit(await run(options, terminal, reporter, interrupt));
    } finally {
      interrupt.ignore();
    }
  });
};
