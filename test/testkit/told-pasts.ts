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

const byName = <Answer>(
  told: ReadonlyMap<{ name: string }, Answer>,
): Map<string, Exclude<Answer, Error>> =>
  new Map(
    [...told].map(([{ name }, answer]) => {
      if (answer instanceof Error) throw answer;
      return [name, answer as Exclude<Answer, Error>];
    }),
  );

/** Many features at one moment, by their names. */
export const featuresAsOf = async (
  db: Db,
  actor: Actor,
  { names, time }: { names: readonly string[]; time: Date },
) => {
  const moments = names.map((name) => ({ name, time }));
  return byName(await listFeaturesAsOf(db, actor, { moments, budget: createReplayBudget() }));
};

/** Many features in one environment, by their names. */
export const timelinesOf = async (
  db: Db,
  actor: Actor,
  { names, ...where }: { names: readonly string[]; environment: string; last: number },
) => {
  const questions = names.map((name) => ({ name, ...where }));
  return byName(await listTimelinesOf(db, actor, { questions, budget: createTimelineBudget() }));
};
