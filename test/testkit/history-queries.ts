import type { Db } from '../../src/data/db.js';
import type { Actor } from '../../src/domain/actor.js';
import {
  createReplayBudget,
  listFeaturesAsOf,
} from '../../src/domain/features/history/list-features-as-of.js';
import {
  createTimelineBudget,
  listTimelinesOf,
} from '../../src/domain/features/history/list-timelines-of.js';
import { createScanLimiter } from '../../src/domain/scan-limiter.js';

const LIMITS = { limiter: createScanLimiter() };

const byName = <Result>(
  results: ReadonlyMap<{ name: string }, Result>,
): Map<string, Exclude<Result, Error>> =>
  new Map(
    [...results].map(([{ name }, result]) => {
      if (result instanceof Error) throw result;
      return [name, result as Exclude<Result, Error>];
    }),
  );

/** Many features at one timestamp, by name. */
export const featuresAsOf = async (
  db: Db,
  actor: Actor,
  { names, time }: { names: readonly string[]; time: Date },
) => {
  const queries = names.map((name) => ({ name, time }));
  return byName(
    await listFeaturesAsOf(db, LIMITS, actor, { queries, budget: createReplayBudget() }),
  );
};

/** Many features in one environment, by name. */
export const timelinesOf = async (
  db: Db,
  actor: Actor,
  { names, ...where }: { names: readonly string[]; environment: string; last: number },
) => {
  const queries = names.map((name) => ({ name, ...where }));
  return byName(
    await listTimelinesOf(db, LIMITS, actor, { queries, budget: createTimelineBudget() }),
  );
};
