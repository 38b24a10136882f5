import type { FeatureConditions, FeatureCriteria } from '../../domain/features/list-features.js';
import { builder } from '../builder.js';
import { assertFilterSize } from '../filter-tree.js';
import { readOnce } from '../read-once.js';
import {
  chosenTexts,
  DateTimeRange,
  defined,
  IntFilter,
  nonNull,
  readChoice,
  readRange,
  StringFilter,
} from './filters.js';
import { LifecycleStageFilter, readStageFilter } from './lifecycle-stage-filter.js';
import { TagInput } from './tag-input.js';

type Given<Value> = Value | null | undefined;

const LastSeenFilter = builder.inputType('LastSeenFilter', {
  description:
    'Conditions on when any application last reported using a feature. All given conditions must match.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'Seen at this time or later.' }),
    before: t.field({
      type: 'DateTime',
      description: 'Last seen before this time. Features that were never seen do not match.',
    }),
    last: t.field({
      type: 'Duration',
      description:
        'Seen within this time until now, such as `P7D` for the last seven days. Cannot be combined with `from` or `before`.',
    }),
    never: t.boolean({
      description: '`true`: only features that were never seen; `false`: only features that were.',
    }),
  }),
});

export type FeatureFilterInput = {
  name?: Given<typeof StringFilter.$inferInput>;
  projectId?: Given<typeof StringFilter.$inferInput>;
  type?: Given<typeof StringFilter.$inferInput>;
  text?: Given<string>;
  archived?: Given<boolean>;
  stale?: Given<boolean>;
  potentiallyStale?: Given<boolean>;
  favorite?: Given<boolean>;
  tag?: Given<typeof TagInput.$inferInput>;
  lifecycleStage?: Given<typeof LifecycleStageFilter.$inferInput>;
  enabledEnvironmentName?: Given<string>;
  segmentId?: Given<number>;
  createdAt?: Given<typeof DateTimeRange.$inferInput>;
  createdByUserId?: Given<typeof IntFilter.$inferInput>;
  lastSeenAt?: Given<typeof LastSeenFilter.$inferInput>;
  and?: Given<readonly FeatureFilterInput[]>;
  or?: Given<readonly FeatureFilterInput[]>;
  not?: Given<FeatureFilterInput>;
};

export const FeatureFilter = builder.inputRef<FeatureFilterInput>('FeatureFilter');

FeatureFilter.implement({
  description:
    'Filters features. All given conditions must match. At most 50 conditions and 5000 values in total, and at most 20 conditions on tags, favorites, segments and enabled environments.',
  fields: (t) => ({
    name: t.field({
      type: StringFilter,
      description: 'Feature name, such as `checkout-one-page`.',
    }),
    projectId: t.field({ type: StringFilter, description: 'Project ID, such as `default`.' }),
    type: t.field({ type: StringFilter, description: 'Feature type, such as `release`.' }),
    text: t.string({
      description:
        'Case-insensitive text to find in the name or description. Matched literally, without wildcards. At most 500 characters.',
    }),
    archived: t.boolean({
      description:
        '`true`: only archived features; `false`: only unarchived ones; `null`: both. Default: `false`, and no condition in nested filters.',
    }),
    stale: t.boolean({ description: 'Whether the feature is marked stale.' }),
    potentiallyStale: t.boolean({
      description:
        'Whether the feature has exceeded the expected lifetime of its type without being marked stale.',
    }),
    favorite: t.boolean({ description: 'Whether the feature is one of your favorites.' }),
    tag: t.field({ type: TagInput, description: 'Tag that the feature must have.' }),
    lifecycleStage: t.field({
      type: LifecycleStageFilter,
      description: 'Current lifecycle stage, as in `Feature.lifecycle`.',
    }),
    enabledEnvironmentName: t.string({
      description: 'Name of an environment in which the feature is enabled, such as `production`.',
    }),
    segmentId: t.int({ description: 'ID of a segment that a strategy of the feature uses.' }),
    createdAt: t.field({ type: DateTimeRange, description: 'When the feature was created.' }),
    createdByUserId: t.field({ type: IntFilter, description: 'User ID of the creator.' }),
    lastSeenAt: t.field({
      type: LastSeenFilter,
      description: 'When any application last reported using the feature.',
    }),
    and: t.field({
      type: [FeatureFilter],
      description:
        'Features must also match all of these filters. Filters can be nested 5 levels deep.',
    }),
    or: t.field({
      type: [FeatureFilter],
      description:
        'Features must match at least one of these filters. An empty list matches no features.',
    }),
    not: t.field({
      type: FeatureFilter,
      description: 'Excludes features that match this filter. Features without a value are kept.',
    }),
  }),
});

const nonEmpty = <Shape extends object>(shape: Shape): Shape | undefined =>
  Object.keys(shape).length > 0 ? shape : undefined;

const readCreators = (field: string, filter: FeatureFilterInput['createdByUserId']) =>
  nonEmpty(
    defined({
      ...readChoice(field, filter),
      from: nonNull(filter?.from),
      before: nonNull(filter?.before),
    }),
  );

const readConditions = (filter: FeatureFilterInput, at: string, now: Date): FeatureConditions => ({
  ...chosenTexts({
    names: [`${at}.name`, filter.name],
    projects: [`${at}.projectId`, filter.projectId],
    types: [`${at}.type`, filter.type],
  }),
  ...defined({
    text: nonNull(filter.text),
    archived: nonNull(filter.archived),
    stale: nonNull(filter.stale),
    potentiallyStale: nonNull(filter.potentiallyStale),
    favorite: nonNull(filter.favorite),
    tag: nonNull(filter.tag),
    enabledEnvironmentName: nonNull(filter.enabledEnvironmentName),
    segment: nonNull(filter.segmentId),
    createdAt: nonEmpty(readRange(`${at}.createdAt`, filter.createdAt, now)),
    lastSeenAt: nonEmpty({
      ...readRange(`${at}.lastSeenAt`, filter.lastSeenAt, now),
      ...defined({ never: nonNull(filter.lastSeenAt?.never) }),
    }),
    creators: readCreators(`${at}.createdByUserId`, filter.createdByUserId),
  }),
  ...readStageFilter(`${at}.lifecycleStage`, filter.lifecycleStage),
});

const readPart = (filter: FeatureFilterInput, at: string, now: Date): FeatureCriteria => {
  const readList = (name: 'and' | 'or', list: readonly FeatureFilterInput[]) =>
    list.map((inner, index) => readPart(inner, `${at}.${name}[${index}]`, now));
  const and = readList('and', filter.and ?? []).filter(nonEmpty);
  return {
    ...readConditions(filter, at, now),
    ...(and.length > 0 && { and }),
    ...(filter.or && { or: readList('or', filter.or) }),
    ...(filter.not && { not: readPart(filter.not, `${at}.not`, now) }),
  };
};

const NO_FILTER: FeatureFilterInput = {};

const readWhole = readOnce((filter: FeatureFilterInput, now): FeatureCriteria => {
  const { archived = false, ...others } = filter;
  assertFilterSize(filter);
  return readPart({ ...others, archived }, 'filter', now);
});

/** Archived features match only if the filter says so. `now` is when the request arrived. */
export const readFeatureFilter = (
  filter: FeatureFilterInput | null | undefined,
  now: Date,
): FeatureCriteria => readWhole(filter ?? NO_FILTER, now);
