import { pathTo } from '../../../data/events/change-path.js';
import { type Change, difference } from '../../events/changes/difference.js';
import type { JsonObject } from '../../json.js';
import {
  type EnvironmentSnapshot,
  type FeatureSnapshot,
  type Known,
  UNKNOWN,
} from './feature-snapshot.js';

/** Differences between two states, and the paths that are unknown in one of them. */
export type Comparison = { changes: readonly Change[]; unknown: readonly string[] };

type Pair = { before: JsonObject; after: JsonObject; unknown: string[] };

/** A property that both states have, unless it is unknown in one of them. */
const addTo = (pair: Pair, path: string, key: string, before: unknown, after: unknown): void => {
  if (before === UNKNOWN || after === UNKNOWN) {
    pair.unknown.push(pathTo(path, { kind: 'key', key }));
    return;
  }
  pair.before = { ...pair.before, [key]: before };
  pair.after = { ...pair.after, [key]: after };
};

type Lists = { before: readonly JsonObject[]; after: readonly JsonObject[] };

/** Removes segments that are unknown on one side from the strategy on both sides. */
const knownSegments = ({ before, after }: Lists, path: string, unknown: string[]): Lists => {
  const open = new Set(
    [...before, ...after].filter(({ segments }) => segments === UNKNOWN).map(({ id }) => id),
  );
  for (const id of open) {
    const item = pathTo(path, { kind: 'item', fields: [['id', String(id)]] });
    unknown.push(pathTo(item, { kind: 'key', key: 'segments' }));
  }
  const strip = (strategies: readonly JsonObject[]) =>
    strategies.map(({ segments, ...strategy }) =>
      open.has(strategy['id']) ? strategy : { ...strategy, segments },
    );
  return { before: strip(before), after: strip(after) };
};

/** The comparable parts of an environment on both sides. */
const environmentPair = (
  before: EnvironmentSnapshot,
  after: EnvironmentSnapshot,
  path: string,
): Pair => {
  const pair: Pair = { before: {}, after: {}, unknown: [] };
  addTo(pair, path, 'enabled', before.enabled, after.enabled);
  if (before.strategies === UNKNOWN || after.strategies === UNKNOWN) {
    addTo(pair, path, 'strategies', UNKNOWN, UNKNOWN);
  } else {
    const at = pathTo(path, { kind: 'key', key: 'strategies' });
    const lists = { before: before.strategies, after: after.strategies };
    const known = knownSegments(lists, at, pair.unknown);
    addTo(pair, path, 'strategies', known.before, known.after);
    if (before.isOrderUnknown || after.isOrderUnknown) pair.unknown.push(`${at}[]`);
  }
  addTo(pair, path, 'variants', before.variants, after.variants);
  return pair;
};

/** Without the new orders of lists whose order is unknown. */
const comparisonOf = ({ before, after, unknown }: Pair): Comparison => ({
  changes: difference(before, after).filter(
    ({ kind, path }) => kind !== 'REORDERED' || !unknown.includes(`${path}[]`),
  ),
  unknown,
});

export const compareEnvironmentSnapshots = (
  before: EnvironmentSnapshot,
  after: EnvironmentSnapshot,
): Comparison => comparisonOf(environmentPair(before, after, ''));

const pathOfEnvironment = (name: string): string =>
  pathTo('environments', { kind: 'item', fields: [['name', name]] });

const addEnvironments = (
  pair: Pair,
  before: NonNullable<FeatureSnapshot>,
  after: NonNullable<FeatureSnapshot>,
): void => {
  const older: JsonObject[] = [];
  const newer: JsonObject[] = [];
  const names = new Set([...before.environments.keys(), ...after.environments.keys()]);
  for (const name of names) {
    const path = pathOfEnvironment(name);
    const one = before.environments.get(name) ?? before.elsewhere;
    const other = after.environments.get(name) ?? after.elsewhere;
    if (one === UNKNOWN || other === UNKNOWN) {
      pair.unknown.push(path);
      continue;
    }
    const { unknown, ...states } = environmentPair(one, other, path);
    pair.unknown.push(...unknown);
    older.push({ name, ...states.before });
    newer.push({ name, ...states.after });
  }
  addTo(pair, '', 'environments', older, newer);
};

const pairOf = (
  before: NonNullable<FeatureSnapshot>,
  after: NonNullable<FeatureSnapshot>,
): Pair => {
  const pair: Pair = { before: {}, after: {}, unknown: [] };
  for (const [name, value] of Object.entries(before.aspects)) {
    const other = Object.entries(after.aspects).find(([key]) => key === name)?.[1];
    addTo(pair, '', name, value, other);
  }
  addEnvironments(pair, before, after);
  return pair;
};

/** Compares two states of a feature, which may not exist in one of them. */
export const compareSnapshots = (
  before: Known<FeatureSnapshot>,
  after: Known<FeatureSnapshot>,
): Comparison => {
  if (before === UNKNOWN || after === UNKNOWN) return { changes: [], unknown: [''] };
  if (before !== null && after !== null) return comparisonOf(pairOf(before, after));
  const present = before ?? after;
  if (present === null) return { changes: [], unknown: [] };
  const { before: state, unknown } = pairOf(present, present);
  return {
    changes: before ? difference(state, undefined) : difference(undefined, state),
    unknown,
  };
};
