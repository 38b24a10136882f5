import type { GraphQLResolveInfo } from 'graphql';
import {
  completeRange,
  countBuckets,
  DAYS_IN,
  type ActivityInterval as Interval,
  MOST_BUCKETS,
} from '../../domain/events/activity-range.js';
import { noActivity } from '../../domain/events/event-activity.js';
import type { ActivityQuestion } from '../../domain/events/get-event-activity.js';
import { builder } from '../builder.js';
import { searchCost } from '../connection.js';
import { selectsAny } from '../selected-fields.js';
import { ACTOR_FIELDS, Activity, ActivityInterval, TYPE_FIELDS } from './activity.js';
import { EventFilter, readEventFilter } from './event-filter.js';
import { assertYear, defined, nonNull } from './filters.js';
import { Project } from './project.js';

type Args = {
  filter?: typeof EventFilter.$inferInput | null | undefined;
  from?: Date | null | undefined;
  to?: Date | null | undefined;
  by: Interval;
};

const readQuestion = (
  { filter, from, to, by }: Args,
  info: GraphQLResolveInfo,
): ActivityQuestion => {
  assertYear('from', from);
  assertYear('to', to);
  return {
    criteria: readEventFilter(filter),
    range: completeRange({ by, ...defined({ from: nonNull(from), to: nonNull(to) }) }),
    byType: selectsAny(info, TYPE_FIELDS),
    byActor: selectsAny(info, ACTOR_FIELDS),
  };
};

/** Costs are judged before variables are: one that is no moment counts as left out, and is refused afterwards. */
const readMoment = (value: unknown): Date | undefined => {
  const moment = new Date(String(value));
  return Number.isNaN(moment.getTime()) ? undefined : moment;
};

/** Reading a day of the log weighs as much as showing so many items. */
const LOG_DAY_COST = 10;
const PROJECT_DAY_COST = 1;

const activityCost = (dayCost: number) => (args: Args) => {
  const range = completeRange({
    by: args.by,
    ...defined({ from: readMoment(args.from), to: readMoment(args.to) }),
  });
  const buckets = Math.min(MOST_BUCKETS, Math.max(1, countBuckets(range)));
  const field = buckets * DAYS_IN[args.by] * dayCost + searchCost({ filter: args.filter }).field;
  return { field, multiplier: buckets };
};

const momentArgs = {
  from: {
    type: 'DateTime',
    description:
      'The first moment that counts. When left out, the last 30 days or 12 weeks before `to` do.',
  },
  to: {
    type: 'DateTime',
    description:
      'The first moment that no longer counts; the end of the current day or week when left out.',
  },
} as const;

const byArg = {
  type: ActivityInterval,
  required: true,
  defaultValue: 'DAY',
  description: 'How long the intervals are; a time may hold 400 of them. Default DAY.',
} as const;

const filterArg = {
  type: EventFilter,
  description: 'Which events; all you may see when left out.',
};

builder.queryField('eventActivity', (t) =>
  t.field({
    type: Activity,
    description:
      'How many events there were in each day or week. Those without a time, in damaged logs, are not counted.',
    complexity: activityCost(LOG_DAY_COST),
    args: {
      filter: t.arg(filterArg),
      from: t.arg(momentArgs.from),
      to: t.arg(momentArgs.to),
      by: t.arg(byArg),
    },
    resolve: (_root, args, { actor, operations }, info) =>
      operations.getEventActivity(actor, readQuestion(args, info)),
  }),
);

builder.prismaObjectField(Project, 'activity', (t) =>
  t.field({
    type: Activity,
    description: 'How many events this project had in each day or week.',
    complexity: activityCost(PROJECT_DAY_COST),
    args: {
      filter: t.arg(filterArg),
      from: t.arg(momentArgs.from),
      to: t.arg(momentArgs.to),
      by: t.arg(byArg),
    },
    resolve: async ({ id }, args, { pages }, info) => {
      const question = readQuestion(args, info);
      return (await pages.activityOf(question, id)) ?? noActivity(question.range);
    },
  }),
);
