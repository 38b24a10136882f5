import { Command, InvalidArgumentError, Option } from 'commander';
import { MAX_EVENTS_LIMIT } from '../domain/paging.js';
import { createPaint } from './doctor-report.js';
import { toJsonLine } from './events/event-record.js';
import {
  addFilterOptions,
  type FilterOptions,
  readFilterOptions,
} from './events/filter-options.js';
import { WAITING } from './events/find-settled-end.js';
import { pauseWords } from './export/progress.js';
import { ClosedPipeError } from './export/sink.js';
import { createStandardWriter } from './export/stream-sink.js';
import { isBadInput } from './gateway/gateway-error.js';
import { type Gateway, openGateway } from './gateway/open-gateway.js';
import { RETRY_PAUSES, type Retries, withRetries } from './gateway/with-retries.js';
import { listenForInterrupt } from './interrupt.js';
import { collectEarly } from './keep-small.js';
import { CommandRefusedError } from './on-database.js';
import { failureWords, processStreamTerminal, type StreamTerminal } from './stream-terminal.js';
import { eventLine } from './tail/event-line.js';
import { type FollowedEvent, followEvents } from './tail/follow-events.js';
import { readLatest } from './tail/read-latest.js';

const EXIT = { done: 0, failed: 1 } as const;

const HELP = `
Without --url the PostgreSQL of DATABASE_URL is followed. With --url a running
gateway is asked; give the token in FLAGGRAPH_TOKEN, since everybody on the
machine can see the options of a process.

A lost connection is made again, and goes on behind the last event it has shown.

Examples:
  flaggraph tail --url http://127.0.0.1:4000
  flaggraph tail --url https://flags.example.com --project default --environment production
  flaggraph tail --type feature-environment-enabled,feature-environment-disabled --last 20
  flaggraph tail --format ndjson | jq --unbuffered 'select(.ip != null)'

Exit status:
  0  ended by a signal, or the reader of the pipe has seen enough
  1  something is wrong with the options, the gateway or the output`;

const FORMAT_NAMES = ['pretty', 'ndjson'] as const;

type Options = FilterOptions & {
  format: (typeof FORMAT_NAMES)[number];
  after?: string;
  last?: number;
  color: boolean;
  url?: string;
  token?: string;
};

const howMany = (text: string): number => {
  const count = Number(text);
  if (/^\d{1,4}$/.test(text) && count <= MAX_EVENTS_LIMIT) return count;
  throw new InvalidArgumentError(`Give a whole number up to ${MAX_EVENTS_LIMIT}.`);
};

const assertTogether = ({ after, last, url }: Options, env: NodeJS.ProcessEnv): void => {
  if (after !== undefined && last !== undefined) {
    throw new CommandRefusedError('Give --after or --last, not both.');
  }
  if (after !== undefined && !/^[\w-]{1,200}$/.test(after)) {
    throw new CommandRefusedError('--after takes a cursor, such as an earlier tail has told.');
  }
  if (url === undefined && !env['DATABASE_URL']) {
    throw new CommandRefusedError(
      'There is nothing to follow: nobody can write to the embedded database while this command has it open. Ask its server with --url, or name a PostgreSQL in DATABASE_URL.',
    );
  }
};

const writerFor = (
  { format, color }: Options,
  { env, hasColour }: StreamTerminal,
  signal: AbortSignal,
) => {
  const write = createStandardWriter(signal);
  const paint = createPaint(color && hasColour && !env['NO_COLOR']);
  const lineOf = ({ cursor, node }: FollowedEvent) =>
    format === 'ndjson' ? toJsonLine({ ...node, cursor }) : eventLine(node, paint);
  return (event: FollowedEvent) => write(`${lineOf(event)}\n`);
};

const run = async (options: Options, terminal: StreamTerminal): Promise<number> => {
  const { signal, ignore } = listenForInterrupt();
  const say = (sentence: string) => terminal.tell(`${sentence}\n`);
  let gateway: Gateway | null = null;
  let cursor: string | null = null;
  try {
    assertTogether(options, terminal.env);
    const filter = readFilterOptions(options);
    gateway = await openGateway({ ...options, env: terminal.env });
    const show = writerFor(options, terminal, signal);
    const onPause: Retries['onPause'] = ({ message }, ms) =>
      say(`${message} Trying again in ${pauseWords(ms)} …`);
    const retries = { pauses: RETRY_PAUSES, onPause, signal };

    const { last = 0 } = options;
    cursor = options.after ?? null;
    if (cursor === null) {
      const from = gateway;
      const onWait = () => say(WAITING);
      const latest = await withRetries(retries, () =>
        readLatest(from, { filter, last, signal, onWait }),
      );
      for (const event of latest.events) await show(event);
      cursor = latest.cursor;
    }
    for await (const event of followEvents(gateway, {
      filter,
      after: cursor,
      signal,
      onPause,
      onGap: () => say('Events that were recorded before it goes on may be missing.'),
    })) {
      await show(event);
      cursor = event.cursor;
    }
    return EXIT.done;
  } catch (error) {
    if (error instanceof ClosedPipeError) return EXIT.done;
    const isEnded = signal.aborted && (error as Error).name === 'AbortError';
    if (!isEnded) say(`error: ${failureWords(error)}`);
    const mayGoOn = cursor !== null && !(isBadInput(error) && cursor === options.after);
    if (mayGoOn) say(`The same command goes on there with --after ${cursor}`);
    return isEnded ? EXIT.done : EXIT.failed;
  } finally {
    ignore();
    await gateway?.close();
  }
};

/** `flaggraph tail`: shows events as they are recorded. */
export const tailCommand = (terminal: StreamTerminal = processStreamTerminal): Command => {
  const command = new Command('tail')
    .description('show events as they are recorded, until it is told to end')
    .addOption(
      new Option('--format <format>', 'a line for people, or one JSON object a line')
        .choices([...FORMAT_NAMES])
        .default('pretty'),
    )
    .option('--last <count>', 'show so many of the newest events first', howMany)
    .option('--after <cursor>', 'show the events behind this cursor first; same filters only')
    .option('--no-color', 'no colours; the variable NO_COLOR says the same');
  addFilterOptions(command)
    .option('--url <address>', 'follow the gateway at this address instead of the database')
    .option('--token <token>', 'token for --url; better set FLAGGRAPH_TOKEN')
    .addHelpText('after', HELP);
  return command.action(async (options: Options) => {
    collectEarly();
    terminal.exit(await run(options, terminal));
  });
};
