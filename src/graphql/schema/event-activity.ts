import type { GraphQLResolveInfo } from 'graphql';
import {
  completeRange,
  countBuckets,
  DAYS_IN,
  type ActivityInterval as Interval,
  MAX_BUCKETS,
} from '../../domain/events/activity-range.js';
import { noActivity } from '../../domain/events/event-activity.js';
import type { ActivityOwners, ActivityQuery } from '../../domain/events/get-event-activity.js';
import { builder } from '../builder.js';
import { searchCost } from '../connection.js';
import type { Context } from '../context.js';
import { selectsAny } from '../selected-fields.js';
import {
  Activity,
  ActivityInterval,
  AUTHOR_FIELDS,
  BUCKET_FIELDS,
  TYPE_FIELDS,
} from './activity.js';
import { EventFilter, readEventFilter } from './event-filter.js';
import { Feature } from './feature.js';
import { assertYear, defined, nonNull } from './filters.js';
import { Project } from './project.js';

type Args = {
  filter?: typeof EventFilter.$inferInput | null | undefined;
  from?: Date | null | undefined;
  before?: Date | null | undefined;
  by: Interval;
};

const readQuery = (
  { filter, from, before, by }: Args,
  now: Date,
  info: GraphQLResolveInfo,
): ActivityQuery => {
  assertYear('from', from);
  assertYear('before', before);
  return {
    criteria: readEventFilter(filter, now),
    range: completeRange({ by, ...defined({ from: nonNull(from), to: nonNull(before) }) }, now),
    buckets: selectsAny(info, BUCKET_FIELDS),
    byType: selectsAny(info, TYPE_FIELDS),
    byAuthor: selectsAny(info, AUTHOR_FIELDS),
  };
};

/** Costs are computed before variables are validated: an invalid timestamp counts as omitted and is rejected later. */
const readTimestamp = (value: unknown): Date | undefined => {
  const timestamp = new Date(String(value));
  return Number.isNaN(timestamp.getTime()) ? undefined : timestamp;
};

/** Points for reading one day of events. */
const LOG_DAY_COST = 10;
const OWNER_DAY_COST = 1;

const activityCost = (dayCost: number) => (args: Args) => {
  const range = completeRange({
    by: args.by,
    ...defined({ from: readTimestamp(args.from), to: readTimestamp(args.before) }),
  });
  const buckets = Math.min(MAX_BUCKETS, Math.max(1, countBuckets(range)));
  const field = buckets * DAYS_IN[args.by] * dayCost + searchCost({ filter: args.filter }).field;
  return { field, multiplier: buckets };
};

const timestampArgs = {
  from: {
    type: 'DateTime',
    description:
      'Start of the range (inclusive). Defaults to the last 30 days or 12 weeks before `before`.',
  },
  before: {
    type: 'DateTime',
    description: 'End of the range (exclusive). Defaults to the end of the current day or week.',
  },
} as const;

const byArg = {
  type: ActivityInterval,
  required: true,
  defaultValue: 'DAY',
  description: 'Interval length. A range can span at most 400 intervals. Default DAY.',
} as const;

const filterArg = {
  type: EventFilter,
  description: 'Filters events. If omitted, counts all events visible to you.',
};

builder.queryField('activity', (t) =>
  t.field({
    type: Activity,
    description:
      'Number of events per day or week. Events without a timestamp, as in damaged logs, are not counted.',
    complexity: activityCost(LOG_DAY_COST),
    args: {
      filter: t.arg(filterArg),
      from: t.arg(timestampArgs.from),
      before: t.arg(timestampArgs.before),
      by: t.arg(byArg),
    },
    resolve: (_root, args, { actor, now, operations }, info) =>
      operations.getEventActivity(actor, readQuery(args, now, info)),
  }),
);

/** Batches the activity of one project or feature with that of its siblings. */
const activityOf = async (
  owner: ActivityOwners['owner'],
  key: string,
  args: Args,
  { now, pages }: Context,
  info: GraphQLResolveInfo,
) => {
  const query = readQuery(args, now, info);
  return (await pages.activityOf({ owner, ...query }, key)) ?? noActivity(query.range);
};

builder.prismaObjectField(Project, 'activity', (t) =>
  t.field({
    type: Activity,
    description: 'Number of events in this project per day or week.',
    complexity: activityCost(OWNER_DAY_COST),
    args: {
      filter: t.arg(filterArg),
      from: t.arg(timestampArgs.from),
      before: t.arg(timestampArgs.before),
      by: t.arg(byArg),
    },
    resolve: ({ id }, args, context, info) => activityOf('project', id, args, context, info),
  }),
);

builder.prismaObjectField(Feature, 'activity', (t) =>
  t.field({
    type: Activity,
    description: 'Number of events of this feature per day or week.',
    complexity: activityCost(OWNER_DAY_COST),
    args: {
      filter: t.arg(filterArg),
      from: t.arg(timestampArgs.from),
      before: t.arg(timestampArgs.before),
      by: t.arg(byArg),
    },
    resolve: ({ name }, args, context, info) => activityOf('feature', name, args, context, info),
  }),
);
