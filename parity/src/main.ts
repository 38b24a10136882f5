import { type Databases, openDatabases } from './databases.js';
import { DIFFERENCES } from './differences.js';
import { undocumented } from './documented.js';
import { type Options, readOptions } from './options.js';
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
import { runVersion } from './run-version.js';

const neverMet = (reports: readonly VersionReport[]): string[] =>
  DIFFERENCES.filter(({ id }) => !reports.some(({ met }) => met[id])).map(
    ({ id, notMetBecause }) => (notMetBecause ? `${id} (${notMetBecause})` : id),
  );

const runParts = async (
  databases: Databases,
  version: string,
  { parts, versionsOf, times, seed, gateway }: Options,
  progress: Progress,
): Promise<Check[]> => {
  const checks: Check[] = [];
  for (const [name, { load, suits }] of Object.entries(PARTS)) {
    if (!parts.includes(name) || !versionsOf(name).includes(version) || !suits(version)) continue;
    const startedAt = Date.now();
    const run = await load();
    const found = await run({
      databases,
      version,
      progress,
      times,
      seed,
      ...(gateway !== undefined && { gateway }),
    });
    progress.end();
    process.stdout.write(printChecks(version, name, found, (Date.now() - startedAt) / 1000));
    checks.push(...found);
  }
  return checks;
};

const main = async (): Promise<boolean> => {
  const options = readOptions();
  const { versionsOf, parts } = options;
  const compared = parts.includes(REQUESTS) ? versionsOf(REQUESTS) : [];
  const versions = new Set(parts.flatMap((part) => [...versionsOf(part)]));
  const progress = createProgress();
  const mismatches = undocumented();
  for (const mismatch of mismatches) process.stdout.write(`docs/differences.md: ${mismatch}\n`);

  const reports: VersionReport[] = [];
  const checks: Check[] = [];
  const databases = await openDatabases();
  try {
    for (const version of versions) {
      if (compared.includes(version)) {
        const report = await runVersion(databases, version, options, progress);
        reports.push(report);
        process.stdout.write(printReport(report, compared.length === 1 ? neverMet([report]) : []));
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
