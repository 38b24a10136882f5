import type { Progress } from '../../parity/src/progress.js';
import type { Case } from './cases/case.js';
import { readingCases } from './cases/index.js';
import { CLONE_ID, CLONE_NAMES, CLONE_TITLE, cloneRequest, measureClones } from './clone-case.js';
import { NAMES, type Name } from './contenders/contender.js';
import { countStatements } from './count-statements.js';
import type { Store } from './databases.js';
import { createDraw } from './draw.js';
import { type Interference, MAX_INTERFERENCE, measureInterference } from './interference.js';
import type { BenchRequest } from './measure/load.js';
import { type CaseResult, measureCase } from './measure-case.js';
import type { Settings } from './settings.js';
import { openTestBed, type TestBed } from './test-bed.js';

export type CasesResult = { cases: CaseResult[]; interference: Interference[] };

const NO_INDEX_ID = 'text-no-index';
const PAGE_ID = 'rest-one-feature';

type Counts = Map<string, number>;

/** Counts the statements of every request, per contender. */
const countAll = async (
  testBed: TestBed,
  cases: readonly Case[],
  names: readonly Name[],
  progress: Progress,
): Promise<Counts> => {
  const counts: Counts = new Map();
  for (const name of names) {
    const benchRequests: [key: string, request: BenchRequest][] = cases.flatMap(
      (test): [string, BenchRequest][] => {
        const request = test.drawQuestion(createDraw(0)).requests[name];
        if (!request || !test.names.includes(name) || test.slow?.includes(name)) return [];
        const same = name === test.subject ? test.sameStatementsAs : undefined;
        return [
          [`${name}/${test.id}`, request],
          ...(same ? [[`${name}/${test.id}/same`, same] satisfies [string, BenchRequest]] : []),
        ];
      },
    );
    if (benchRequests.length === 0) continue;
    progress.log(`Counting statements: ${name}`);
    const found = await countStatements(
      name,
      testBed.databaseUrl(name),
      benchRequests.map(
        ([, request]) =>
          () =>
            request,
      ),
      progress.log,
    );
    benchRequests.forEach(([key], index) => {
      counts.set(key, found[index] ?? 0);
    });
  }
  return counts;
};

const checkStatements = (test: Case, counts: Counts, result: CaseResult): void => {
  if (!test.sameStatementsAs) return;
  const many = counts.get(`${test.subject}/${test.id}`);
  const few = counts.get(`${test.subject}/${test.id}/same`);
  const text = `${many} statements, ${few} for fewer rows`;
  if (many === few) result.remarks.push(text);
  else result.faults.push(`the number of statements depends on the number of rows: ${text}`);
};

const countClones = async (
  testBed: TestBed,
  result: CaseResult,
  progress: Progress,
): Promise<void> => {
  for (const name of CLONE_NAMES) {
    const figures = result.figures[name];
    if (!figures) continue;
    progress.log(`Counting statements of clones: ${name}`);
    const url = testBed.databaseUrl(name);
    const [statements] = await countStatements(name, url, [cloneRequest], progress.log);
    figures.statements = statements ?? null;
  }
};

const matches = (filters: readonly string[], { id, title }: { id: string; title: string }) =>
  filters.length === 0 ||
  filters.some((text) => id.includes(text) || title.toLowerCase().includes(text));

/** Measures the cases that match the filters; calls `onCase` after each. */
export const runCases = async (
  store: Store,
  settings: Settings,
  filters: readonly string[],
  progress: Progress,
  onCase: (result: CaseResult) => void,
): Promise<CasesResult> => {
  const all = readingCases(settings.events);
  const cases = all.filter((test) => matches(filters, test));
  const wantsClones = matches(filters, { id: CLONE_ID, title: CLONE_TITLE });
  if (cases.length === 0 && !wantsClones) throw new Error('no case matches');

  const used = new Set([
    ...cases.flatMap(({ names }) => names),
    ...(wantsClones ? CLONE_NAMES : []),
  ]);
  const names = NAMES.filter((name) => used.has(name));
  const total =
    settings.rounds *
    (cases.reduce((sum, test) => sum + test.names.length, 0) +
      (wantsClones ? CLONE_NAMES.length : 0));
  let done = 0;
  const stepFor = (title: string) => (name: Name) => {
    done += 1;
    progress.step(done, total, `${title} (${name})`);
  };

  const testBed = await openTestBed(store, settings.events, names, progress);
  const results: CaseResult[] = [];
  const interference: Interference[] = [];
  const add = (result: CaseResult) => {
    results.push(result);
    onCase(result);
  };
  try {
    const counts = await countAll(testBed, cases, names, progress);
    for (const test of cases) {
      const statements = (name: Name) => counts.get(`${name}/${test.id}`) ?? null;
      const result = await measureCase(testBed, test, statements, settings, stepFor(test.title));
      checkStatements(test, counts, result);
      if (test.id === NO_INDEX_ID) {
        progress.log('Measuring other requests during free-text searches');
        const page = all.find(({ id }) => id === PAGE_ID);
        if (page) interference.push(...(await measureInterference(testBed, test, page, settings)));
        result.remarks.push(...interference.map(describeInterference));
      }
      add(result);
    }
    if (wantsClones) {
      const result = await measureClones(testBed, store, settings, stepFor(CLONE_TITLE));
      await countClones(testBed, result, progress);
      add(result);
    }
  } finally {
    progress.end();
    await testBed.stop();
  }
  return { cases: results, interference };
};

const describeInterference = ({ name, aloneP99, besideP99, ratio }: Interference): string =>
  `${name}: p99 of other requests ${aloneP99.toFixed(1)} ms alone, ${besideP99.toFixed(1)} ms during searches (${ratio.toFixed(1)}×)`;

export const isUndisturbed = ({ ratio, failed }: Interference): boolean =>
  failed === 0 && ratio <= MAX_INTERFERENCE;
