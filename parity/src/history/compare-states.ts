import type { EnvironmentAsOf, FeatureAsOf } from './queries.js';
import type { EnvironmentState, FeatureState } from './read-states.js';
import type { Tally } from './tally.js';

export const ASPECTS = [
  ['projectId', 'PROJECT'],
  ['type', 'TYPE'],
  ['description', 'DESCRIPTION'],
  ['stale', 'STALE'],
  ['impressionData', 'IMPRESSION_DATA'],
  ['archived', 'ARCHIVED'],
  ['tags', 'TAGS'],
  ['dependencies', 'DEPENDENCIES'],
] as const;

const compareStrategies = (
  where: string,
  expected: EnvironmentState,
  { strategies, unknown }: EnvironmentAsOf,
  tally: Tally,
): void => {
  if (strategies === null) {
    tally.unknown();
    return;
  }
  const isOrderKnown = !unknown.includes('STRATEGY_ORDER');
  if (!isOrderKnown) tally.unknown();
  const ids = (list: readonly string[]) => (isOrderKnown ? [...list] : list.toSorted());
  const actualIds = strategies.map(({ strategyId }) => strategyId);
  tally.equal(
    `strategies of ${where}`,
    ids(expected.strategies.map(({ id }) => id)),
    ids(actualIds),
  );
  for (const { strategyId, segmentIds, ...actual } of strategies) {
    const stored = expected.strategies.find(({ id }) => id === strategyId);
    if (!stored) continue;
    const { id: _, segmentIds: held, constraints, ...rest } = stored;
    const { constraints: shown, ...others } = actual;
    tally.equal(`strategy of ${where}`, rest, others);
    tally.equal(
      `constraints of ${where}`,
      JSON.stringify((constraints as { values: unknown }[]).map(({ values }) => values)),
      JSON.stringify((shown as { values: unknown }[]).map(({ values }) => values)),
    );
    if (segmentIds === null) tally.unknown();
    else
      tally.equal(
        `segments of ${where}`,
        held,
        segmentIds.toSorted((a, b) => a - b),
      );
  }
};

const compareEnvironment = (
  where: string,
  expected: EnvironmentState,
  actual: EnvironmentAsOf,
  tally: Tally,
): void => {
  if (actual.state === 'UNKNOWN') tally.unknown();
  else tally.equal(`state of ${where}`, expected.enabled ? 'ENABLED' : 'DISABLED', actual.state);
  if (actual.inProject === null) tally.unknown();
  else tally.equal(`inProject of ${where}`, expected.inProject, actual.inProject);
  compareStrategies(where, expected, actual, tally);
  if (actual.variants === null) tally.unknown();
  else {
    const names = (expected.variants as { name: string }[]).map(({ name }) => name);
    tally.equal(
      `variants of ${where}`,
      names,
      actual.variants.map(({ name }) => name),
    );
  }
};

/** Compares a replayed feature with the tables at that time; undefined means that there was none. */
export const compareState = (
  where: string,
  expected: FeatureState | undefined,
  actual: FeatureAsOf,
  tally: Tally,
): void => {
  if (!expected) {
    tally.equal(
      `existence of ${where}`,
      true,
      ['DELETED', 'NOT_YET_CREATED'].includes(actual.existence) && !actual.contradicted,
    );
    return;
  }
  tally.equal(`existence of ${where}`, 'EXISTED', actual.existence);
  for (const [field, aspect] of ASPECTS) {
    if (actual.unknown.includes(aspect)) tally.unknown();
    else tally.equal(`${field} of ${where}`, expected[field], actual[field]);
  }
  for (const environment of actual.environments) {
    const { environmentName } = environment;
    const state = expected.environments[environmentName];
    if (state) compareEnvironment(`${where} in ${environmentName}`, state, environment, tally);
  }
};
