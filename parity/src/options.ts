import { parseArgs } from 'node:util';
import { defaultVersions, PARTS, REQUESTS, VERSIONS } from './parts.js';
import { OPERATIONS, type Operation } from './request.js';
import type { RunOptions } from './run-version.js';

const ALL_PARTS = [REQUESTS, ...Object.keys(PARTS)];
const HELP = `Sends the same requests to upstream Unleash and the gateway and compares responses and rows.

  npm run parity -- [options]

  --all               versions ${VERSIONS.join(', ')} instead of ${VERSIONS[0]} only (admin-ui, console, permissions, history: ${defaultVersions('permissions').join(' and ')})
  --version <x.y.z>   this version; repeatable
  --part <name>       ${ALL_PARTS.join(', ')}; repeatable; default all
  --times <n>         repetitions of parts that depend on timing; default 1
  --seed <n>          seed of the generated requests and permission worlds; default 1
  --generated <n>     number of generated requests; default 2000
  --operations <n>    number of random operations of part history; default 100
  --only <operation>  ${OPERATIONS.join(', ')}
  --gateway <file>    a different compiled main.js of the gateway
  --help
`;

const fail = (message: string): never => {
  process.stderr.write(`${message}\n\n${HELP}`);
  process.exit(2);
};

const readCount = (name: string, text: string): number => {
  const value = Number(text);
  return Number.isSafeInteger(value) && value >= 0
    ? value
    : fail(`--${name} must be a whole number`);
};

const isOperation = (text: string): text is Operation =>
  (OPERATIONS as readonly string[]).includes(text);

export type Options = RunOptions & {
  parts: string[];
  /** The versions that a part, or the compared requests, runs for. */
  versionsOf: (part: string) => readonly string[];
  times: number;
  /** Number of random operations of the part that replays the past. */
  operations: number;
};

const readArguments = () => {
  try {
    return parseArgs({
      options: {
        all: { type: 'boolean' },
        version: { type: 'string', multiple: true },
        part: { type: 'string', multiple: true },
        times: { type: 'string', default: '1' },
        seed: { type: 'string', default: '1' },
        generated: { type: 'string', default: '2000' },
        operations: { type: 'string', default: '100' },
        only: { type: 'string' },
        gateway: { type: 'string' },
        help: { type: 'boolean' },
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
  const { only, gateway, part: parts = ALL_PARTS } = values;
  if (only !== undefined && !isOperation(only)) {
    return fail(`--only takes one of: ${OPERATIONS.join(', ')}`);
  }
  if (!parts.every((part) => ALL_PARTS.includes(part))) {
    return fail(`--part takes one of: ${ALL_PARTS.join(', ')}`);
  }
  return {
    versionsOf: (part) => (values.all ? VERSIONS : (values.version ?? defaultVersions(part))),
    parts: only === undefined ? parts : [REQUESTS],
    times: readCount('times', values.times),
    seed: readCount('seed', values.seed),
    generated: readCount('generated', values.generated),
    operations: readCount('operations', values.operations),
    ...(only !== undefined && { only }),
    ...(gateway !== undefined && { gateway }),
  };
};
