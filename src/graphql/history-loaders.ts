import type { Actor } from '../domain/actor.js';
import type { EnabledPeriod } from '../domain/features/history/enabled-periods.js';
import type { FeatureAsOf } from '../domain/features/history/feature-as-of.js';
import {
  type AsOfQuery,
  createReplayBudget,
} from '../domain/features/history/list-features-as-of.js';
import {
  createTimelineBudget,
  type TimelineQuery,
} from '../domain/features/history/list-timelines-of.js';
import type { Operations } from '../domain/operations.js';
import { createLoader } from '../domain/work.js';

type Batch<Query, Result> = (
  queries: readonly Query[],
) => Promise<ReadonlyMap<Query, Result | Error>>;

/** Concurrent queries are answered from one read of the log, whatever their arguments. */
const loaderOf = <Query, Result>(batch: Batch<Query, Result>) => {
  const loader = createLoader<Query, Result, string>(
    async (queries) => {
      const results = await batch(queries);
      return queries.map(
        (one) => results.get(one) ?? new Error('A query of the batch has no result.'),
      );
    },
    { cacheKeyFn: (query) => JSON.stringify(query) },
  );
  return (query: Query): Promise<Result> => loader.load(query);
};

/** History of features, within the budget of one request. */
export const createHistoryLoaders = (operations: Operations, actor: Actor) => {
  const timelines = createTimelineBudget();
  const replays = createReplayBudget();
  return {
    timelineOf: loaderOf<TimelineQuery, EnabledPeriod[]>((queries) =>
      operations.listTimelinesOf(actor, { queries, budget: timelines }),
    ),
    featureAsOf: loaderOf<AsOfQuery, FeatureAsOf>((queries) =>
      operations.listFeaturesAsOf(actor, { queries, budget: replays }),
    ),
  };
};
