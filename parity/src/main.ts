import { type Databases, openDatabases } from './databases.js';
import { DIFFERENCES } from './differences.js';
import { undocumented } from './documented.js';
import { installUpstream } from './install.js';
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

type Job = { run: () => Promise<void>; isTimed?: boolean | undefined };

type Found = { reports: VersionReport[]; checks: Check[] };

/** The comparison of requests and each part, for each version. They have databases and servers of their own. */
const listJobs = (
  databases: Databases,
  options: Options,
  progress: Progress,
  { reports, checks }: Found,
): Job[] => {
  const { parts, versionsOf, times, seed, operations, gateway } = options;
  const compared = parts.includes(REQUESTS) ? versionsOf(REQUESTS) : [];
  const requests = compared.map((version) => ({
    run: async () => {
      const report = await runVersion(databases, version, options, progress);
      reports.push(report);
      process.stdout.write(printReport(report, compared.length === 1 ? neverMet([report]) : []));
      process.stdout.write(`  ${writeReport(report)}\n`);
    },
  }));
  const others = Object.entries(PARTS).flatMap(([name, part]) => {
    const versions = parts.includes(name) ? versionsOf(name).filter(part.suits) : [];
    return versions.map((version) => ({
      isTimed: part.isTimed,
      run: async () => {
        const context = { databases, version, progress, times, seed, operations };
        const found = await runPart(name, { ...context, ...(gateway && { gateway }) }, part);
        checks.push(...found);
      },
    }));
  });
  return [...others, ...requests];
};

/**
 * Runs all jobs, even if one fails, two at a time: one from the front, where a browser keeps a core busy, and one from the
 * back, where most time passes between requests and responses. Those with time limits run alone at the end.
 */
const runJobs = async (jobs: readonly Job[]): Promise<void> => {
  const remaining = jobs.filter(({ isTimed }) => !isTimed);
  const timed = jobs.filter(({ isTimed }) => isTimed);
  const failures: unknown[] = [];
  const runEach = async (next: () => Job | undefined) => {
    for (let job = next(); job; job = next()) {
      await job.run().catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all([runEach(() => remaining.shift()), runEach(() => remaining.pop())]);
  await runEach(() => timed.shift());
  if (failures.length > 0) throw failures[0];
};

/** Installs versions that no job needs yet while the first jobs run. A failure is reported by the job that needs one. */
const installAhead = async ({ parts, versionsOf }: Options): Promise<void> => {
  for (const version of new Set(parts.flatMap(versionsOf))) {
    await installUpstream(version).catch(() => undefined);
  }
};

const main = async (): Promise<boolean> => {
  const options = readOptions();
  const progress = createProgress();
  const mismatches = undocumented();
  for (const mismatch of mismatches) process.stdout.write(`docs/differences.md: ${mismatch}\n`);

  const reports: VersionReport[] = [];
  const checks: Check[] = [];
  const databases = await openDatabases();
  void installAhead(options);
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
