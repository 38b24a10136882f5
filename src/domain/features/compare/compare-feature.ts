import type { Loaders } from '../../../data/loaders.js';
import { BadDataError } from '../../errors.js';
import type { Feature } from '../../rows.js';
import { assertText } from '../../text.js';
import { takeTurn } from '../../work.js';
import type { FeatureAsOf } from '../history/feature-as-of.js';
import { faultOfPast } from '../history/past-timestamp.js';
import { assertEnvironmentExists } from '../is-enabled.js';
import {
  type Comparison,
  compareEnvironmentSnapshots,
  compareSnapshots,
} from './compare-snapshots.js';
import {
  currentEnvironments,
  currentSnapshot,
  type FeatureSnapshot,
  type Known,
  NO_ENVIRONMENT,
  snapshotOf,
  UNKNOWN,
} from './feature-snapshot.js';
import { withCounterpartIds } from './pair-strategies.js';

/** Reads a feature at a timestamp. */
export type ReadAsOf = (query: { name: string; time: Date }) => Promise<FeatureAsOf>;

const assertRange = (from: Date, to: Date | null): void => {
  const fault = faultOfPast('from', from) ?? (to && faultOfPast('to', to));
  if (fault) throw fault;
  if (!to || from <= to) return;
  const message = `'from' must not be after 'to' (got ${from.toISOString()} and ${to.toISOString()}).`;
  throw BadDataError.of({ message });
};

/** Parents of features that the viewer may not see are not read, so a parent that is missing may be hidden. */
const withHiddenParents = async (
  loaders: Loaders,
  before: Known<FeatureSnapshot>,
  after: FeatureSnapshot,
): Promise<FeatureSnapshot> => {
  if (before === UNKNOWN || before === null || after === null) return after;
  const parentsIn = ({ aspects }: NonNullable<FeatureSnapshot>): string[] =>
    Array.isArray(aspects.dependencies)
      ? aspects.dependencies.map(({ feature }: { feature: string }) => feature)
      : [];
  const present = parentsIn(after);
  const missing = parentsIn(before).filter((name) => !present.includes(name));
  const found = await Promise.all(missing.map((name) => loaders.feature.load(name)));
  if (!found.includes(null)) return after;
  return { ...after, aspects: { ...after.aspects, dependencies: UNKNOWN } };
};

/** How a feature differs between two timestamps; without the second, from its current state in the database. */
export const compareFeature = async (
  loaders: Loaders,
  readAsOf: ReadAsOf,
  feature: Feature,
  { from, to }: { from: Date; to: Date | null },
): Promise<Comparison> => {
  assertRange(from, to);
  const { name } = feature;
  const [past, later] = await Promise.all([
    readAsOf({ name, time: from }),
    to && readAsOf({ name, time: to }),
  ]);
  await takeTurn();
  const before = snapshotOf(past);
  if (later) return compareSnapshots(before, snapshotOf(later));
  const current = await currentSnapshot(loaders, feature);
  return compareSnapshots(before, await withHiddenParents(loaders, before, current));
};

/** Two environments of a feature. */
export type EnvironmentPair = { name: string; from: string; to: string };

/** How a feature differs between two environments now. Paths name the strategies of the first. */
export const compareEnvironments = async (
  loaders: Loaders,
  { name, from, to }: EnvironmentPair,
): Promise<Comparison> => {
  assertText('The environment', from, to);
  const environments = await currentEnvironments(loaders, name);
  for (const environment of [from, to]) await assertEnvironmentExists(loaders, environment);
  await takeTurn();
  const before = environments.get(from) ?? NO_ENVIRONMENT;
  const after = environments.get(to) ?? NO_ENVIRONMENT;
  if (before.strategies === UNKNOWN || after.strategies === UNKNOWN) {
    return compareEnvironmentSnapshots(before, after);
  }
  const strategies = withCounterpartIds(after.strategies, before.strategies);
  return compareEnvironmentSnapshots(before, { ...after, strategies });
};
