import DataLoader from 'dataloader';
import type { Actor } from '../domain/actor.js';
import type { EnabledPeriod } from '../domain/features/history/enabled-periods.js';
import type { FeatureAsOf } from '../domain/features/history/feature-as-of.js';
import { createReplayBudget, type Moment } from '../domain/features/history/list-features-as-of.js';
import {
  createTimelineBudget,
  type TimelineQuestion,
} from '../domain/features/history/list-timelines-of.js';
import type { Operations } from '../domain/operations.js';

type Batch<Question, Answer> = (
  questions: readonly Question[],
) => Promise<ReadonlyMap<Question, Answer | Error>>;

/** Questions that are asked together are answered from one reading of the log, whatever their arguments. */
const loaderOf = <Question, Answer>(batch: Batch<Question, Answer>) => {
  const loader = new DataLoader<Question, Answer, string>(
    async (questions) => {
      const told = await batch(questions);
      return questions.map((one) => told.get(one) ?? new Error('A question was not answered.'));
    },
    { cacheKeyFn: (question) => JSON.stringify(question) },
  );
  return (question: Question): Promise<Answer> => loader.load(question);
};

/** What the log tells of features, within what one request may take of it. */
export const createPastLoaders = (operations: Operations, actor: Actor) => {
  const timelines = createTimelineBudget();
  const replays = createReplayBudget();
  return {
    timelineOf: loaderOf<TimelineQuestion, EnabledPeriod[]>((questions) =>
      operations.listTimelinesOf(actor, { questions, budget: timelines }),
    ),
    featureAsOf: loaderOf<Moment, FeatureAsOf>((moments) =>
      operations.listFeaturesAsOf(actor, { moments, budget: replays }),
    ),
  };
};
