import type { ColdStart } from '../cold-start.js';
import { type Deployment, MIN_REPLICA_SHARE, replicaShare } from '../deployments.js';
import { type Growth, MAX_GROWTH } from '../growth.js';
import type { Figures } from '../measure/figures.js';
import type { CaseResult } from '../measure-case.js';
import type { Memory } from '../memory.js';
import { consoleTable } from './console-table.js';
import type { Results } from './results.js';

export const number = (value: number | null | undefined): string => {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
};

export const times = (value: number | null): string => (value === null ? '–' : `${number(value)}×`);

export const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const cellsOf = (figures: Figures): string[] => [
  number(figures.perSecond),
  number(figures.p50),
  number(figures.p99),
  number(figures.cpuMs),
  figures.peakMb === null ? '–' : figures.peakMb.toFixed(0),
  figures.statements === null ? '–' : String(figures.statements),
  figures.questions === undefined ? '–' : figures.questions.toLocaleString('en'),
];

const rowsOf = ({ title, figures, judgements, subject }: CaseResult): string[] =>
  Object.entries(figures)
    .sort(([one], [other]) => Number(other === subject) - Number(one === subject))
    .map(([name, found], index) => {
      const targetResult = judgements.find(({ against }) => against === name);
      const targetCells = targetResult
        ? [
            times(targetResult.ratio),
            `${targetResult.atLeast}×`,
            targetResult.isMet ? 'yes' : '**no**',
          ]
        : ['', '', ''];
      const label = name === 'plain' ? 'gateway, no text index' : name;
      return row([index === 0 ? title : '', label, ...cellsOf(found), ...targetCells]);
    });

const casesTable = (cases: readonly CaseResult[]): string[] => [
  row([
    'case',
    'contender',
    'req/s',
    'p50 ms',
    'p99 ms',
    'CPU ms/req',
    'peak MB',
    'SQL/req',
    'questions',
    'gateway is',
    'at least',
    'met',
  ]),
  `|---|---|${'--:|'.repeat(9)}---|`,
  ...cases.flatMap(rowsOf),
];

const notes = (cases: readonly CaseResult[]): string[] =>
  cases.flatMap(({ title, faults, remarks }) => [
    ...faults.map((fault) => `- **${title}: ${fault}**`),
    ...remarks.map((remark) => `- ${title}: ${remark}`),
  ]);

const estimatedHead = (sizes: readonly number[]): string =>
  `${(10 * (sizes.at(-1) ?? 0)).toLocaleString('en')} events, estimated`;

const growthTable = (growth: readonly Growth[]): string[] => {
  const sizes = growth[0]?.points.map(({ events }) => events) ?? [];
  const heads = sizes.map((events) => `${events.toLocaleString('en')} events`);
  return [
    row(['cost', ...heads, estimatedHead(sizes), 'time grows', 'CPU grows', 'at most', 'met']),
    `|---|${'--:|'.repeat(heads.length + 4)}---|`,
    ...growth.map(({ title, unit, points, latencyRatio, cpuRatio, estimatedMs, isMet }) =>
      row([
        title,
        ...points.map(
          ({ latencyMs, cpuMs }) =>
            `${number(latencyMs)} ms${cpuMs === null ? '' : `, ${number(cpuMs)} ms CPU`}`,
        ),
        `${number(estimatedMs)} ms`,
        times(latencyRatio),
        times(cpuRatio),
        unit === 'first' ? '–' : `${MAX_GROWTH}×`,
        isMet ? 'yes' : '**no**',
      ]),
    ),
    ...growth.flatMap(({ title, faults }) => faults.map((fault) => `\n**${title}: ${fault}**`)),
  ];
};

const memoryTable = ({ minutes, requests, ratio, isFlat }: Memory): string[] => [
  row(['minute', ...minutes.map((_, index) => String(index + 1))]),
  `|---|${'--:|'.repeat(minutes.length)}`,
  row(['MB', ...minutes.map((mb) => mb.toFixed(0))]),
  '',
  `${requests.toLocaleString('en')} requests; the last third uses ${ratio.toFixed(2)} times the memory of the middle third: ${isFlat ? 'flat' : '**not flat**'}.`,
];

const deploymentTable = (deployments: readonly Deployment[]): string[] => [
  row(['load', 'deployment', 'req/s', 'p50 ms', 'p99 ms', 'CPU ms/req']),
  `|---|---|${'--:|'.repeat(4)}`,
  ...deployments.map(({ load, title, perSecond, p50, p99, cpuMs }) =>
    row([
      load === 'mixed' ? 'mixed' : 'unfiltered total, 20 writes per second',
      title,
      ...[perSecond, p50, p99, cpuMs].map(number),
    ]),
  ),
  '',
  `Totals with a replica: ${times(replicaShare(deployments))} of the primary alone; at least ${MIN_REPLICA_SHARE}×.`,
  'All processes, both database servers and the load generator share the cores, so throughput does not grow with processes here; the CPU time per request shows what a process costs where cores are free.',
];

const coldStartTable = (coldStarts: readonly ColdStart[]): string[] => [
  row(['question', 'first ms', 'again ms']),
  '|---|--:|--:|',
  ...coldStarts.map(({ title, firstMs, againMs }) =>
    row([title, number(firstMs), number(againMs)]),
  ),
];

/** All results as Markdown. */
export const printTable = (results: Results): string => {
  const { machine, settings, cases, identical, growth, memory, deployments, coldStarts } = results;
  const { console } = results;
  const { cores, cpu, memoryGb, platform, node, postgres } = machine;
  return [
    results.isQuick ? '**Rough figures of a quick run.**\n' : '',
    `Made by \`${results.command}\`: ${settings.events.toLocaleString('en')} events, ${settings.connections} connections, median of ${settings.rounds} rounds in turn of at least ${settings.seconds} s;`,
    `${cores} cores (${cpu}), ${memoryGb} GB, ${platform}, load generator and Unleash on Node ${node}, the others on Node 24; PostgreSQL ${postgres}; contenders, database and load generator share the machine.`,
    'Each request has other values, popular ones more often (Zipf); all contenders get the same sequence. The column `questions` counts different ones.',
    `If a response takes seconds, a round has ${settings.slowConnections} concurrent requests; more would only queue.`,
    '',
    ...(cases ? [...casesTable(cases), '', ...notes(cases), ''] : []),
    ...(identical
      ? [
          '## Identical requests',
          '',
          'All connections repeat one request, so that responses can be shared. Real callers differ: see the table above.',
          '',
          ...casesTable(identical),
          '',
          ...notes(identical),
          '',
        ]
      : []),
    ...(growth ? ['## Growth', '', ...growthTable(growth), ''] : []),
    ...(coldStarts
      ? [
          '## Cold start',
          '',
          'The first response of a process that has just started, and the median of later ones. One request at a time.',
          '',
          ...coldStartTable(coldStarts),
          '',
        ]
      : []),
    ...(deployments ? ['## Deployments', '', ...deploymentTable(deployments), ''] : []),
    ...(memory ? ['## Memory', '', ...memoryTable(memory), ''] : []),
    ...(console ? ['## Console', '', ...consoleTable(console), ''] : []),
  ].join('\n');
};
