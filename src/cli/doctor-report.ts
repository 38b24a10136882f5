import { isPossible } from '../data/access.js';
import { grantsFor, OPERATION_WORDS, obstaclesOf } from '../data/access-words.js';
import type { Findings } from '../data/doctor/examine.js';
import type { FoundLayout } from '../data/doctor/find-layout.js';
import { type FoundIndex, isWanting } from '../data/doctor/index-state.js';
import type { TextIndex } from '../data/doctor/text-index.js';
import type { Verdict } from '../data/doctor/verdict.js';
import { OPERATIONS } from '../data/needs.js';

/** How the marks and headings of the report are painted. */
export type Paint = {
  good: (text: string) => string;
  bad: (text: string) => string;
  warn: (text: string) => string;
  bold: (text: string) => string;
  dim: (text: string) => string;
};

const ansi =
  (code: number) =>
  (text: string): string =>
    `\u001b[${code}m${text}\u001b[0m`;
const asIs = (text: string): string => text;

export const createPaint = (hasColour: boolean): Paint =>
  hasColour
    ? { good: ansi(32), bad: ansi(31), warn: ansi(33), bold: ansi(1), dim: ansi(2) }
    : { good: asIs, bad: asIs, warn: asIs, bold: asIs, dim: asIs };

/** `54 MB`: for people, not for sums. */
export const sizeWords = (bytes: number): string => {
  const [unit, divisor] =
    bytes >= 1e9 ? ['GB', 1e9] : bytes >= 1e6 ? (['MB', 1e6] as const) : (['kB', 1e3] as const);
  const value = bytes / divisor;
  return `${value >= 10 || unit === 'kB' ? Math.round(value) : value.toFixed(1)} ${unit}`;
};

const number = new Intl.NumberFormat('en-GB');

const layoutWords = (layout: FoundLayout): string => {
  switch (layout.owner) {
    case 'ours':
      return `laid by the gateway: ${layout.applied.length} migrations applied, ${layout.pending.length} to come`;
    case 'original':
      return layout.original
        ? `the original's, version ${layout.original.version} (last migration: ${layout.original.lastMigration ?? 'none'})`
        : "the original's, version unknown";
    case 'unreadable':
      return "a history of migrations that this user may not read; it is not the original's";
    case 'empty':
      return 'no tables';
    case 'foreign':
      return "neither the gateway's nor the original's";
  }
};

const layoutMark = (layout: FoundLayout, paint: Paint): string => {
  const isWhole = layout.owner === 'original' || (layout.owner === 'ours' && !layout.unfinished[0]);
  if (!isWhole) return paint.bad('✗');
  const isKnown = layout.owner === 'original' ? layout.original?.isKnown : !layout.pending[0];
  return isKnown ? paint.good('✓') : paint.warn('!');
};

const databaseLines = ({ access, server, events, ...found }: Findings): string[] => {
  const name = found.kind === 'embedded' ? 'Embedded database' : 'PostgreSQL';
  const states = [
    ...(access.isReplica ? ['a replica: it takes no writes'] : []),
    ...(access.isReadOnly && !access.isReplica ? ['read-only sessions'] : []),
  ];
  const count = events
    ? `${events.isExact ? '' : 'about '}${number.format(events.count)} events${events.isExact ? '' : ' (estimated)'}`
    : 'events: cannot be counted';
  return [
    `${name} ${server.version} at ${found.place}, schema ${found.schema}, user ${access.role}`,
    ...states,
    `encoding ${server.encoding}, collation ${server.collation}, ctype ${server.ctype}`,
    `time zone ${found.timeZone.server}; the gateway's own sessions use ${found.timeZone.gateway}`,
    count,
    ...(found.sequence
      ? [`event numbers from ${found.sequence.name}, cache ${found.sequence.cache}`]
      : []),
  ];
};

const operationLines = ({ access }: Findings, paint: Paint): string[] => {
  const lines = OPERATIONS.flatMap((name) =>
    isPossible(access.operations[name])
      ? [`${paint.good('✓')} ${OPERATION_WORDS[name]}`]
      : [
          `${paint.bad('✗')} ${OPERATION_WORDS[name]}`,
          ...obstaclesOf(access, name).map((obstacle) => `    ${obstacle}`),
        ],
  );
  const grants = grantsFor(access);
  return grants.length === 0
    ? lines
    : [...lines, '', 'The owner of the tables can grant what is missing:', ...grants.map(indent)];
};

