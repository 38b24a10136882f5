import {
  isConflict,
  type SessionDecision,
  type SessionsOff,
  type SessionsOn,
} from '../auth/session-setting.js';
import type { Diagnosis } from '../data/doctor/diagnosis.js';
import type { Findings } from '../data/doctor/examine.js';
import type { FoundLayout } from '../data/doctor/find-layout.js';
import { type FoundIndex, needsAction } from '../data/doctor/index-state.js';
import type { TextIndex } from '../data/doctor/text-index.js';
import { isPossible } from '../data/layout/access.js';
import { grantsFor, OPERATION_LABELS, obstaclesOf } from '../data/layout/access-messages.js';
import { OPERATIONS } from '../data/layout/requirements.js';
import type { InspectedReplica } from '../data/replicas/inspect-replica.js';
import type { ConsoleDecision } from '../pages/console-setting.js';

/** Colors for the marks and headings of the report. */
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
const identity = (text: string): string => text;

export const createPaint = (hasColor: boolean): Paint =>
  hasColor
    ? { good: ansi(32), bad: ansi(31), warn: ansi(33), bold: ansi(1), dim: ansi(2) }
    : { good: identity, bad: identity, warn: identity, bold: identity, dim: identity };

/** Rounded for display, such as `54 MB`. */
export const formatSize = (bytes: number): string => {
  const [unit, divisor] =
    bytes >= 1e9 ? ['GB', 1e9] : bytes >= 1e6 ? (['MB', 1e6] as const) : (['kB', 1e3] as const);
  const value = bytes / divisor;
  return `${value >= 10 || unit === 'kB' ? Math.round(value) : value.toFixed(1)} ${unit}`;
};

const number = new Intl.NumberFormat('en-GB');

const formatLayout = (layout: FoundLayout): string => {
  switch (layout.owner) {
    case 'flaggraph':
      return `created by the gateway: ${layout.applied.length} migrations applied, ${layout.pending.length} pending`;
    case 'unleash':
      return layout.unleash
        ? `Unleash ${layout.unleash.version} (last migration: ${layout.unleash.lastMigration ?? 'none'})`
        : 'Unleash, version unknown';
    case 'unreadable':
      return 'a migration history that this user cannot read; not from Unleash';
    case 'empty':
      return 'no tables';
    case 'foreign':
      return 'tables of neither the gateway nor Unleash';
  }
};

const layoutMark = (layout: FoundLayout, paint: Paint): string => {
  const isComplete =
    layout.owner === 'unleash' || (layout.owner === 'flaggraph' && !layout.unfinished[0]);
  if (!isComplete) return paint.bad('✗');
  const isKnown = layout.owner === 'unleash' ? layout.unleash?.isKnown : !layout.pending[0];
  return isKnown ? paint.good('✓') : paint.warn('!');
};

const databaseLines = ({ access, server, events, ...found }: Findings): string[] => {
  const name = found.kind === 'embedded' ? 'Embedded database' : 'PostgreSQL';
  const states = [
    ...(access.isReplica ? ['replica: read-only'] : []),
    ...(access.isReadOnly && !access.isReplica ? ['read-only sessions'] : []),
  ];
  const count = events
    ? `${events.isExact ? '' : 'about '}${number.format(events.count)} events${events.isExact ? '' : ' (estimated)'}`
    : 'events: could not be counted';
  return [
    `${name} ${server.version} at ${found.place}, schema ${found.schema}, user ${access.role}`,
    ...states,
    `encoding ${server.encoding}, collation ${server.collation}, ctype ${server.ctype}`,
    `time zone ${found.timeZone.server}; sessions of the gateway use ${found.timeZone.gateway}`,
    count,
    ...(found.sequence
      ? [`event IDs from ${found.sequence.name}, cache ${found.sequence.cache}`]
      : []),
  ];
};

const operationLines = ({ access }: Findings, paint: Paint): string[] => {
  const lines = OPERATIONS.flatMap((name) =>
    isPossible(access.operations[name])
      ? [`${paint.good('✓')} ${OPERATION_LABELS[name]}`]
      : [
          `${paint.bad('✗')} ${OPERATION_LABELS[name]}`,
          ...obstaclesOf(access, name).map((obstacle) => `    ${obstacle}`),
        ],
  );
  const grants = grantsFor(access);
  return grants.length === 0
    ? lines
    : [
        ...lines,
        '',
        'As owner of the tables, run these, or all that `doctor --print-grants` prints:',
        ...grants.map(indent),
      ];
};

const indent = (line: string): string => `    ${line}`;

const INDEX_LABELS: Readonly<Record<FoundIndex['state'], string>> = {
  present: '',
  equivalent: '',
  missing: 'is missing',
  invalid: 'is incomplete',
  conflict: 'is the name of another relation',
  inapplicable: 'not applicable: the table or column does not exist',
};

const indexLines = (index: FoundIndex, paint: Paint): string[] => {
  const what = `${index.table} (${index.columns.join(', ')})`;
  const size = index.bytes === null ? '' : formatSize(index.bytes);
  if (!needsAction(index)) {
    return index.servedBy === null
      ? [paint.dim(`- ${what}: ${INDEX_LABELS[index.state]}`)]
      : [`${paint.good('✓')} ${what}: ${index.servedBy}, ${size}`];
  }
  return [
    `${paint.warn('!')} ${what}: ${index.name} ${INDEX_LABELS[index.state]}, about ${size}`,
    indent(`speeds up ${index.speedsUp}`),
    indent(paint.dim(`${index.statement};`)),
  ];
};

