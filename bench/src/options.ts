import { parseArgs } from 'node:util';
import type { Settings } from './settings.js';

const HELP = `Measures the gateway, Unleash and PostGraphile on copies of one database.

  npm run bench -- [options]

  --quick          a rough picture in less than five minutes: fewer events, few and short rounds
  --case <text>    only cases whose ID or title contains this text; repeatable
  --events <n>     events in the log; default 1000000 (quick: 100000)
  --rounds <n>     rounds of each contender; default 5 (quick: 2)
  --seconds <n>    length of a round; default 3 (quick: 1)
  --growth         how cost grows from 10 thousand to 10 million events, instead of the cases
  --memory         ten minutes of mixed load on the gateway, instead of the cases
  --deployments    mixed load on one process, workers, two instances and a replica, instead of the cases
  --cold-start     the first response to a question after a start, instead of the cases
  --console        the console in a browser: first view and scrolling, instead of the cases
  --all            the cases, then all of these
  --keep           keep the filled databases for the next run; requires DATABASE_URL
  --identical      each case repeats one request, in a separate table
  --strict         exit status 1 also if a target is missed
  --output <dir>   output folder; default bench/results (quick: bench/results/quick)
  --help

Creates databases on the server at DATABASE_URL, or starts a temporary PostgreSQL server.
`;

export type Options = {
  settings: Settings;
  filters: readonly string[];
  parts: Readonly<
    Record<'cases' | 'growth' | 'memory' | 'deployments' | 'coldStarts' | 'console', boolean>
  >;
  growthSizes: readonly number[];
  memoryMinutes: number;
  isQuick: boolean;
  keep: boolean;
  isStrict: boolean;
  output: string | undefined;
};

const fail = (message: string): never => {
  process.stderr.write(`${message}\n\n${HELP}`);
  process.exit(2);
};

const readNumber = (name: string, text: string | undefined, fallback: number): number => {
  if (text === undefined) return fallback;
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? value : fail(`--${name} must be a positive number`);
};

const readArguments = () => {
  try {
    return parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        case: { type: 'string', multiple: true, default: [] },
        events: { type: 'string' },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        growth: { type: 'boolean', default: false },
        memory: { type: 'boolean', default: false },
        deployments: { type: 'boolean', default: false },
        'cold-start': { type: 'boolean', default: false },
        console: { type: 'boolean', default: false },
        all: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        identical: { type: 'boolean', default: false },
        strict: { type: 'boolean', default: false },
        output: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
};

export const readOptions = (): Options => {
  const values = readArguments();
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  if (values.keep && !process.env['DATABASE_URL']) fail('--keep requires DATABASE_URL');
  const isQuick = values.quick;
  const readInteger = (name: 'events' | 'rounds', fallback: number) =>
    Math.ceil(readNumber(name, values[name], fallback));
  const others = {
    growth: values.growth,
    memory: values.memory,
    deployments: values.deployments,
    coldStarts: values['cold-start'],
    console: values.console,
  };
  return {
    settings: {
      events: readInteger('events', isQuick ? 100_000 : 1_000_000),
      rounds: readInteger('rounds', isQuick ? 2 : 5),
      seconds: readNumber('seconds', values.seconds, isQuick ? 1 : 3),
      longestSeconds: isQuick ? 1.5 : 20,
      connections: 20,
      slowConnections: 2,
      isIdentical: values.identical,
    },
    filters: values.case.map((text) => text.toLowerCase()),
    parts: {
      cases: values.all || !Object.values(others).some(Boolean),
      growth: values.all || others.growth,
      memory: values.all || others.memory,
      deployments: values.all || others.deployments,
      coldStarts: values.all || others.coldStarts,
      console: values.all || others.console,
    },
    growthSizes: isQuick ? [10_000, 100_000] : [10_000, 1_000_000, 10_000_000],
    memoryMinutes: isQuick ? 1 : 10,
    isQuick,
    keep: values.keep,
    isStrict: values.strict,
    output: values.output,
  };
};
