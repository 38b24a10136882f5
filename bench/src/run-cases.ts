import type { Progress } from '../../parity/src/progress.js';
import { type Arena, openArena } from './arena.js';
import type { Case } from './cases/case.js';
import { readingCases } from './cases/index.js';
import { CLONE_ID, CLONE_NAMES, CLONE_TITLE, cloneAsk, measureClones } from './clone-case.js';
import { NAMES, type Name } from './contenders/contender.js';
import { countStatements } from './count-statements.js';
import type { Store } from './databases.js';
import { type Interference, MOST_INTERFERENCE, measureInterference } from './interference.js';
import type { Ask } from './measure/drive.js';
import { type CaseResult, measureCase, namesOf } from './measure-case.js';
import type { Settings } from './settings.js';

export type CasesResult = { cases: CaseResult[]; interference: Interference[] };

const NO_INDEX_ID = 'text-no-index';
const PAGE_ID = 'rest-one-feature';

type Counts = Map<string, number>;

/** Every request of the cases, counted contender by contender. */
const countAll = async (
  arena: Arena,
  cases: readonly Case[],
  names: readonly Name[],
  progress: Progress,
): Promise<Counts> => {
  const counts: Counts = new Map();
  for (const name of names) {
    const asks: [key: string, ask: Ask][] = cases.flatMap((test): [string, Ask][] => {
      const part = test.parts[name];
      if (!part || test.slow?.includes(name)) return [];
      const same = name === test.subject ? test.sameStatementsAs : undefined;
      return [
        [`${name}/${test.id}`, part.ask],
        ...(same ? [[`${name}/${test.id}/same`, same] satisfies [string, Ask]] : []),
      ];
    });
    if (asks.length === 0) continue;
    progress.tell(`Counting statements: ${name}`);
    const found = await countStatements(
      name,
      arena.databaseUrl(name),
      asks.map(([, ask]) => ask),
      progress.tell,
    );
    asks.forEach(([key], index) => {
      counts.set(key, found[index] ?? 0);
    });
  }
  return counts;
};

const judgeStatements = (test: Case, counts: Counts, result: CaseResult): void => {
  if (!test.sameStatementsAs) return;
  const many = counts.get(`${test.subject}/${test.id}`);
  const few = counts.get(`${test.subject}/${test.id}/same`);
  const text = `${many} statements, ${few} for fewer rows`;
  if (many === few) result.remarks.push(text);
  else result.faults.push(`the number of statements depends on the number of rows: ${text}`);
};

const countClones = async (arena: Arena, result: CaseResult, progress: Progress): Promise<void> => {
  for (const name of CLONE_NAMES) {
    const figures = result.figures[name];
    if (!figures) continue;
    progress.tell(`Counting statements of clones: ${name}`);
    const url = arena.databaseUrl(name);
    const [statements] = await countStatements(name, url, [cloneAsk()], progress.tell);
    figures.statements = statements ?? null;
  }
};

const matches = (wanted: readonly string[], { id, title }: { id: string; title: string }) =>
  wanted.length === 0 ||
  wanted.some((text) => id.includes(text) || title.toLowerCase().includes(text));

/** Measures the wanted cases; told every case as soon as it is done. */
export const runCases = async (
  store: Store,
  settings: Settings,
  wanted: readonly string[],
  progress: Progress,
  onCase: (result: CaseResult) => void,
): Promise<CasesResult> => {
  const all = readingCases(settings.events);
  const cases = all.filter((test) => matches(wanted, test));
  const wantsClones = matches(wanted, { id: CLONE_ID, title: CLONE_TITLE });
  if (cases.length === 0 && !wantsClones) throw new Error('no case matches');

  const used = new Set([...cases.flatMap(namesOf), ...(wantsClones ? CLONE_NAMES : [])]);
  const names = NAMES.filter((name) => used.has(name));
  const total =
    settings.rounds *
    (cases.reduce((sum, test) => sum + namesOf(test).length, 0) +
      (wantsClones ? CLONE_NAMES.length : 0));
  let done = 0;
  const stepIn = (title: string) => (name: Name) => {
    done += 1;
    progress.step(done, total, `${title} (${name})`);
  };

  const arena = await openArena(store, settings.events, names, progress);
  const results: CaseResult[] = [];
  const interference: Interference[] = [];
  const add = (result: CaseResult) => {
    results.push(result);
    onCase(result);
  };
  try {
    const counts = await countAll(arena, cases, names, progress);
    for (const test of cases) {
      const statements = (name: Name) => counts.get(`${name}/${test.id}`) ?? null;
      const result = await measureCase(arena, test, statements, settings, stepIn(test.title));
      judgeStatements(test, counts, result);
      if (test.id === NO_INDEX_ID) {
        progress.tell('Other requests beside free text');
        const page = all.find(({ id }) => id === PAGE_ID);
        if (page) interference.push(...(await measureInterference(arena, test, page, settings)));
        result.remarks.push(...interference.map(describeInterference));
      }
      add(result);
    }
    if (wantsClones) {
      const result = await measureClones(arena, store, settings, stepIn(CLONE_TITLE));
      await countClones(arena, result, progress);
      add(result);
    }
  } finally {
    progress.end();
    await arena.stop();
  }
  return { cases: results, interference };
};

const describeInterference = ({ name, aloneP99, besideP99, ratio }: Interference): string =>
  `${name}: p99 of other requests ${aloneP99.toFixed(1)} ms alone, ${besideP99.toFixed(1)} ms beside searches (${ratio.toFixed(1)}×)`;

export const isUndisturbed = ({ ratio, failed }: Interference): boolean =>
  failed === 0 && ratio <= MOST_INTERFERENCE;
