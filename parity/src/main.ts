import { type Databases, openDatabases } from './databases.js';
import { DIFFERENCES } from './differences.js';
import { undocumented } from './documented.js';
import { type Options, readOptions } from './options.js';
import type { Check, PartContext } from './part.js';
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
import { runVersion } from './run-version.js';

const neverMet = (reports: readonly VersionReport[]): string[] =>
  DIFFERENCES.filter(({ id }) => !reports.some(({ met }) => met[id])).map(
    ({ id, notMetBecause }) => (notMetBecause ? `${id} (${notMetBecause})` : id),
  );

const runPart = async (
  name: string,
  context: PartContext,
  { load }: (typeof PARTS)[string],
): Promise<Check[]> => {
  const startedAt = Date.now();
  const run = await load();
  const checks = await run(context);
  context.progress.end();
  process.stdout.write(printChecks(context.version, name, checks, (Date.now() - startedAt) / 1000));
  return checks;
};

type Found = { reports: VersionReport[]; checks: Check[] };

/** The comparison of requests and each part, for each version. They have databases and servers of their own. */
const listJobs = (
  databases: Databases,
  options: Options,
  progress: Progress,
  { reports, checks }: Found,
): (() => Promise<void>)[] => {
  const { parts, versionsOf, times, seed, operations, gateway } = options;
  const compared = parts.includes(REQUESTS) ? versionsOf(REQUESTS) : [];
  const requests = compared.map((version) => async () => {
    const report = await runVersion(databases, version, options, progress);
    reports.push(report);
    process.stdout.write(printReport(report, compared.length === 1 ? neverMet([report]) : []));
    process.stdout.write(`  ${writeReport(report)}\n`);
  });
  const others = Object.entries(PARTS).flatMap(([name, part]) => {
    const versions = parts.includes(name) ? versionsOf(name).filter(part.suits) : [];
    return versions.map((version) => async () => {
      const context = { databases, version, progress, times, seed, operations };
      const found = await runPart(name, { ...context, ...(gateway && { gateway }) }, part);
      checks.push(...found);
    });
  });
  return [...requests, ...others];
};

/** Runs all jobs one after the other, even if one fails: together they take as long, and slow each other down. */
const runJobs = async (jobs: readonly (() => Promise<void>)[]): Promise<void> => {
  const failures: unknown[] = [];
  for (const job of jobs) await job().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
};

const main = async (): Promise<boolean> => {
  const options = readOptions();
  const progress = createProgress();
  const mismatches = undocumented();
  for (const mismatch of mismatches) process.stdout.write(`docs/differences.md: ${mismatch}\n`);

  const reports: VersionReport[] = [];
  const checks: Check[] = [];
  const databases = await openDatabases();
  try {
    await runJobs(listJobs(databases, options, progress, { reports, checks }));
  } finally {
    progress.end();
    await databases.close();
  }
  if (reports.length > 1) {
    process.stdout.write(
      `\nDeliberate differences never found: ${neverMet(reports).join(', ') || 'none'}\n`,
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
