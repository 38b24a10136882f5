import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Measurement } from './experiment.js';
import type { Options } from './options.js';

const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));
const [BEGIN, END] = ['<!-- faults:begin -->', '<!-- faults:end -->'];

export type Outcome = { name: string; seconds: number; measurements: readonly Measurement[] };

const resultLabel = ({ ok }: Measurement) => (ok ? 'pass' : 'FAIL');

export const countOf = (outcomes: readonly Outcome[]): { passed: number; failed: number } => {
  const all = outcomes.flatMap(({ measurements }) => measurements);
  const failed = all.filter(({ ok }) => !ok).length;
  return { passed: all.length - failed, failed };
};

/** The rows of one experiment for a terminal. */
export const printOutcome = ({ name, seconds, measurements }: Outcome): string =>
  [
    `${name}, ${Math.round(seconds)} s`,
    ...measurements.map(
      (row) => `  ${resultLabel(row)}  ${row.what}: ${row.measured}; bound ${row.bound}`,
    ),
    '',
  ].join('\n');

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const tableOf = (outcomes: readonly Outcome[]): string[] => [
  '| experiment | measurement | measured | bound | verdict |',
  '|---|---|--:|--:|---|',
  ...outcomes.flatMap(({ name, measurements }) =>
    measurements.map(
      (row) =>
        `| ${[name, row.what, row.measured, row.bound, resultLabel(row)].map(cell).join(' | ')} |`,
    ),
  ),
];

/** All rows as a Markdown table, with the environment of the run. */
export const markdownOf = (
  outcomes: readonly Outcome[],
  { form, events, seed }: Options,
): string => {
  const { passed, failed } = countOf(outcomes);
  const minutes = outcomes.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`;
  return [
    `The ${form} form on ${new Date().toISOString().slice(0, 10)}: ${events.toLocaleString('en')} events, seed ${seed}, ${machine}, ${Math.round(minutes)} minutes. ${passed} passed, ${failed} failed.`,
    '',
    ...tableOf(outcomes),
  ].join('\n');
};

/** Replaces the text between the markers of a file. Appends the table to a file without markers. */
export const writeMarkdown = (file: string, markdown: string): void => {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const block = `${BEGIN}\n\n${markdown}\n\n${END}`;
  const [begin, end] = [before.indexOf(BEGIN), before.indexOf(END)];
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    begin < 0 || end < begin
      ? `${before}${block}\n`
      : `${before.slice(0, begin)}${block}${before.slice(end + END.length)}`,
  );
};

/** For `.ci/run`. */
export const writeSummary = (outcomes: readonly Outcome[]): void => {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, 'summary.json'), `${JSON.stringify(countOf(outcomes))}\n`);
  writeFileSync(join(RESULTS, 'results.json'), `${JSON.stringify(outcomes, null, 2)}\n`);
};