const indent = (line: string): string => `    ${line}`;

const INDEX_WORDS: Readonly<Record<FoundIndex['state'], string>> = {
  present: '',
  equivalent: '',
  missing: 'is missing',
  invalid: 'was begun and never finished',
  conflict: 'is the name of something else',
  inapplicable: 'has no such table or column here',
};

const indexLines = (index: FoundIndex, paint: Paint): string[] => {
  const what = `${index.table} (${index.columns.join(', ')})`;
  const size = index.bytes === null ? '' : sizeWords(index.bytes);
  if (!isWanting(index)) {
    return index.servedBy === null
      ? [paint.dim(`- ${what}: ${INDEX_WORDS[index.state]}`)]
      : [`${paint.good('✓')} ${what}: ${index.servedBy}, ${size}`];
  }
  return [
    `${paint.warn('!')} ${what}: ${index.name} ${INDEX_WORDS[index.state]}, about ${size}`,
    indent(`speeds up ${index.speedsUp}`),
    indent(paint.dim(`${index.statement};`)),
  ];
};

const ownerLines = (indexes: readonly FoundIndex[]): string[] => {
  const owners = new Set(
    indexes.filter((index) => isWanting(index) && !index.mayCreate).map(({ owner }) => owner),
  );
  return [...owners].map((owner) => `Only '${owner}', who owns the tables, may make them.`);
};

const textIndexLines = (index: TextIndex, paint: Paint): string[] => {
  if (index.servedBy !== null) return [`${paint.good('✓')} free text: ${index.servedBy}`];
  if (!isWanting(index)) return [];
  const { name, isInstalled, isAvailable } = index.extension;
  const extension = isInstalled
    ? `the extension ${name} is installed`
    : isAvailable
      ? `needs the extension ${name} first: CREATE EXTENSION ${name};`
      : `needs the extension ${name}, which this server does not have`;
  return [
    `- free text: ${index.name} ${INDEX_WORDS[index.state]}`,
    indent(`speeds up ${index.speedsUp}`),
    indent(
      `costs: about ${sizeWords(index.bytes ?? 0)}, minutes to build for a million events, and every new event takes several times as long to write`,
    ),
    indent(extension),
    indent(paint.dim(`${index.statement};`)),
    indent('doctor --apply-indexes --with-text-index makes it; without that option nobody does'),
  ];
};

const section = (title: string, lines: readonly string[], paint: Paint): string[] =>
  lines.length === 0
    ? []
    : ['', paint.bold(title), ...lines.map((line) => (line === '' ? '' : `  ${line}`))];

const END: Readonly<Record<Verdict['status'], string>> = {
  fine: 'All fine.',
  missing: 'Something needed is missing.',
  recommendations: 'It works, and could be better.',
};

const impossibleLines = ({ faults, impossible }: Verdict): string[] => {
  if (faults.length > 0 || impossible.length === 0) return [];
  const names = impossible.map((name) => OPERATION_WORDS[name]).join(', ');
  const isCloneOnly = impossible.every((name) => name === 'cloneFeature');
  const hint = isCloneOnly ? ' If none is meant to, add --read-only.' : '';
  return [`  Cannot work as it stands: ${names}.${hint}`];
};

/** The findings for a person at a terminal. */
export const toText = (findings: Findings, verdict: Verdict, paint: Paint): string[] => {
  const { layout, indexes, textIndex } = findings;
  const hasTables = layout.owner !== 'empty' && layout.owner !== 'foreign';
  const mark = { fine: paint.good('✓'), missing: paint.bad('✗'), recommendations: paint.warn('!') };
  return [
    ...section('Database', databaseLines(findings), paint),
    ...section('Layout', [`${layoutMark(layout, paint)} ${layoutWords(layout)}`], paint),
    ...(hasTables
      ? [
          ...section('Operations', operationLines(findings, paint), paint),
          ...section(
            'Recommended indexes',
            [...indexes.flatMap((index) => indexLines(index, paint)), ...ownerLines(indexes)],
            paint,
          ),
          ...section('Optional index', textIndexLines(textIndex, paint), paint),
        ]
      : []),
    ...section('Notes', verdict.notes, paint),
    '',
    `${mark[verdict.status]} ${END[verdict.status]}`,
    ...verdict.faults.map((fault) => `  ${fault}`),
    ...impossibleLines(verdict),
    ...verdict.recommendations.map((recommendation) => `  ${recommendation}`),
  ].slice(1);
};
