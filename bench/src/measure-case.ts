import { isDeepStrictEqual } from 'node:util';
import type { Arena } from './arena.js';
import type { Case, Part } from './cases/case.js';
import type { Name } from './contenders/contender.js';
import { type Ask, askOnce, type Load } from './measure/drive.js';
import { driveRound, type Figures, figuresOf, type Round } from './measure/figures.js';
import { mean } from './measure/statistics.js';
import { untilIdle } from './measure/until-idle.js';
import type { Settings } from './settings.js';

export type Judgement = {
  against: Name;
  atLeast: number;
  ratio: number | null;
  isMet: boolean;
};

export type CaseResult = {
  id: string;
  title: string;
  subject: Name;
  figures: Partial<Record<Name, Figures>>;
  judgements: Judgement[];
  /** What was wrong about answers, or about what was left behind. */
  faults: string[];
  remarks: string[];
};

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

const isAnswer = (part: Part, expected: unknown, body: string): boolean => {
  try {
    return isDeepStrictEqual(part.read(parse(body)), expected);
  } catch {
    return false;
  }
};

/** What distinguishes an answer from the right one, in a line. */
const shorten = (value: unknown): string => JSON.stringify(value)?.slice(0, 300) ?? 'nothing';

export const namesOf = ({ parts }: Case): Name[] => Object.keys(parts) as Name[];

const partOf = (test: Case, name: Name): Part => {
  const part = test.parts[name];
  if (!part) throw new Error(`${test.id} has no request for ${name}`);
  return part;
};

type Prepared = { name: Name; load: Omit<Load, 'url'> };

let asked = 0;
const next = () => {
  asked += 1;
  return asked;
};

/** No two requests alike, although they ask the same: each has a parameter or a variable that nobody reads. */
const distinct = (ask: Ask): Ask =>
  ask.body === undefined
    ? { ...ask, suffix: () => `${ask.path.includes('?') ? '&' : '?'}n=${next()}` }
    : { ...ask, body: () => ({ ...(ask.body as object), variables: { n: next() } }) };

const loadFor = (
  given: Ask,
  isRight: (body: string) => boolean,
  isSlow: boolean,
  settings: Settings,
): Omit<Load, 'url'> => {
  const ask = settings.isDistinct ? distinct(given) : given;
  return isSlow
    ? { ask, isRight, connections: settings.slowConnections, amount: settings.slowConnections }
    : { ask, isRight, connections: settings.connections, seconds: settings.seconds };
};

/** Checks one answer thoroughly, warms up, and chooses how long a round has to be. */
const prepare = async (
  arena: Arena,
  test: Case,
  name: Name,
  expected: unknown,
  settings: Settings,
): Promise<Prepared | string> => {
  const part = partOf(test, name);
  const contender = arena.contender(name);
  let known: string;
  try {
    known = await askOnce(contender.url, part.ask);
  } catch (error) {
    return `${name}: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (!isAnswer(part, expected, known)) {
    const found = parse(known);
    return `${name} answered ${shorten(found)} where ${shorten(expected)} was expected`;
  }

  // Comparing bytes costs little; only an answer of other bytes is looked at closely.
  const isRight = (body: string) => body === known || isAnswer(part, expected, body);
  const load = loadFor(part.ask, isRight, test.slow?.includes(name) ?? false, settings);
  if (load.seconds === undefined) return { name, load };

  const warm = await driveRound(contender, { ...load, seconds: settings.seconds / 3 });
  await untilIdle(arena.databaseUrl(name), contender.pid);
  if (warm.latencies.length === 0) {
    const { seconds: _none, ...unlimited } = load;
    return { name, load: { ...unlimited, amount: load.connections } };
  }
  const latency = mean(warm.latencies) / 1000;
  const seconds = Math.min(Math.max(load.seconds, 8 * latency), settings.longestSeconds);
  return { name, load: { ...load, seconds } };
};

export const judge = (
  targets: Case['targets'],
  subject: Name,
  figures: CaseResult['figures'],
): Judgement[] =>
  targets.map(({ against, atLeast }) => {
    const ours = figures[subject]?.perSecond;
    const theirs = figures[against]?.perSecond;
    const ratio = ours === undefined || !theirs ? null : ours / theirs;
    return { against, atLeast, ratio, isMet: ratio !== null && ratio >= atLeast };
  });

const statusesOf = ({ statuses }: Figures): string =>
  Object.entries(statuses)
    .map(([status, count]) => `, ${count} of them with status ${status}`)
    .join('');

export const faultsOf = (figures: CaseResult['figures']): string[] =>
  Object.entries(figures).flatMap(([name, found]) => {
    const { wrong, failed, answers, statuses } = found;
    // The body of a failure is no answer at all.
    const reallyWrong = wrong - Object.values(statuses).reduce((sum, count) => sum + count, 0);
    return [
      ...(reallyWrong > 0 ? [`${name}: ${reallyWrong} wrong answers among ${answers}`] : []),
      ...(failed > 0
        ? [`${name}: ${failed} requests failed beside ${answers} answered${statusesOf(found)}`]
        : []),
      ...(answers === 0 && failed === 0 ? [`${name}: nothing was answered in time`] : []),
    ];
  });

/** Rounds of all contenders in turn. */
export const measureCase = async (
  arena: Arena,
  test: Case,
  statements: (name: Name) => number | null,
  settings: Settings,
  step: (name: Name) => void,
): Promise<CaseResult> => {
  const expected = await test.expect(
    arena.sql(namesOf(test).includes('gateway') ? 'gateway' : test.subject),
  );
  const faults: string[] = [];
  const prepared: Prepared[] = [];
  for (const name of namesOf(test)) {
    const found = await prepare(arena, test, name, expected, settings);
    if (typeof found === 'string') faults.push(found);
    else prepared.push(found);
  }

  const rounds = new Map<Name, Round[]>();
  for (let round = 0; round < settings.rounds; round += 1) {
    for (const { name, load } of prepared) {
      const contender = arena.contender(name);
      const driven = await driveRound(contender, load);
      rounds.set(name, [...(rounds.get(name) ?? []), driven]);
      await untilIdle(arena.databaseUrl(name), contender.pid);
      step(name);
    }
  }
  const figures: CaseResult['figures'] = {};
  for (const [name, driven] of rounds) figures[name] = figuresOf(driven, statements(name));
  return {
    id: test.id,
    title: test.title,
    subject: test.subject,
    figures,
    judgements: judge(test.targets, test.subject, figures),
    faults: [...faults, ...faultsOf(figures)],
    remarks: [],
  };
};
