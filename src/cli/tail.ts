import { Command, InvalidArgumentError, Option } from 'commander';
import { MAX_EVENTS_LIMIT } from '../domain/paging.js';
import { toJsonLine } from '../export/event-record.js';
import { absoluteTimes, type FilterOptions, readFilterOptions } from '../export/filter-options.js';
import { resolveNames } from '../export/resolve-names.js';
import { CommandError } from './command-error.js';
import { createPaint } from './doctor-report.js';
import { addFilterOptions } from './events/add-filter-options.js';
import { WAITING } from './events/find-watermark.js';
import { formatDelay } from './export/progress.js';
import { ClosedPipeError } from './export/sink.js';
import { createStandardWriter } from './export/stream-sink.js';
import { formatError } from './format-error.js';
import { isBadInput } from './gateway/gateway-error.js';
import { type Gateway, openGateway } from './gateway/open-gateway.js';
import { createGatewayQuery } from './gateway/send-request.js';
import { RETRY_PAUSES, type Retries, withRetries } from './gateway/with-retries.js';
import { listenForInterrupt } from './interrupt.js';
import { limitHeapGrowth } from './memory-flags.js';
import { eventLine } from './tail/event-line.js';
import { type FollowedEvent, followEvents } from './tail/follow-events.js';
import { readLatest } from './tail/read-latest.js';
import { processStreamTerminal, type StreamTerminal } from './terminal.js';

const EXIT = { done: 0, failed: 1 } as const;

const HELP = `
Without --url, follows the PostgreSQL in DATABASE_URL. With --url, follows a
running gateway with the token in FLAGGRAPH_TOKEN; --token works too, but all users
of the machine can see the options of a process.

After a lost connection, the command reconnects and resumes after the last event.

Examples:
  $ flaggraph tail --url http://127.0.0.1:4000
  $ flaggraph tail --url https://flags.example.com --project web-shop --environment production
  $ flaggraph tail --type feature-environment-enabled,feature-environment-disabled --last 20
  $ flaggraph tail --format ndjson | jq --unbuffered 'select(.ip != null)'

Exit status:
  0  stopped by a signal, or the reader closed the pipe
  1  the options are invalid, or the gateway or the output failed`;

const FORMAT_NAMES = ['pretty', 'ndjson'] as const;

type Options = FilterOptions & {
  format: (typeof FORMAT_NAMES)[number];
  after?: string;
  last?: number;
  color: boolean;
  url?: string;
  token?: string;
};

const parseCount = (text: string): number => {
  const count = Number(text);
  if (/^\d{1,4}$/.test(text) && count <= MAX_EVENTS_LIMIT) return count;
  throw new InvalidArgumentError(`It must be a whole number between 0 and ${MAX_EVENTS_LIMIT}.`);
};

const assertCompatible = ({ after, last, url }: Options, env: NodeJS.ProcessEnv): void => {
  if (after !== undefined && last !== undefined) {
    throw new CommandError('Use either --after or --last, not both.');
  }
  if (after !== undefined && !/^[\w-]{1,200}$/.test(after)) {
    throw new CommandError('--after must be a cursor printed by an earlier tail.');
  }
  if (url === undefined && !env['DATABASE_URL']) {
    throw new CommandError(
      'Nothing to follow: only its server can write to the embedded database. Follow that server with --url, or set DATABASE_URL to a PostgreSQL.',
    );
  }
};

const writerFor = (
  { format, color }: Options,
  { env, hasColor }: StreamTerminal,
  signal: AbortSignal,
) => {
  const write = createStandardWriter(signal);
  const paint = createPaint(color && hasColor && !env['NO_COLOR']);
  const lineOf = ({ cursor, node }: FollowedEvent) =>
    format === 'ndjson' ? toJsonLine({ ...node, cursor }) : eventLine(node, paint);
  return (event: FollowedEvent) => write(`${lineOf(event)}\n`);
};

/** How far the output has come, and what to close. */
type Progress = { gateway?: Gateway; cursor: string | null; more: string };

const follow = async (
  options: Options,
  terminal: StreamTerminal,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> => {
  const printLine = (line: string) => terminal.writeError(`${line}\n`);
  const onPause: Retries['onPause'] = ({ message }, ms) =>
    printLine(`${message} Retrying in ${formatDelay(ms)} …`);
  const retries = { pauses: RETRY_PAUSES, onPause, signal };

  assertCompatible(options, terminal.env);
  const unresolved = readFilterOptions(options);
  progress.more = absoluteTimes(options, unresolved);
  const gateway = await openGateway({ ...options, env: terminal.env });
  progress.gateway = gateway;
  const filter = await withRetries(retries, () =>
    resolveNames(createGatewayQuery(gateway, signal), unresolved, options),
  );
  const show = writerFor(options, terminal, signal);

  progress.cursor = options.after ?? null;
  if (progress.cursor === null) {
    const { last = 0 } = options;
    const onWait = () => printLine(WAITING);
    const latest = await withRetries(retries, () =>
      readLatest(gateway, { filter, last, signal, onWait }),
    );
    for (const event of latest.events) await show(event);
    progress.cursor = latest.cursor;
  }
  for await (const event of followEvents(gateway, {
    filter,
    after: progress.cursor,
    signal,
    onPause,
    onGap: () => printLine('Events recorded before the connection is restored may be missing.'),
  })) {
    await show(event);
    progress.cursor = event.cursor;
  }
};

const run = async (options: Options, terminal: StreamTerminal): Promise<number> => {
  const { signal, ignore } = listenForInterrupt();
  const printLine = (line: string) => terminal.writeError(`${line}\n`);
  const progress: Progress = { cursor: null, more: '' };
  try {
    await follow(options, terminal, progress, signal);
    return EXIT.done;
  } catch (error) {
    if (error instanceof ClosedPipeError) return EXIT.done;
    const isEnded = signal.aborted && (error as Error).name === 'AbortError';
    if (!isEnded) printLine(`error: ${formatError(error)}`);
    const { cursor, more } = progress;
    const canResume = cursor !== null && !(isBadInput(error) && cursor === options.after);
    if (canResume) {
      const resumeOptions = [more, `--after ${cursor}`].filter((part) => part !== '').join(' ');
      printLine(`To resume, repeat the command with ${resumeOptions}`);
    }
    return isEnded ? EXIT.done : EXIT.failed;
  } finally {
    ignore();
    await progress.gateway?.close();
  }
};

/** `flaggraph tail`: shows events as they are recorded. */
export const tailCommand = (terminal: StreamTerminal = processStreamTerminal): Command => {
  const command = new Command('tail')
    .description('Print events as they are recorded, until interrupted.')
    .addOption(
      new Option('--format <format>', 'readable lines, or one JSON object per line')
        .choices([...FORMAT_NAMES])
        .default('pretty'),
    )
    .option('--last <count>', 'print this many of the newest events first', parseCount)
    .option('--after <cursor>', 'resume after this cursor; the filters must be the same')
    .option('--no-color', 'no colors, as with NO_COLOR=1');
  addFilterOptions(command)
    .option('--url <address>', 'gateway to follow, instead of the database')
    .option('--token <token>', 'token for --url; prefer FLAGGRAPH_TOKEN')
    .addHelpText('after', HELP);
  return command.action(async (options: Options) => {
    limitHeapGrowth();
    terminal.exit(await run(options, terminal));
  });
};
