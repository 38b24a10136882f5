import type { Case } from './cases/case.js';
import type { Name } from './contenders/contender.js';
import { createDraw } from './draw.js';
import { type Figures, figuresOf, type Round, runRound } from './measure/figures.js';
import type { Load } from './measure/load.js';
import { mean } from './measure/statistics.js';
import { untilIdle } from './measure/until-idle.js';
import { createVerifier } from './measure/verifier.js';
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

type Verifier = ReturnType<typeof createVerifier>;

/** Rounds before measuring. JavaScript engines optimize the code of a case for about ten seconds. */
const WARM_UP_ROUNDS = 3;

type Prepared = {
  name: Name;
  verifier: Verifier;
  load: Pick<Load, 'connections' | 'seconds' | 'amount'>;
};

/** Seeds of the questions of each round; rounds of one number have the same questions for all contenders. */
const WARM_UP = 1_000;
const seedOf = (round: number, { isIdentical }: Settings) => (isIdentical ? 0 : round + 1);

/** With identical requests, each draw is the first one. */
const exchangeOf = (verifier: Verifier, round: number, settings: Settings) => {
  const draw = createDraw(seedOf(round, settings));
  const { next, onResponse } = verifier.exchange(draw);
  if (!settings.isIdentical) return { next, onResponse };
  const request = next();
  return { next: () => request, onResponse };
};

/** Warms up, checks the responses, and chooses the duration of a round. */
const prepare = async (
  testBed: TestBed,
  test: Case,
  name: Name,
  settings: Settings,
): Promise<Prepared | string> => {
  const contender = testBed.contender(name);
  const verifier = createVerifier(test, name, testBed.sql(name));
  const { connections, slowConnections, seconds, longestSeconds } = settings;
  if (test.slow?.includes(name)) {
    return { name, verifier, load: { connections: slowConnections, amount: slowConnections } };
  }
  const warm = await runRound(contender, {
    ...exchangeOf(verifier, WARM_UP, settings),
    connections,
    seconds: WARM_UP_ROUNDS * seconds,
  });
  await untilIdle(testBed.databaseUrl(name), contender.pid);
  const { wrong, example } = await verifier.verify();
  if (wrong > 0) return `${name}: ${example}`;
  if (warm.latencies.length === 0) {
    return { name, verifier, load: { connections, amount: connections } };
  }
  const latency = mean(warm.latencies) / 1000;
  const chosen = Math.min(Math.max(seconds, 8 * latency), longestSeconds);
  return { name, verifier, load: { connections, seconds: chosen } };
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
    const { wrong, failed, answers } = found;
    return [
      ...(wrong > 0 ? [`${name}: ${wrong} of ${answers} responses are wrong`] : []),
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
  const faults: string[] = [];
  const prepared: Prepared[] = [];
  for (const name of test.names) {
    const found = await prepare(testBed, test, name, settings);
    if (typeof found === 'string') faults.push(found);
    else prepared.push(found);
  }

  const rounds = new Map<Name, Round[]>();
  for (let round = 0; round < settings.rounds; round += 1) {
    for (const { name, verifier, load } of prepared) {
      const contender = testBed.contender(name);
      const exchange = exchangeOf(verifier, round, settings);
      const result = await runRound(contender, { ...exchange, ...load });
      await untilIdle(testBed.databaseUrl(name), contender.pid);
      const { wrong, example } = await verifier.verify();
      if (example !== null) faults.push(`${name}: ${example}`);
      rounds.set(name, [...(rounds.get(name) ?? []), { ...result, wrong }]);
      step(name);
    }
  }
  const figures: CaseResult['figures'] = {};
  for (const { name, verifier } of prepared) {
    figures[name] = {
      ...figuresOf(rounds.get(name) ?? [], statements(name)),
      questions: verifier.questionCount(),
    };
  }
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