const ownerLines = (indexes: readonly FoundIndex[]): string[] => {
  const owners = new Set(
    indexes.filter((index) => needsAction(index) && !index.mayCreate).map(({ owner }) => owner),
  );
  return [...owners].map((owner) => `Only the owner of the tables, '${owner}', can create them.`);
};

const textIndexLines = (index: TextIndex, paint: Paint): string[] => {
  if (index.servedBy !== null) return [`${paint.good('✓')} text search: ${index.servedBy}`];
  if (!needsAction(index)) return [];
  const { name, isInstalled, isAvailable } = index.extension;
  const extension = isInstalled
    ? `extension ${name}: installed`
    : isAvailable
      ? `requires an extension: CREATE EXTENSION ${name};`
      : `requires the extension ${name}, which this server does not offer`;
  return [
    `- text search: ${index.name} ${INDEX_LABELS[index.state]}`,
    indent(`speeds up ${index.speedsUp}`),
    indent(
      `takes about ${formatSize(index.bytes ?? 0)}, and makes writing an event several times slower; a million events take minutes to index`,
    ),
    indent(extension),
    indent(paint.dim(`${index.statement};`)),
    ...(isInstalled || isAvailable
      ? [indent('create it with: doctor --apply-indexes --with-text-index')]
      : []),
  ];
};

const section = (title: string, lines: readonly string[], paint: Paint): string[] =>
  lines.length === 0
    ? []
    : ['', paint.bold(title), ...lines.map((line) => (line === '' ? '' : `  ${line}`))];

const END: Readonly<Record<Diagnosis['status'], string>> = {
  fine: 'No problems found.',
  missing: 'Something required is missing.',
  recommendations: 'Everything works. Recommendations:',
};

const impossibleLines = ({ faults, impossible }: Diagnosis): string[] => {
  if (faults.length > 0 || impossible.length === 0) return [];
  const names = impossible.map((name) => OPERATION_LABELS[name]).join(', ');
  const isCloneOnly = impossible.every((name) => name === 'cloneFeature');
  const hint = isCloneOnly ? ' If that is intended, add --read-only.' : '';
  return [`  Unavailable: ${names}.${hint}`];
};

const offMark = (sessions: SessionsOff, paint: Paint): string => {
  if (isConflict(sessions)) return paint.bad('✗');
  return sessions.expectedBy ? paint.warn('!') : '-';
};

const onLine = ({ warning }: SessionsOn, paint: Paint): string =>
  warning === null
    ? `${paint.good('✓')} sign-in sessions of Unleash are accepted if they are signed with UNLEASH_SECRET`
    : `${paint.warn('!')} sign-in sessions of Unleash are accepted with its public default secret, see below`;

const accessLines = (
  { layout, privateProjects }: Findings,
  { sessions, console }: { sessions: SessionDecision; console: ConsoleDecision },
  paint: Paint,
): string[] => {
  const isWanted = sessions.isOn || layout.owner === 'unleash';
  const signIn = sessions.isOn
    ? onLine(sessions, paint)
    : `${offMark(sessions, paint)} sign-in sessions of Unleash are not accepted: ${sessions.reason}`;
  return [
    ...(isWanted ? [signIn] : []),
    console.isOn
      ? `${paint.good('✓')} the console is on`
      : `- the console is off: ${console.reason}`,
    ...(privateProjects === null || privateProjects === 0
      ? []
      : [`- private projects, hidden from Viewers who are not members: ${privateProjects}`]),
  ];
};

const replicaLines = (replicas: readonly InspectedReplica[], paint: Paint): string[] =>
  replicas.map(({ place, state }) =>
    state === 'usable'
      ? `${paint.good('✓')} ${place}`
      : `${paint.warn('!')} ${place}: not used, see below`,
  );

/** The findings as text for a terminal. */
export const toText = (
  findings: Findings,
  diagnosis: Diagnosis,
  {
    sessions,
    replicas,
    console,
  }: {
    sessions: SessionDecision;
    replicas: readonly InspectedReplica[];
    console: ConsoleDecision;
  },
  paint: Paint,
): string[] => {
  const { layout, indexes, textIndex } = findings;
  const hasTables = layout.owner !== 'empty' && layout.owner !== 'foreign';
  const mark = { fine: paint.good('✓'), missing: paint.bad('✗'), recommendations: paint.warn('!') };
  return [
    ...section('Database', databaseLines(findings), paint),
    ...section('Replicas', replicaLines(replicas, paint), paint),
    ...section('Layout', [`${layoutMark(layout, paint)} ${formatLayout(layout)}`], paint),
    ...(hasTables
      ? [
          ...section('Operations', operationLines(findings, paint), paint),
          ...section('Access', accessLines(findings, { sessions, console }, paint), paint),
          ...section(
            'Recommended indexes',
            [...indexes.flatMap((index) => indexLines(index, paint)), ...ownerLines(indexes)],
            paint,
          ),
          ...section('Optional index', textIndexLines(textIndex, paint), paint),
        ]
      : []),
    ...section('Notes', diagnosis.notes, paint),
    '',
    `${mark[diagnosis.status]} ${END[diagnosis.status]}`,
    ...diagnosis.faults.map((fault) => `  ${fault}`),
    ...impossibleLines(diagnosis),
    ...diagnosis.recommendations.map((recommendation) => `  ${recommendation}`),
  ].slice(1);
};
