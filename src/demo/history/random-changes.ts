import { minutesAfter } from '../clock.js';
import { simple } from '../feature-spec.js';
import { PEOPLE } from '../people.js';
import { uuidOf } from '../random.js';
import { users } from '../strategies.js';
import * as change from './changes.js';
import {
  environmentsOf,
  type FeatureSimulation,
  record,
  withFeatureName,
} from './feature-simulation.js';

/**
 * A change between milestones and its reversal, so that the feature ends in its current state.
 * Returns false if the feature has nothing to apply it to.
 */
type RandomChange = (simulation: FeatureSimulation, first: Date, second: Date) => boolean;

const flipEnvironment: RandomChange = (simulation, first, second) => {
  const [head, ...tail] = [...simulation.enabled.keys()];
  if (head === undefined) return false;

  const environment = simulation.random.pick([head, ...tail]);
  const enabled = simulation.enabled.get(environment) ?? false;
  change.switchEnvironment(simulation, first, environment, !enabled);
  change.switchEnvironment(simulation, second, environment, enabled);
  return true;
};

const pauseStrategy: RandomChange = (simulation, first, second) => {
  const [head, ...tail] = simulation.strategies;
  if (!head) return false;

  const { id, disabled } = simulation.random.pick([head, ...tail]);
  change.updateStrategy(simulation, first, id, { disabled: !disabled });
  change.updateStrategy(simulation, second, id, { disabled });
  return true;
};

const tryOnOneUser: RandomChange = (simulation, first, second) => {
  const environment = environmentsOf(simulation.spec)[0]?.[0];
  if (environment === undefined) return false;

  const trial = {
    ...withFeatureName(
      users(String(simulation.random.int(2000, 2999)), { title: 'Just me' }),
      simulation.spec.name,
    ),
    id: uuidOf(
      `${simulation.spec.name}/trial/${first.getTime() - simulation.clock.today.getTime()}`,
    ),
    environment,
    sortOrder: simulation.strategies.filter((strategy) => strategy.environment === environment)
      .length,
  };
  change.addStrategy(simulation, first, trial);
  change.removeStrategy(simulation, second, trial);
  return true;
};

const swapOrder: RandomChange = (simulation, first, second) => {
  const target = environmentsOf(simulation.spec).find(
    ([, { strategies }]) => strategies.length > 1,
  )?.[0];
  if (target === undefined) return false;

  const ids = simulation.strategies
    .filter(({ environment }) => environment === target)
    .sort((a, b) => a.sortOrder - b.sortOrder)
    .map(({ id }) => id);
  change.reorderStrategies(simulation, first, target, ids.toReversed());
  change.reorderStrategies(simulation, second, target, ids);
  return true;
};

const markForReview: RandomChange = (simulation, first, second) => {
  const review = simple('needs-review');
  change.tag(simulation, first, review);
  change.untag(simulation, second, review);
  return true;
};

const mistypeDescription: RandomChange = (simulation, first, second) => {
  const { description } = simulation;
  change.describe(simulation, first, `${(description ?? '').slice(0, 60)} (to be reviewed)`);
  change.describe(simulation, second, description);
  return true;
};

const favorBriefly: RandomChange = (simulation, first, second) => {
  const day = Math.floor((first.getTime() - simulation.clock.today.getTime()) / 86_400_000);
  const outsiders = PEOPLE.filter(
    ({ key, joined, left }) =>
      joined < day &&
      (left === undefined || day < left) &&
      !simulation.spec.favoriteOf?.includes(key),
  ).map(({ key }) => key);
  const [head, ...tail] = outsiders;
  if (head === undefined) return false;

  const by = simulation.random.pick([head, ...tail]);
  record(simulation, first, 'feature-favorited', { by, data: { feature: simulation.spec.name } });
  record(simulation, second, 'feature-unfavorited', {
    by,
    data: { feature: simulation.spec.name },
  });
  return true;
};

const shiftWeights: RandomChange = (simulation, first, second) => {
  const varied = [...simulation.variants].find(([, variants]) => variants.length > 1);
  if (!varied) return false;

  const [environment, variants] = varied;
  change.setVariants(simulation, first, environment, variants.slice(1));
  change.setVariants(simulation, second, environment, variants);
  return true;
};

const markStaleBriefly: RandomChange = (simulation, first, second) => {
  if (simulation.stale) return false;

  record(simulation, first, 'feature-stale-on');
  record(simulation, second, 'feature-stale-off');
  return true;
};

const completeTooEarly: RandomChange = (simulation, first, second) => {
  if (simulation.spec.completed) return false;

  record(simulation, first, 'feature-completed', {
    data: { status: 'kept', statusValue: 'everybody' },
  });
  record(simulation, second, 'feature-uncompleted');
  return true;
};

const leaveParentBriefly: RandomChange = (simulation, first, second) => {
  const { parent } = simulation.spec;
  if (!parent) return false;

  if (simulation.random.int(0, 1) === 0) record(simulation, first, 'feature-dependencies-removed');
  else
    record(simulation, first, 'feature-dependency-removed', { data: { feature: parent.feature } });
  record(simulation, second, 'feature-dependency-added', {
    data: { feature: parent.feature, enabled: parent.enabled, variants: [...parent.variants] },
  });
  return true;
};

/** Repeated entries are more likely. */
const RANDOM_CHANGES: readonly [RandomChange, ...RandomChange[]] = [
  flipEnvironment,
  flipEnvironment,
  flipEnvironment,
  flipEnvironment,
  flipEnvironment,
  pauseStrategy,
  pauseStrategy,
  pauseStrategy,
  tryOnOneUser,
  tryOnOneUser,
  swapOrder,
  swapOrder,
  markForReview,
  markForReview,
  mistypeDescription,
  favorBriefly,
  shiftWeights,
  shiftWeights,
  markStaleBriefly,
  completeTooEarly,
  leaveParentBriefly,
  leaveParentBriefly,
];

/** Records a change, and its reversal some minutes later. */
export const applyRandomChange = (simulation: FeatureSimulation, at: Date): void => {
  const later = minutesAfter(at, simulation.random.int(4, 80));
  const done = simulation.random.pick(RANDOM_CHANGES)(simulation, at, later);
  if (!done) flipEnvironment(simulation, at, later);
};
