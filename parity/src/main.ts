import { parseArgs } from 'node:util';
import { type Databases, openDatabases } from './databases.js';
import { DIFFERENCES } from './differences.js';
import { undocumented } from './documented.js';
import type { Check } from './part.js';
import { PARTS, REQUESTS } from './parts.js';
import { createProgress, type Progress } from './progress.js';
import {
  countOf,
  printChecks,
  printReport,
  type VersionReport,
  writeReport,
  writeSummary,
} from './report.js';
import { OPERATIONS, type Operation } from './request.js';
import { type RunOptions, runVersion } from './run-version.js';

const VERSIONS = ['6.6.0', '6.10.1', '7.6.5', '8.2.0'];
const ALL_PARTS = [REQUESTS, ...Object.keys(PARTS)];
const HELP = `Asks the original service and the gateway the same things and compares what they answer and write.

  npm run parity -- [options]

  --all               versions ${VERSIONS.join(', ')} instead of ${VERSIONS[0]} only
  --version <x.y.z>   that version; may be given several times
  --part <name>       ${ALL_PARTS.join(', ')}; may be given several times; by default all
  --times <n>         how often clones beside a running original are repeated; by default 1
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

type Options = RunOptions & { versions: string[]; parts: string[]; times: number };

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
        only: { type: 'string' },
        gateway: { type: 'string' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
};

const readOptions = (): Options => {
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
    versions: values.all ? VERSIONS : (values.version ?? VERSIONS.slice(0, 1)),
    parts: only === undefined ? parts : [REQUESTS],
    times: readCount('times', values.times),
    seed: readCount('seed', values.seed),
    generated: readCount('generated', values.generated),
    ...(only !== undefined && { only }),
    ...(gateway !== undefined && { gateway }),
  };
};

const neverMet = (reports: readonly VersionReport[]): string[] =>
  DIFFERENCES.filter(({ id }) => !reports.some(({ met }) => met[id])).map(
    ({ id, notMetBecause }) => (notMetBecause ? `${id} (${notMetBecause})` : id),
  );

const runParts = async (
  databases: Databases,
  version: string,
  { parts, times, gateway }: Options,
  progress: Progress,
): Promise<Check[]> => {
  const checks: Check[] = [];
  for (const [name, { load, suits }] of Object.entries(PARTS)) {
    if (!parts.includes(name) || !suits(version)) continue;
    const begun = Date.now();
    const run = await load();
    const found = await run({
      databases,
      version,
      progress,
      times,
      ...(gateway !== undefined && { gateway }),
    });
    progress.end();
    process.stdout.write(printChecks(version, name, found, (Date.now() - begun) / 1000));
    checks.push(...found);
  }
  return checks;
};

const main = async (): Promise<boolean> => {
  const options = readOptions();
  const { versions, parts } = options;
  const progress = createProgress();
  const mismatches = undocumented();
  for (const mismatch of mismatches) process.stdout.write(`docs/differences.md: ${mismatch}\n`);

  const reports: VersionReport[] = [];
  const checks: Check[] = [];
  const databases = await openDatabases();
  try {
    for (const version of versions) {
      if (parts.includes(REQUESTS)) {
        const report = await runVersion(databases, version, options, progress);
        reports.push(report);
        process.stdout.write(printReport(report, versions.length === 1 ? neverMet([report]) : []));
        process.stdout.write(`  ${writeReport(report)}\n`);
      }
      checks.push(...(await runParts(databases, version, options, progress)));
    }
  } finally {
    progress.end();
    await databases.close();
  }
  if (reports.length > 1) {
    process.stdout.write(
      `\nDeliberate differences never met: ${neverMet(reports).join(', ') || 'none'}\n`,
    );
  }
  const { passed, failed } = countOf(reports, [
    ...checks,
    ...mismatches.map((difference) => ({ what: 'docs/differences.md', difference })),
  ]);
  writeSummary({ passed, failed });
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  return failed === 0 && passed > 0;
};

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

process.exitCode = (await main()) ? 0 : 1;
