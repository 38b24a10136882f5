import { isDeepStrictEqual } from 'node:util';
import type { Case, Part } from './cases/case.js';
import type { Name } from './contenders/contender.js';
import { type Figures, figuresOf, type Round, runRound } from './measure/figures.js';
import { type BenchRequest, type Load, sendOnce } from './measure/load.js';
import { mean } from './measure/statistics.js';
import { untilIdle } from './measure/until-idle.js';
import type { Settings } from './settings.js';
import type { TestBed } from './test-bed.js';

export type TargetResult = {
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
  judgements: TargetResult[];
  /** Errors in responses or in the rows written. */
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

const matchesExpected = (part: Part, expected: unknown, body: string): boolean => {
  try {
    return isDeepStrictEqual(part.read(parse(body)), expected);
  } catch {
    return false;
  }
};

/** The difference between a response and the expected one, in one line. */
const shorten = (value: unknown): string => JSON.stringify(value)?.slice(0, 300) ?? 'nothing';

export const namesOf = ({ parts }: Case): Name[] => Object.keys(parts) as Name[];

const partOf = (test: Case, name: Name): Part => {
  const part = test.parts[name];
  if (!part) throw new Error(`${test.id} has no request for ${name}`);
  return part;
};

type Prepared = { name: Name; load: Omit<Load, 'url'> };

let sent = 0;
const next = () => {
  sent += 1;
  return sent;
};

/** Makes equivalent requests distinct by an unused parameter or variable. */
const distinct = (request: BenchRequest): BenchRequest =>
  request.body === undefined
    ? { ...request, suffix: () => `${request.path.includes('?') ? '&' : '?'}n=${next()}` }
    : { ...request, body: () => ({ ...(request.body as object), variables: { n: next() } }) };

const loadFor = (
  baseRequest: BenchRequest,
  isCorrect: (body: string) => boolean,
  isSlow: boolean,
  settings: Settings,
): Omit<Load, 'url'> => {
  const request = settings.isDistinct ? distinct(baseRequest) : baseRequest;
  return isSlow
    ? {
        request,
        isCorrect,
        connections: settings.slowConnections,
        amount: settings.slowConnections,
      }
    : { request, isCorrect, connections: settings.connections, seconds: settings.seconds };
};

/** Checks one response thoroughly, warms up, and chooses the duration of a round. */
const prepare = async (
  testBed: TestBed,
  test: Case,
  name: Name,
  expected: unknown,
  settings: Settings,
): Promise<Prepared | string> => {
  const part = partOf(test, name);
  const contender = testBed.contender(name);
  let known: string;
  try {
    known = await sendOnce(contender.url, part.request);
  } catch (error) {
    return `${name}: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (!matchesExpected(part, expected, known)) {
    const found = parse(known);
    return `${name} returned ${shorten(found)} instead of ${shorten(expected)}`;
  }

  // Comparing bytes is cheap; only responses with other bytes are parsed.
  const isCorrect = (body: string) => body === known || matchesExpected(part, expected, body);
  const load = loadFor(part.request, isCorrect, test.slow?.includes(name) ?? false, settings);
  if (load.seconds === undefined) return { name, load };

  const warm = await runRound(contender, { ...load, seconds: settings.seconds / 3 });
  await untilIdle(testBed.databaseUrl(name), contender.pid);
  if (warm.latencies.length === 0) {
    const { seconds: _none, ...unlimited } = load;
    return { name, load: { ...unlimited, amount: load.connections } };
  }
  const latency = mean(warm.latencies) / 1000;
  const seconds = Math.min(Math.max(load.seconds, 8 * latency), settings.longestSeconds);
  return { name, load: { ...load, seconds } };
};

export const checkTargets = (
  targets: Case['targets'],
  subject: Name,
  figures: CaseResult['figures'],
): TargetResult[] =>
  targets.map(({ against, atLeast }) => {
    const subjectRate = figures[subject]?.perSecond;
    const targetRate = figures[against]?.perSecond;
    const ratio = subjectRate === undefined || !targetRate ? null : subjectRate / targetRate;
    return { against, atLeast, ratio, isMet: ratio !== null && ratio >= atLeast };
  });

const statusesOf = ({ statuses }: Figures): string =>
  Object.entries(statuses)
    .map(([status, count]) => `, ${count} of them with status ${status}`)
    .join('');

export const faultsOf = (figures: CaseResult['figures']): string[] =>
  Object.entries(figures).flatMap(([name, found]) => {
    const { wrong, failed, answers, statuses } = found;
    // The body of a failed request is not compared.
    const reallyWrong = wrong - Object.values(statuses).reduce((sum, count) => sum + count, 0);
    return [
      ...(reallyWrong > 0 ? [`${name}: ${reallyWrong} of ${answers} responses are wrong`] : []),
      ...(failed > 0
        ? [`${name}: ${answers} successful requests, ${failed} failed${statusesOf(found)}`]
        : []),
      ...(answers === 0 && failed === 0 ? [`${name}: no response in time`] : []),
    ];
  });

/** Measures rounds of all contenders in turn. */
export const measureCase = async (
  testBed: TestBed,
  test: Case,
  statements: (name: Name) => number | null,
  settings: Settings,
  step: (name: Name) => void,
): Promise<CaseResult> => {
  const expected = await test.expect(
    testBed.sql(namesOf(test).includes('gateway') ? 'gateway' : test.subject),
  );
  const faults: string[] = [];
  const prepared: Prepared[] = [];
  for (const name of namesOf(test)) {
    const found = await prepare(testBed, test, name, expected, settings);
    if (typeof found === 'string') faults.push(found);
    else prepared.push(found);
  }

  const rounds = new Map<Name, Round[]>();
  for (let round = 0; round < settings.rounds; round += 1) {
    for (const { name, load } of prepared) {
      const contender = testBed.contender(name);
      const result = await runRound(contender, load);
      rounds.set(name, [...(rounds.get(name) ?? []), result]);
      await untilIdle(testBed.databaseUrl(name), contender.pid);
      step(name);
    }
  }
  const figures: CaseResult['figures'] = {};
  for (const [name, result] of rounds) figures[name] = figuresOf(result, statements(name));
  return {
    id: test.id,
    title: test.title,
    subject: test.subject,
    figures,
    judgements: checkTargets(test.targets, test.subject, figures),
    faults: [...faults, ...faultsOf(figures)],
    remarks: [],
  };
};
