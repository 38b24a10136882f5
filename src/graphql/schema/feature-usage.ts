import { BadDataError } from '../../domain/errors.js';
import { lastSeenIn } from '../../domain/features/feature-parts.js';
import {
  type ApplicationUsage as Application,
  type UsageBucket as Bucket,
  type Counts,
  MAX_LISTED,
  placeKey,
  sumCounts,
  type UsageArgs,
  type FeatureUsage as UsageOfPlace,
  type VariantUsage as Variant,
} from '../../domain/usage/list-usage-of.js';
import {
  countBuckets,
  DEFAULT_USAGE_RANGE,
  MAX_USAGE_RANGE,
  usageRange,
} from '../../domain/usage/usage-range.js';
import { builder } from '../builder.js';
import { FeatureEnvironment } from './feature-environment.js';

const YES = 'How often applications evaluated the feature as enabled.';
const NO = 'How often applications evaluated the feature as disabled.';

const UsageUnit = builder.enumType('UsageUnit', {
  description: 'Length of a bucket of usage counts.',
  values: {
    HOUR: { description: 'An hour.' },
    DAY: { description: 'A day, starting at midnight UTC.' },
  },
} as const);

const UsageCounts = builder.objectRef<Counts>('UsageCounts').implement({
  description: 'How often applications evaluated a feature.',
  fields: (t) => ({
    yes: t.exposeFloat('yes', { description: YES }),
    no: t.exposeFloat('no', { description: NO }),
  }),
});

const UsageBucket = builder.objectRef<Bucket>('UsageBucket').implement({
  description: 'Usage of a feature in one hour or on one day.',
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', description: 'Start, inclusive.' }),
    before: t.expose('before', { type: 'DateTime', description: 'End, exclusive.' }),
    yes: t.exposeFloat('yes', { description: YES }),
    no: t.exposeFloat('no', { description: NO }),
  }),
});

const ApplicationUsage = builder.objectRef<Application>('ApplicationUsage').implement({
  description: 'Usage of a feature by one application.',
  fields: (t) => ({
    applicationName: t.exposeString('applicationName', {
      description: 'Name of the application, as its SDK reports it.',
    }),
    yes: t.exposeFloat('yes', { description: YES }),
    no: t.exposeFloat('no', { description: NO }),
  }),
});

type ApplicationList = { nodes: Application[]; totalCount: number; others: Counts };

const ApplicationUsageList = builder.objectRef<ApplicationList>('ApplicationUsageList').implement({
  description: 'The applications that use a feature most.',
  fields: (t) => ({
    nodes: t.expose('nodes', {
      type: [ApplicationUsage],
      description: 'Applications with the most evaluations, most frequent first.',
    }),
    totalCount: t.exposeInt('totalCount', {
      description: 'Number of all applications that used the feature.',
    }),
    others: t.expose('others', {
      type: UsageCounts,
      description: 'Usage by all applications that are not in `nodes`.',
    }),
  }),
});

const VariantUsage = builder.objectRef<Variant>('VariantUsage').implement({
  description: 'How often a variant was returned to applications.',
  fields: (t) => ({
    variantName: t.exposeString('variantName', { description: 'Variant name.' }),
    count: t.exposeFloat('count', { description: 'How often it was returned.' }),
  }),
});

type Usage = UsageOfPlace & { featureName: string; environmentName: string; args: UsageArgs };

/** Applications are a part of the totals, which are read anyway. */
const firstApplications = (usage: Usage, first: number): ApplicationList => {
  if (first < 1 || first > MAX_LISTED) {
    throw BadDataError.of({
      message: `'first' must be between 1 and ${MAX_LISTED} (got ${first}).`,
    });
  }
  const nodes = usage.applications.slice(0, first);
  const listed = sumCounts(nodes);
  return {
    nodes,
    totalCount: usage.applicationCount,
    others: { yes: usage.yes - listed.yes, no: usage.no - listed.no },
  };
};

const DEFAULT_APPLICATIONS = 20;
const ASSUMED_BUCKETS = 30;
/** Finding the counts of one feature, and buckets that cost one point. */
const USAGE_COST = 5;
const BUCKETS_PER_POINT = 2;

const FeatureUsage = builder.objectRef<Usage>('FeatureUsage').implement({
  description:
    'How often applications evaluated a feature in an environment. SDKs report these counts about once a minute.',
  fields: (t) => ({
    from: t.field({
      type: 'DateTime',
      description: 'Start of the first bucket, inclusive.',
      resolve: ({ args }) => args.from,
    }),
    before: t.field({
      type: 'DateTime',
      description: 'End of the last bucket, exclusive. The last bucket contains the present.',
      resolve: ({ args }) => args.before,
    }),
    unit: t.field({
      type: UsageUnit,
      description: 'Length of the buckets: hours up to 48 hours, otherwise days.',
      resolve: ({ args }) => args.unit,
    }),
    yes: t.exposeFloat('yes', { description: YES }),
    no: t.exposeFloat('no', { description: NO }),
    lastSeenAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When any application last reported using the feature in this environment, even before `from`.',
      resolve: async ({ featureName, environmentName }, _args, { loaders }) =>
        lastSeenIn(await loaders.lastSeenOfFeature.load(featureName), environmentName),
    }),
    buckets: t.expose('buckets', {
      type: [UsageBucket],
      complexity: { field: 1, multiplier: ASSUMED_BUCKETS },
      description: 'Usage per hour or day, oldest first, including those without usage.',
    }),
    applications: t.field({
      type: ApplicationUsageList,
      complexity: ({ first }) => ({
        field: 1,
        multiplier: Math.max(1, Math.min(first, MAX_LISTED)),
      }),
      description: 'Usage per application.',
      args: {
        first: t.arg.int({
          required: true,
          defaultValue: DEFAULT_APPLICATIONS,
          description: `Returns the _n_ applications with the most evaluations. At most ${MAX_LISTED}.`,
        }),
      },
      resolve: (usage, { first }) => firstApplications(usage, first),
    }),
    variants: t.field({
      type: [VariantUsage],
      complexity: { field: USAGE_COST },
      description: `How often each variant was returned, most frequent first. At most ${MAX_LISTED}. Empty if the feature has no variants.`,
      resolve: async ({ featureName, environmentName, args }, _args, { pages }) => [
        ...(await pages.variantUsageOf(args, placeKey(featureName, environmentName))),
      ],
    }),
  }),
});

builder.objectField(FeatureEnvironment, 'usage', (t) =>
  t.field({
    type: FeatureUsage,
    nullable: true,
    description:
      'How often applications evaluated the feature in this environment. Null if the database does not store it.',
    complexity: ({ last }) => ({
      field: USAGE_COST + Math.ceil(countBuckets(last) / BUCKETS_PER_POINT),
    }),
    args: {
      last: t.arg({
        type: 'Duration',
        required: true,
        defaultValue: DEFAULT_USAGE_RANGE,
        description: `Length of the range, which ends with the current hour or day. At most ${MAX_USAGE_RANGE}.`,
      }),
      applicationName: t.arg.string({
        description: 'Counts only this application, such as `web-shop-frontend`.',
      }),
    },
    resolve: async ({ featureName, environmentName }, { last, applicationName }, { pages }) => {
      const args = {
        ...usageRange(last, new Date()),
        applicationName: applicationName ?? undefined,
      };
      const usage = await pages.usageOf(args, placeKey(featureName, environmentName));
      return usage && { ...usage, featureName, environmentName, args };
    },
  }),
);
