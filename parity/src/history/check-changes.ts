import type { Chance } from '../permissions/chance.js';
import { type Change, queryComparisons, queryEvents, queryTimelines } from './queries.js';
import type { FeatureState } from './read-states.js';
import { ENVIRONMENTS, type Stage } from './stage.js';
import type { Tally } from './tally.js';

/** The tables after an operation. */
export type Snapshot = { time: string; features: ReadonlyMap<string, FeatureState> };

/** Timelines name the state at every timestamp. */
export const checkTimelines = async (
  stage: Stage,
  name: string,
  snapshots: readonly Snapshot[],
  tally: Tally,
): Promise<void> => {
  const timelines = await queryTimelines(stage, name);
  for (const environment of ENVIRONMENTS) {
    for (const { time, features } of snapshots) {
      const feature = features.get(name);
      const period = timelines[environment]?.find(
        ({ from, before }) => from !== null && from <= time && !(before !== null && before <= time),
      );
      if (period?.state === 'UNKNOWN') {
        tally.unknown();
        continue;
      }
      const isEnabled = feature?.environments[environment]?.enabled;
      const expected = feature ? (isEnabled ? 'ENABLED' : 'DISABLED') : null;
      tally.equal(`${name} in ${environment} at ${time}`, expected, period?.state ?? null);
    }
  }
};

/** The value of a feature at a path of changes; undefined if this check does not know it. */
const valueAt = (state: FeatureState, path: string, environment: string | null): unknown => {
  switch (path) {
    case 'project':
      return state.projectId;
    case 'enabled':
      return environment === null ? undefined : state.environments[environment]?.enabled;
    case 'type':
    case 'description':
    case 'stale':
    case 'impressionData':
    case 'archived':
      return state[path];
    default:
      return undefined;
  }
};

const compareChange = (
  where: string,
  { path, before, after }: Change,
  [older, newer]: readonly [FeatureState, FeatureState],
  environment: string | null,
  tally: Tally,
): void => {
  const expected = valueAt(newer, path, environment);
  if (expected === undefined) return;
  tally.equal(`${path} after ${where}`, expected, after);
  tally.equal(`${path} before ${where}`, valueAt(older, path, environment), before);
};

/** Changes of an event lead from the tables before its operation to those after it. */
export const checkChanges = async (
  stage: Stage,
  name: string,
  snapshots: readonly Snapshot[],
  tally: Tally,
): Promise<void> => {
  for (const { id, typeName, createdAt, environmentName, changes } of await queryEvents(
    stage,
    name,
  )) {
    const index = snapshots.findIndex(({ time }) => time >= createdAt);
    const before = snapshots[index - 1]?.features.get(name);
    const after = snapshots[index]?.features.get(name);
    if (!before || !after || changes === null) continue;
    // Both events of a patch record the new value.
    const isRepeated = typeName.startsWith('feature-stale-');
    for (const change of changes) {
      const where = `event ${id} (${typeName}) of ${name}`;
      if (isRepeated && change.path !== 'stale') continue;
      // Upstream writes these also if the feature is archived, or active, already.
      if (change.path === 'archived' && before.archived === after.archived) continue;
      compareChange(where, change, [before, after], environmentName, tally);
    }
  }
};

const PAIRS = 12;

/** Comparisons contain exactly the properties that differ in the tables. */
export const checkComparisons = async (
  stage: Stage,
  name: string,
  snapshots: readonly Snapshot[],
  chance: Chance,
  tally: Tally,
): Promise<void> => {
  const indexes = Array.from({ length: PAIRS }, () => {
    const [one, other] = [chance.int(0, snapshots.length - 1), chance.int(0, snapshots.length - 1)];
    return [Math.min(one, other), Math.max(one, other)] as const;
  });
  const timeOf = (index: number) => snapshots[index]?.time ?? '';
  const pairs = indexes.map(([from, to]) => ({ from: timeOf(from), to: timeOf(to) }));
  const comparisons = await queryComparisons(stage, name, pairs);
  for (const [index, { changes, unknown }] of comparisons.entries()) {
    const [from, to] = indexes[index] ?? [0, 0];
    const before = snapshots[from]?.features.get(name);
    const after = snapshots[to]?.features.get(name);
    const where = `${name} from ${timeOf(from)} to ${timeOf(to)}`;
    if (!before || !after) continue;
    for (const path of ['project', 'type', 'description', 'stale', 'impressionData', 'archived']) {
      if (unknown.includes(path) || unknown.includes('')) {
        tally.unknown();
        continue;
      }
      const found = changes.find((change) => change.path === path);
      const values = [valueAt(before, path, null), valueAt(after, path, null)];
      const expected = values[0] === values[1] ? null : values;
      tally.equal(`${path} of ${where}`, expected, found ? [found.before, found.after] : null);
    }
  }
};
