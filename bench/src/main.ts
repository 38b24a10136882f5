import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProgress } from '../../parity/src/progress.js';
import { runColdStarts } from './cold-start.js';
import { missesOfConsole, type RunConsole } from './console/console-result.js';
import { openStore, SERVER_SETTINGS, type Store } from './databases.js';
import { MIN_REPLICA_SHARE, replicaShare, runDeployments } from './deployments.js';
import { runGrowth } from './growth.js';
import type { CaseResult } from './measure-case.js';
import { runMemory } from './memory.js';
import { type Options, readOptions } from './options.js';
import { type Results, readMachine } from './output/results.js';
import { number, times } from './output/table.js';
import { writeResults } from './output/write.js';
import { isUndisturbed, runCases } from './run-cases.js';

const FOLDER = fileURLToPath(new URL('../results/', import.meta.url));
const CLOSE_LIMIT_MS = 30_000;

const folderOf = ({ output, isQuick, filters }: Options): string => {
  if (output !== undefined) return output;
  if (isQuick) return join(FOLDER, 'quick');
  return filters.length > 0 ? join(FOLDER, 'partial') : FOLDER;
};

/** Parts that are not measured keep their earlier results. */
const readEarlier = (folder: string): Partial<Results> => {
  const path = join(folder, 'results.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
};

/** Without arguments that do not affect the results. */
const commandOf = (args: readonly string[]): string => {
  const shownArgs = args.filter(
    (argument, index) =>
      argument !== '--keep' && argument !== '--output' && args[index - 1] !== '--output',
  );
  return ['npm run bench', ...(shownArgs.length > 0 ? ['--', ...shownArgs] : [])].join(' ');
};

const merge = (
  earlier: Partial<Results>,
  { identical, growth, memory, deployments, coldStarts, console, ...results }: Results,
): Results => ({
  // The cases determine the header of the table, whenever they were measured.
  ...(results.cases ? { ...earlier, ...results } : { ...results, ...earlier }),
  ...(identical && { identical }),
  ...(growth && { growth }),
  ...(memory && { memory }),
  ...(deployments && { deployments }),
  ...(coldStarts && { coldStarts }),
  ...(console && { console }),
});

const printCase = ({ title, figures, judgements, faults, remarks, subject }: CaseResult): string =>
  [
    `${title}: ${number(figures[subject]?.perSecond)} per second, ${number(figures[subject]?.cpuMs)} ms CPU`,
    ...judgements.map(
      ({ against, ratio, atLeast, isMet }) =>
        `  ${isMet ? 'met   ' : 'missed'} ${times(ratio)} of ${against} (${number(figures[against]?.perSecond)} per second); at least ${atLeast}×`,
    ),
    ...remarks.map((remark) => `  ${remark}`),
    ...faults.map((fault) => `  FAULT ${fault}`),
    '',
  ].join('\n');

const faultsOf = ({
  cases = [],
  identical = [],
  growth = [],
  deployments = [],
}: Results): string[] => [
  ...[...cases, ...identical, ...growth].flatMap(({ title, faults }) =>
    faults.map((fault) => `${title}: ${fault}`),
  ),
  ...deployments
    .filter(({ failed, wrong }) => failed + wrong > 0)
    .map(({ title, load, failed, wrong }) => `${title}, ${load}: ${failed} failed, ${wrong} wrong`),
];

const missesOf = ({
  cases = [],
  interference = [],
  growth = [],
  memory,
  deployments = [],
  console,
}: Results): string[] => [
  ...cases.flatMap(({ title, judgements }) =>
    judgements
      .filter(({ isMet }) => !isMet)
      .map(
        ({ against, ratio, atLeast }) => `${title}: ${times(ratio)} of ${against}, not ${atLeast}×`,
      ),
  ),
  ...interference
    .filter((found) => found.name === 'plain' && !isUndisturbed(found))
    .map(
      ({ ratio }) => `other requests during free text without our index: p99 is ${times(ratio)}`,
    ),
  ...growth.filter(({ isMet }) => !isMet).map(({ title }) => `growth of ${title}`),
  ...(memory && !memory.isFlat ? ['memory is not flat'] : []),
  ...(replicaShare(deployments) < MIN_REPLICA_SHARE
    ? [`totals on a replica: ${times(replicaShare(deployments))} of the primary`]
    : []),
  ...(console ? missesOfConsole(console) : []),
];

const run = async (options: Options, store: Store): Promise<Results> => {
  const { settings, parts, isQuick } = options;
  const progress = createProgress();
  const print = (text: string) => {
    progress.end();
    process.stdout.write(text);
  };
  const results: Results = {
    command: commandOf(process.argv.slice(2)),
    isQuick,
    machine: readMachine(await store.version()),
    settings,
  };
  if (parts.cases) {
    const found = await runCases(store, settings, options.filters, progress, (result) =>
      print(printCase(result)),
    );
    if (settings.isIdentical) results.identical = found.cases;
    else Object.assign(results, found);
  }
  if (parts.growth) {
    results.growth = await runGrowth(store, options.growthSizes, settings, progress);
  }
  if (parts.memory) {
    results.memory = await runMemory(store, options.memoryMinutes, settings, progress);
  }
  if (parts.coldStarts) results.coldStarts = await runColdStarts(store, settings, progress);
  if (parts.console) {
    // Its browser is installed only for this part, also for the type check: `test/e2e/tsconfig.json` includes the part.
    const part: string = './console/run-console.js';
    const { runConsole }: { runConsole: RunConsole } = await import(part);
    results.console = await runConsole(store, settings, progress);
  }
  if (parts.deployments) {
    results.deployments = await runDeployments(settings, SERVER_SETTINGS, progress);
  }
  return results;
};

const main = async (): Promise<boolean> => {
  const options = readOptions();
  const store = await openStore(options.keep, createProgress());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      setTimeout(() => process.exit(1), CLOSE_LIMIT_MS).unref();
      store.close().finally(() => process.exit(1));
    });
  }
  try {
    const results = await run(options, store);
    const folder = folderOf(options);
    const earlier = options.filters.length === 0 ? readEarlier(folder) : {};
    const paths = writeResults(folder, merge(earlier, results));
    const [faults, misses] = [faultsOf(results), missesOf(results)];
    process.stdout.write(
      [
        '',
        ...paths,
        `${misses.length} targets missed${misses.length > 0 ? ':' : ''}`,
        ...misses.map((miss) => `  ${miss}`),
        `${faults.length} faults${faults.length > 0 ? ':' : ''}`,
        ...faults.map((fault) => `  ${fault}`),
        ...(options.isQuick ? ['Rough figures of a quick run.'] : []),
        '',
      ].join('\n'),
    );
    return faults.length === 0 && !(options.isStrict && misses.length > 0);
  } finally {
    await store.close();
  }
};

process.exitCode = (await main()) ? 0 : 1;
