import { minutesAfter } from '../clock.js';
import { simple } from '../feature-spec.js';
import { PEOPLE } from '../people.js';
import { uuidOf } from '../random.js';
import { users } from '../strategies.js';
import * as change from './changes.js';
import { environmentsOf, type Life, placed, record } from './feature-life.js';

/**
 * What people do between the milestones: something, and a little later back again, so that the feature ends as the
 * tables say. Each answers false where the feature offers nothing to do it with.
 */
type Routine = (life: Life, first: Date, second: Date) => boolean;

const flipEnvironment: Routine = (life, first, second) => {
  const [head, ...tail] = [...life.enabled.keys()];
  if (head === undefined) return false;

  const environment = life.random.pick([head, ...tail]);
  const enabled = life.enabled.get(environment) ?? false;
  change.switchEnvironment(life, first, environment, !enabled);
  change.switchEnvironment(life, second, environment, enabled);
  return true;
};

const pauseStrategy: Routine = (life, first, second) => {
  const [head, ...tail] = life.strategies;
  if (!head) return false;

  const { id, disabled } = life.random.pick([head, ...tail]);
  change.updateStrategy(life, first, id, { disabled: !disabled });
  change.updateStrategy(life, second, id, { disabled });
  return true;
};

const tryOnOneUser: Routine = (life, first, second) => {
  const environment = environmentsOf(life.spec)[0]?.[0];
  if (environment === undefined) return false;

  const trial = {
    ...placed(users(String(life.random.int(2000, 2999)), { title: 'Just me' }), life.spec.name),
    id: uuidOf(`${life.spec.name}/trial/${first.getTime() - life.clock.today.getTime()}`),
    environment,
    sortOrder: life.strategies.filter((strategy) => strategy.environment === environment).length,
  };
  change.addStrategy(life, first, trial);
  change.removeStrategy(life, second, trial);
  return true;
};

const swapOrder: Routine = (life, first, second) => {
  const crowded = environmentsOf(life.spec).find(
    ([, { strategies }]) => strategies.length > 1,
  )?.[0];
  if (crowded === undefined) return false;

  const ids = life.strategies
    .filter(({ environment }) => environment === crowded)
    .sort((a, b) => a.sortOrder - b.sortOrder)
    .map(({ id }) => id);
  change.reorderStrategies(life, first, crowded, ids.toReversed());
  change.reorderStrategies(life, second, crowded, ids);
  return true;
};

const markForReview: Routine = (life, first, second) => {
  const review = simple('needs-review');
  change.tag(life, first, review);
  change.untag(life, second, review);
  return true;
};

const mistypeDescription: Routine = (life, first, second) => {
  const { description } = life;
  change.describe(life, first, `${(description ?? '').slice(0, 60)} (to be reviewed)`);
  change.describe(life, second, description);
  return true;
};

const favorBriefly: Routine = (life, first, second) => {
  const day = Math.floor((first.getTime() - life.clock.today.getTime()) / 86_400_000);
  const strangers = PEOPLE.filter(
    ({ key, joined, left }) =>
      joined < day && (left === undefined || day < left) && !life.spec.favoriteOf?.includes(key),
  ).map(({ key }) => key);
  const [head, ...tail] = strangers;
  if (head === undefined) return false;

  const by = life.random.pick([head, ...tail]);
  record(life, first, 'feature-favorited', { by, data: { feature: life.spec.name } });
  record(life, second, 'feature-unfavorited', { by, data: { feature: life.spec.name } });
  return true;
};

const shiftWeights: Routine = (life, first, second) => {
  const varied = [...life.variants].find(([, variants]) => variants.length > 1);
  if (!varied) return false;

  const [environment, variants] = varied;
  change.setVariants(life, first, environment, variants.slice(1));
  change.setVariants(life, second, environment, variants);
  return true;
};

const markStaleBriefly: Routine = (life, first, second) => {
  if (life.stale) return false;

  record(life, first, 'feature-stale-on');
  record(life, second, 'feature-stale-off');
  return true;
};

const completeTooEarly: Routine = (life, first, second) => {
  if (life.spec.completed) return false;

  record(life, first, 'feature-completed', { data: { status: 'kept', statusValue: 'everybody' } });
  record(life, second, 'feature-uncompleted');
  return true;
};

const leaveParentBriefly: Routine = (life, first, second) => {
  const { parent } = life.spec;
  if (!parent) return false;

  if (life.random.int(0, 1) === 0) record(life, first, 'feature-dependencies-removed');
  else record(life, first, 'feature-dependency-removed', { data: { feature: parent.feature } });
  record(life, second, 'feature-dependency-added', {
    data: { feature: parent.feature, enabled: parent.enabled, variants: [...parent.variants] },
  });
  return true;
};

/** The common ones stand here more than once. */
const ROUTINES: readonly [Routine, ...Routine[]] = [
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

/** Two events, the second some minutes after the first. */
export const doRoutine = (life: Life, at: Date): void => {
  const later = minutesAfter(at, life.random.int(4, 80));
  const done = life.random.pick(ROUTINES)(life, at, later);
  if (!done) flipEnvironment(life, at, later);
};
