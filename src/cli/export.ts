import { Command, Option } from 'commander';
import {
  addFilterOptions,
  type EventFilter,
  type FilterOptions,
  readFilterOptions,
} from './events/filter-options.js';
import { WAITING } from './events/find-settled-end.js';
import { exportEvents } from './export/export-events.js';
import { openFileSink } from './export/file-sink.js';
import { FORMAT_NAMES, type FormatName } from './export/formats.js';
import { type Place, readPlace } from './export/place.js';
import { createTeller, durationWords, pauseWords, type Teller } from './export/progress.js';
import { ClosedPipeError, type Sink } from './export/sink.js';
import { createStandardSink } from './export/stream-sink.js';
import { isBadInput } from './gateway/gateway-error.js';
import { type Gateway, openGateway } from './gateway/open-gateway.js';
import { RETRY_PAUSES } from './gateway/with-retries.js';
import { type Interrupt, listenForInterrupt } from './interrupt.js';
import { collectEarly } from './keep-small.js';
import { CommandRefusedError } from './on-database.js';
import { failureWords, processStreamTerminal, type StreamTerminal } from './stream-terminal.js';

const EXIT = { done: 0, failed: 1 } as const;

const HELP = `
Without --url the database of the settings is read: DATABASE_URL, else DATA_DIR.
With --url a running gateway is asked; give the token in FLAGGRAPH_TOKEN, since
everybody on the machine can see the options of a process.

In csv an apostrophe is put before texts that a spreadsheet would run as a
formula; csv-raw, for programs, leaves them as they were recorded.

Examples:
  flaggraph export --format ndjson --output events.ndjson
  flaggraph export --format csv --project default --from 2026-01-01 --to 2026-03-31 > quarter.csv
  flaggraph export --url https://flags.example.com --type feature-created,feature-archived | jq .summary
  flaggraph export --format ndjson --output events.ndjson --resume

Exit status:
  0    all events that match were written, or the reader of the pipe has seen enough
  1    something is wrong with the options, the gateway or the output
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

const assertTogether = ({ output, resume, force, after }: Options): void => {
  const refuse = (message: string) => {
    throw new CommandRefusedError(message);
  };
  if (output === '') refuse('--output takes the name of a file; this one is empty.');
  if (resume && output === undefined) refuse('--resume goes with --output.');
  if (force && output === undefined) refuse('--force goes with --output.');
  if (resume && force) refuse('Give --resume or --force, not both.');
  if (after !== undefined && output !== undefined) {
    refuse('--after goes with the standard output; a file is resumed with --resume.');
  }
};

const openSink = async (
  { output, format, resume, force }: Options,
  filter: EventFilter,
  after: Place | null,
  signal: AbortSignal,
): Promise<{ sink: Sink; place: Place | null }> => {
  if (output === undefined) return { sink: createStandardSink(signal), place: after };
  const mode = resume ? 'resume' : force ? 'force' : 'new';
  return openFileSink(output, { format, filter, mode });
};

/** Says why an export has ended early and how it goes on; answers the exit status. */
const conclude = (
  error: unknown,
  reached: { sink: Sink; place: Place } | null,
  { say }: Teller,
  interrupt: Interrupt,
): number => {
  if (error instanceof ClosedPipeError) return EXIT.done;
  const isInterrupted = interrupt.signal.aborted && (error as Error).name === 'AbortError';
  if (!isInterrupted) say(`error: ${failureWords(error)}`);
  if (reached && !isBadInput(error)) {
    const { sink, place } = reached;
    say(`${number.format(place.count)} events were written. ${sink.howToResume(place)}`);
  }
  return isInterrupted ? (interrupt.exitStatus() ?? EXIT.failed) : EXIT.failed;
};

const run = async (
  options: Options,
  terminal: StreamTerminal,
  teller: Teller,
  interrupt: Interrupt,
): Promise<number> => {
  let gateway: Gateway | null = null;
  let sink: Sink | null = null;
  let place: Place | null = null;
  try {
    assertTogether(options);
    const filter = readFilterOptions(options);
    const after = options.after === undefined ? null : readPlace(options.after);
    const opened = await openSink(options, filter, after, interrupt.signal);
    sink = opened.sink;
    place = opened.place;
    gateway = await openGateway({ ...options, env: terminal.env });

    const startedAt = performance.now();
    for await (const reached of exportEvents({
      gateway,
      sink,
      filter,
      format: options.format,
      from: place,
      retries: {
        pauses: RETRY_PAUSES,
        signal: interrupt.signal,
        onPause: ({ message }, ms) => teller.say(`${message} Trying again in ${pauseWords(ms)} …`),
      },
      ...(!options.quiet && {
        onWait: () => teller.say(WAITING),
        onTotal: (total, { count }) => teller.onStart({ total, count }),
      }),
    })) {
      place = reached;
      teller.onPage(place.count);
    }

    const seconds = (performance.now() - startedAt) / 1000;
    const words = `${number.format(place?.count ?? 0)} events exported in ${durationWords(seconds)}.`;
    if (!options.quiet) teller.say(words);
    return EXIT.done;
  } catch (error) {
    return conclude(error, sink && place && { sink, place }, teller, interrupt);
  } finally {
    await sink?.close();
    await gateway?.close();
  }
};

/** `flaggraph export`: writes the events that match as lines, oldest first. */
export const exportCommand = (terminal: StreamTerminal = processStreamTerminal): Command => {
  const command = new Command('export')
    .description('write events to a file or a pipe, oldest first, as many as there are')
    .addOption(
      new Option(
        '--format <format>',
        'JSON, one object a line; or a table, safe for spreadsheets or raw',
      )
        .choices([...FORMAT_NAMES])
        .default('ndjson'),
    )
    .option('--output <file>', 'write to this file instead of the standard output')
    .option('--resume', 'go on with the --output that an interrupted export has left')
    .option('--force', 'write over an --output that is there already')
    .option('--after <place>', 'go on on the standard output, where an interrupted export stopped')
    .option('--quiet', 'tell nothing but errors');
  addFilterOptions(command)
    .option('--url <address>', 'ask the gateway at this address instead of the database')
    .option('--token <token>', 'token for --url; better set FLAGGRAPH_TOKEN')
    .addHelpText('after', HELP);
  return command.action(async (options: Options) => {
    collectEarly();
    const teller = createTeller({ ...terminal, isQuiet: options.quiet === true });
    const interrupt = listenForInterrupt();
    try {
      terminal.exit(await run(options, terminal, teller, interrupt));
    } finally {
      interrupt.ignore();
    }
  });
};
