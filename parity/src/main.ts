import { parseArgs } from 'node:util';
import { openDatabases } from './databases.js';
import { DIFFERENCES } from './differences.js';
import { undocumented } from './documented.js';
import { createProgress } from './progress.js';
import { printReport, type VersionReport, writeReport } from './report.js';
import { OPERATIONS, type Operation } from './request.js';
import { type RunOptions, runVersion } from './run-version.js';

const VERSIONS = ['6.6.0', '6.10.1', '7.6.5', '8.2.0'];
const HELP = `Asks the original service and the gateway the same things and compares what they answer and write.

  npm run parity -- [options]

  --all               versions ${VERSIONS.join(', ')} instead of ${VERSIONS[0]} only
  --version <x.y.z>   that version; may be given several times
  --seed <n>          of the generated requests; by default 1
  --generated <n>     how many generated requests; by default 2000
  --only <operation>  ${OPERATIONS.join(', ')}
  --gateway <file>    another compiled main.js of the gateway
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

const readOptions = (): RunOptions & { versions: string[] } => {
  const { values } = parseArgs({
    options: {
      all: { type: 'boolean' },
      version: { type: 'string', multiple: true },
      seed: { type: 'string', default: '1' },
      generated: { type: 'string', default: '2000' },
      only: { type: 'string' },
      gateway: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  if (values.only !== undefined && !isOperation(values.only)) {
    return fail(`--only takes one of: ${OPERATIONS.join(', ')}`);
  }
  return {
    versions: values.all ? VERSIONS : (values.version ?? VERSIONS.slice(0, 1)),
    seed: readCount('seed', values.seed),
    generated: readCount('generated', values.generated),
    ...(values.only !== undefined && { only: values.only }),
    ...(values.gateway !== undefined && { gateway: values.gateway }),
  };
};

const neverMet = (reports: readonly VersionReport[]): string[] =>
  DIFFERENCES.filter(({ id }) => !reports.some(({ met }) => met[id])).map(
    ({ id, notMetBecause }) => (notMetBecause ? `${id} (${notMetBecause})` : id),
  );

const main = async (): Promise<boolean> => {
  const { versions, ...options } = readOptions();
  const progress = createProgress();
  const mismatches = undocumented();
  for (const mismatch of mismatches) process.stdout.write(`docs/differences.md: ${mismatch}\n`);

  const reports: VersionReport[] = [];
  const databases = await openDatabases();
  try {
    for (const version of versions) {
      const report = await runVersion(databases, version, options, progress);
      reports.push(report);
      process.stdout.write(printReport(report, versions.length === 1 ? neverMet([report]) : []));
      process.stdout.write(`  ${writeReport(report)}\n`);
    }
  } finally {
    progress.end();
    await databases.close();
  }
  if (versions.length > 1) {
    process.stdout.write(
      `\nDeliberate differences never met: ${neverMet(reports).join(', ') || 'none'}\n`,
    );
  }
  return mismatches.length === 0 && reports.every(({ failures }) => failures.length === 0);
};

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

process.exitCode = (await main()) ? 0 : 1;
