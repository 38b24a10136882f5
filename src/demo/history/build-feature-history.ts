import { type Clock, minutesAfter } from '../clock.js';
import type { FeatureSpec } from '../feature-spec.js';
import { createRandom, seedOf } from '../random.js';
import * as change from './changes.js';
import type { EventDraft } from './event-draft.js';
import {
  createdAt,
  environmentsOf,
  type FeatureSimulation,
  metadataOf,
  record,
  type ScheduledChange,
  type StrategyState,
  strategyId,
  withFeatureName,
} from './feature-simulation.js';
import { milestonesOf } from './milestones.js';
import { applyRandomChange } from './random-changes.js';

const MORNING = 540;
const AFTERNOON = 780;

const startSimulation = (spec: FeatureSpec, clock: Clock): FeatureSimulation => ({
  spec,
  clock,
  random: createRandom(seedOf(spec.name)),
  events: [],
  project: spec.moved?.from ?? spec.project,
  description: spec.previousDescription === undefined ? spec.description : spec.previousDescription,
  stale: false,
  tags: [],
  enabled: new Map(environmentsOf(spec).map(([name]) => [name, false])),
  variants: new Map(),
  strategies: [],
});

/** Every version of each strategy; the first is the one that is added. */
const strategyVersions = (spec: FeatureSpec) =>
  environmentsOf(spec).flatMap(([environment, { strategies }]) =>
    strategies.map((strategy, sortOrder) => {
      const present: StrategyState = {
        ...withFeatureName(strategy, spec.name),
        id: strategyId(spec.name, environment, sortOrder),
        environment,
        sortOrder,
      };
      const earlier = strategy.earlier.map((difference) => ({
        ...present,
        ...withFeatureName({ ...strategy, ...difference }, spec.name),
      }));
      return [...earlier, present];
    }),
  );

/** Creates the feature, then adds tags, strategies, variants and parent. */
const setUp = (simulation: FeatureSimulation): void => {
  const { spec, clock, random } = simulation;
  let time = createdAt(spec, clock);
  const next = () => {
    time = minutesAfter(time, random.int(1, 4));
    return time;
  };

  const origin = spec.imported ? 'feature-import' : 'feature-created';
  record(simulation, time, origin, { by: spec.by, data: metadataOf(simulation) });
  if (!spec.imported) for (const tag of spec.tags ?? []) change.tag(simulation, next(), tag);
  for (const [first] of strategyVersions(spec))
    if (first) change.addStrategy(simulation, next(), first);
  for (const [environment, { variants }] of environmentsOf(spec)) {
    if (variants.length > 0) change.setVariants(simulation, next(), environment, variants);
  }
  if (spec.parent) {
    const { feature, enabled, variants } = spec.parent;
    const data = { feature, enabled, variants: [...variants] };
    record(simulation, next(), 'feature-dependency-added', { data });
  }
  // INITIAL_EVENTS contains the import of its tags.
  if (spec.imported) simulation.tags = [...(spec.tags ?? [])];
};

/**
 * Steps towards the current state and routine changes, on random half days from the second day to the last full one.
 */
const dailyWork = (
  spec: FeatureSpec,
  clock: Clock,
  random: FeatureSimulation['random'],
): ScheduledChange[] => {
  const days = (spec.archived ?? 0) - 1 - spec.created;
  const steps = strategyVersions(spec).flatMap((versions) =>
    versions.slice(1).map((version): ScheduledChange['act'] => (simulation, at) => {
      const { id, parameters } = version;
      change.updateStrategy(simulation, at, id, { parameters });
    }),
  );
  if (spec.previousDescription !== undefined) {
    steps.push((simulation, at) => change.describe(simulation, at, spec.description));
  }

  const halfDays = Array.from({ length: Math.max(days, 0) * 2 }, (_, i) => i);
  const targetCount = steps.length + Math.round((days / 7) * (spec.changesPerWeek ?? 2));
  const chosen = random.shuffle(halfDays).slice(0, targetCount);
  const forSteps = chosen.slice(0, steps.length).sort((a, b) => a - b);
  return chosen.map((halfDay): ScheduledChange => {
    const start = halfDay % 2 === 0 ? MORNING : AFTERNOON;
    const at = clock.at(spec.created + 1 + (halfDay >> 1), start + random.int(0, 110));
    return { at, act: steps[forSteps.indexOf(halfDay)] ?? applyRandomChange };
  });
};

/** All events of one feature, from its creation to today or to its deletion. */
export const buildFeatureHistory = (spec: FeatureSpec, clock: Clock): EventDraft[] => {
  const simulation = startSimulation(spec, clock);
  setUp(simulation);

  const scheduled = [...dailyWork(spec, clock, simulation.random), ...milestonesOf(spec, clock)];
  for (const { at, act } of scheduled.sort((a, b) => a.at.getTime() - b.at.getTime()))
    act(simulation, at);
  return simulation.events;
};
