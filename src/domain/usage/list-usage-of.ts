import type { Db } from '../../data/db.js';
import { groupBy } from '../../data/grouping.js';
import type { UnleashLayoutReader } from '../../data/layout/unleash-layout.sql.js';
import {
  type ApplicationRow,
  type BucketRow,
  readUsage,
  readVariantUsage,
  type VariantRow,
} from '../../data/usage/usage.sql.js';
import type { Actor } from '../actor.js';
import { assertText } from '../text.js';
import { LENGTH_MS, type UsageRange } from './usage-range.js';

export { MAX_LISTED } from '../../data/usage/usage.sql.js';

export type UsageArgs = UsageRange & { applicationName?: string | undefined };

/** A feature in an environment, as a key of a loader. */
export const placeKey = (featureName: string, environmentName: string): string =>
  JSON.stringify([featureName, environmentName]);

const placeOf = (key: string) => {
  const [featureName, environmentName] = JSON.parse(key) as [string, string];
  return { featureName, environmentName };
};

export type Counts = { yes: number; no: number };
export type UsageBucket = Counts & { from: Date; before: Date };
export type ApplicationUsage = Counts & { applicationName: string };

export type FeatureUsage = Counts & {
  /** Every bucket of the range, oldest first. */
  buckets: UsageBucket[];
  /** The most frequent ones, most frequent first. */
  applications: ApplicationUsage[];
  /** Of all applications. */
  applicationCount: number;
};

export type VariantUsage = { variantName: string; count: number };

const NOTHING: Counts = { yes: 0, no: 0 };

export const sumCounts = (counts: readonly Counts[]): Counts =>
  counts.reduce<Counts>((sum, { yes, no }) => ({ yes: sum.yes + yes, no: sum.no + no }), NOTHING);

const bucketsOf = ({ unit, from, before }: UsageRange, rows: readonly BucketRow[]) => {
  const found = new Map(rows.map((row) => [row.start, row]));
  const length = LENGTH_MS[unit];
  const count = (before.getTime() - from.getTime()) / length;
  return Array.from({ length: count }, (_, index): UsageBucket => {
    const start = from.getTime() + index * length;
    const { yes, no } = found.get(start) ?? NOTHING;
    return { from: new Date(start), before: new Date(start + length), yes, no };
  });
};

const toUsage = (
  range: UsageRange,
  buckets: readonly BucketRow[],
  applications: readonly ApplicationRow[],
): FeatureUsage => ({
  ...sumCounts(buckets),
  buckets: bucketsOf(range, buckets),
  applications: applications.map(({ applicationName, yes, no }) => ({ applicationName, yes, no })),
  applicationCount: applications[0]?.total ?? 0,
});

const keyOf = ({ featureName, environmentName }: BucketRow | ApplicationRow | VariantRow) =>
  placeKey(featureName, environmentName);

type Query = UsageArgs & { keys: readonly string[] };

/** Evaluations of features, each in one environment, in one statement. Empty if the database has no counts. */
export const listUsageOf = async (
  db: Db,
  layout: UnleashLayoutReader,
  actor: Actor,
  { keys, ...args }: Query,
): Promise<ReadonlyMap<string, FeatureUsage>> => {
  assertText('applicationName', args.applicationName ?? '');
  if (!(await layout.current()).hasFeatureUsage) return new Map();

  const rows = await readUsage(db, actor, { ...args, places: keys.map(placeOf) });
  const buckets = groupBy(rows.buckets, keyOf);
  const applications = groupBy(rows.applications, keyOf);
  return new Map(
    keys.map((key) => [key, toUsage(args, buckets.get(key) ?? [], applications.get(key) ?? [])]),
  );
};

/** How often each variant was returned, most frequent first, in one statement. */
export const listVariantUsageOf = async (
  db: Db,
  layout: UnleashLayoutReader,
  actor: Actor,
  { keys, ...args }: Query,
): Promise<ReadonlyMap<string, VariantUsage[]>> => {
  if (!(await layout.current()).hasFeatureUsage) return new Map();

  const rows = await readVariantUsage(db, actor, { ...args, places: keys.map(placeOf) });
  const toVariant = ({ variant, count }: VariantRow) => ({ variantName: variant, count });
  return new Map([...groupBy(rows, keyOf)].map(([key, list]) => [key, list.map(toVariant)]));
};
