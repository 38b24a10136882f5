import type { Sql } from '../../parity/src/world/sql.js';
import type { Name } from './contenders/contender.js';
import type { Store } from './databases.js';
import { figuresOf, type Round, runRound } from './measure/figures.js';
import type { BenchRequest } from './measure/load.js';
import { untilIdle } from './measure/until-idle.js';
import { type CaseResult, checkTargets, faultsOf } from './measure-case.js';
import type { Settings } from './settings.js';
import type { TestBed } from './test-bed.js';
import { CLONE_SOURCE } from './world/facts.js';

export const CLONE_ID = 'clone';
export const CLONE_TITLE = 'Clone (20 at a time)';
export const CLONE_NAMES: readonly Name[] = ['gateway', 'unleash'];

const AT_ONCE = 20;
const PREFIX = 'clone-of-';

let cloneCount = 0;

/** Requests a clone with an unused name. */
export const cloneRequest = (): BenchRequest => ({
  method: 'POST',
  path: `/api/admin/projects/delivery/features/${CLONE_SOURCE}/clone`,
  body: { name: `${PREFIX}${++cloneCount}` },
});

const isCorrect = (body: string): boolean => {
  try {
    return String(JSON.parse(body).name).startsWith(PREFIX);
  } catch {
    return false;
  }
};

type Counts = { features: number; incomplete: number };

/** Counts the copies, and those with missing rows. */
const countCopies = (sql: Sql): Promise<Counts> =>
  sql.one<Counts>(`
    with expected as (
      select (select count(*) from feature_environments where feature_name = '${CLONE_SOURCE}') as environments,
        (select count(*) from feature_strategies where feature_name = '${CLONE_SOURCE}') as strategies,
        (select count(*) from feature_strategies s join feature_strategy_segment g on g.feature_strategy_id = s.id
         where s.feature_name = '${CLONE_SOURCE}') as segments),
    copies as (
      select f.name,
        (select count(*) from feature_environments where feature_name = f.name) as environments,
        (select count(*) from feature_strategies where feature_name = f.name) as strategies,
        (select count(*) from feature_strategies s join feature_strategy_segment g on g.feature_strategy_id = s.id
         where s.feature_name = f.name) as segments,
        (select count(*) from events where feature_name = f.name and type = 'feature-created') as births,
        (select count(*) from events where feature_name = f.name and type = 'feature-strategy-add') as additions
      from features f where f.name like '${PREFIX}%')
    select count(*)::int as features,
      (count(*) filter (where c.environments <> e.environments or c.strategies <> e.strategies or
        c.segments <> e.segments or births <> 1 or additions <> e.strategies))::int as incomplete
    from copies c cross join expected e`);

const amountFor = (warm: Round, seconds: number): number => {
  const rate = warm.latencies.length / Math.max(warm.seconds, 0.001);
  return Math.max(1, Math.ceil((rate * seconds) / AT_ONCE)) * AT_ONCE;
};

/** Clones a feature repeatedly. Afterwards every copy must be complete and match a request. */
export const measureClones = async (
  testBed: TestBed,
  store: Store,
  settings: Settings,
  step: (name: Name) => void,
): Promise<CaseResult> => {
  const completed = new Map<Name, number>();
  const amounts = new Map<Name, number>();
  const rounds = new Map<Name, Round[]>();

  const run = async (name: Name, amount: number): Promise<Round> => {
    store.markDirty(testBed.databaseUrl(name));
    let wrong = 0;
    const exchange = {
      next: cloneRequest,
      onResponse: (_request: BenchRequest, body: string) => {
        if (!isCorrect(body)) wrong += 1;
      },
    };
    const load = { ...exchange, connections: AT_ONCE, amount };
    const round = { ...(await runRound(testBed.contender(name), load)), wrong };
    completed.set(name, (completed.get(name) ?? 0) + round.latencies.length);
    await untilIdle(testBed.databaseUrl(name), testBed.contender(name).pid);
    return round;
  };

  for (const name of CLONE_NAMES) {
    amounts.set(name, amountFor(await run(name, 2 * AT_ONCE), settings.seconds));
  }
  for (let round = 0; round < settings.rounds; round += 1) {
    for (const name of CLONE_NAMES) {
      const result = await run(name, amounts.get(name) ?? AT_ONCE);
      rounds.set(name, [...(rounds.get(name) ?? []), result]);
      step(name);
    }
  }

  const faults: string[] = [];
  const remarks: string[] = [];
  for (const name of CLONE_NAMES) {
    const { features, incomplete } = await countCopies(testBed.sql(name));
    const expected = completed.get(name) ?? 0;
    const text = `${name}: ${features} copies for ${expected} responses, ${incomplete} incomplete`;
    if (features === expected && incomplete === 0) remarks.push(text);
    // Incomplete copies of Unleash are not an error of the measurement.
    else (name === 'gateway' ? faults : remarks).push(text);
  }
  const figures: CaseResult['figures'] = {};
  for (const [name, result] of rounds) figures[name] = figuresOf(result, null);
  return {
    id: CLONE_ID,
    title: CLONE_TITLE,
    subject: 'gateway',
    figures,
    judgements: checkTargets([{ against: 'unleash', atLeast: 3 }], 'gateway', figures),
    faults: [...faults, ...faultsOf(figures)],
    remarks,
  };
};
