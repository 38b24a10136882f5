import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Outcome } from './comparison.js';
import { toCurl } from './http.js';
import type { Check } from './part.js';
import { OPERATIONS, type Operation } from './request.js';
import type { Sides } from './sides.js';
import type { FeatureByHand } from './world/features.js';

const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));
const SHOWN_BODY = 600;

export type Failure = {
  what: string;
  difference: string;
  /** The request as a shell command, for each side. */
  curl?: { upstream: string; gateway: string };
  answers?: { upstream: string; gateway: string };
  /** The source of a generated clone, which only SQL can create. */
  source?: FeatureByHand;
};

export type Tally = Record<Operation, { agreed: number; deliberate: number; failed: number }>;

export type VersionReport = {
  version: string;
  handWritten: number;
  generated: number;
  seed: number;
  seconds: number;
  tally: Tally;
  /** How often each deliberate difference was found. */
  met: Record<string, number>;
  failures: Failure[];
  /** Seconds spent on each part. */
  times: Record<string, number>;
};

export const emptyTally = (): Tally =>
  Object.fromEntries(
    OPERATIONS.map((operation) => [operation, { agreed: 0, deliberate: 0, failed: 0 }]),
  ) as Tally;

const shorten = (text: string) =>
  text.length > SHOWN_BODY ? `${text.slice(0, SHOWN_BODY)}…` : text;

export const failureOf = (sides: Sides, what: string, outcome: Outcome): Failure => {
  const { wire, responses } = outcome;
  return {
    what,
    difference: outcome.difference ?? '',
    curl: { upstream: toCurl(sides.upstream.url, wire), gateway: toCurl(sides.gateway.url, wire) },
    answers: {
      upstream: `${responses.upstream.status} ${shorten(responses.upstream.text)}`,
      gateway: `${responses.gateway.status} ${shorten(responses.gateway.text)}`,
    },
    ...(outcome.request.source && { source: outcome.request.source }),
  };
};

const pad = (text: string | number, width: number) => String(text).padStart(width);

const tableOf = ({ version, tally }: VersionReport): string[] => [
  `${version.padEnd(20)}${pad('agreed', 9)}${pad('deliberate', 12)}${pad('failed', 8)}`,
  ...OPERATIONS.map((operation) => {
    const { agreed, deliberate, failed } = tally[operation];
    return `  ${operation.padEnd(18)}${pad(agreed, 9)}${pad(deliberate, 12)}${pad(failed, 8)}`;
  }),
];

const failureLines = (failures: readonly Failure[]): string[] =>
  failures.flatMap(({ what, difference, curl, answers, source }, index) => [
    `  ${index + 1}. ${what}`,
    `     ${difference}`,
    ...(curl ? [`     ${curl.gateway}`] : []),
    ...(source ? [`     source   ${JSON.stringify(source)}`] : []),
    ...(answers ? [`     upstream ${answers.upstream}`, `     gateway  ${answers.gateway}`] : []),
  ]);

/** The report of one version as text. */
export const printReport = (report: VersionReport, neverMet: readonly string[]): string =>
  [
    '',
    ...tableOf(report),
    `  ${report.handWritten} hand-written and ${report.generated} generated requests (seed ${report.seed}) in ${report.seconds} s`,
    ...(neverMet.length > 0 ? [`  deliberate differences not found: ${neverMet.join(', ')}`] : []),
    ...(report.failures.length > 0
      ? [`  ${report.failures.length} failures:`, ...failureLines(report.failures)]
      : []),
    '',
  ].join('\n');

export const writeReport = (report: VersionReport): string => {
  mkdirSync(RESULTS, { recursive: true });
  const file = join(RESULTS, `${report.version}.json`);
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  return file;
};

/** The checks of one part as text. */
export const printChecks = (
  version: string,
  part: string,
  checks: readonly Check[],
  seconds: number,
): string =>
  [
    '',
    `${version} ${part}, in ${Math.round(seconds)} s`,
    ...checks.flatMap(({ what, difference }) =>
      difference === undefined
        ? [`  ok      ${what}`]
        : [`  FAILED  ${what}`, `          ${difference}`],
    ),
    '',
  ].join('\n');

export type Counts = { passed: number; failed: number };

/** A response passes if it is equal or differs deliberately. */
export const countOf = (reports: readonly VersionReport[], checks: readonly Check[]): Counts => {
  const compared = reports
    .flatMap(({ tally }) => Object.values(tally))
    .reduce((sum, { agreed, deliberate }) => sum + agreed + deliberate, 0);
  const unequal = reports.reduce((sum, { failures }) => sum + failures.length, 0);
  const wrong = checks.filter(({ difference }) => difference !== undefined).length;
  return { passed: compared + checks.length - wrong, failed: unequal + wrong };
};

export const writeSummary = (counts: Counts): void => {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, 'summary.json'), `${JSON.stringify(counts)}\n`);
};
