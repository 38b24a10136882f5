import { type Clock, minutesAfter } from '../clock.js';
import type { FeatureSpec } from '../feature-spec.js';
import { createRandom, seedOf } from '../random.js';
import * as change from './changes.js';
import type { EventDraft } from './event-draft.js';
import {
  createdAt,
  type Due,
  environmentsOf,
  type Life,
  type LivingStrategy,
  metadataOf,
  placed,
  record,
  strategyId,
} from './feature-life.js';
import { milestonesOf } from './milestones.js';
import { doRoutine } from './routine.js';

const MORNING = 540;
const AFTERNOON = 780;

const born = (spec: FeatureSpec, clock: Clock): Life => ({
  spec,
  clock,
  random: createRandom(seedOf(spec.name)),
  events: [],
  project: spec.moved?.from ?? spec.project,
  description: spec.formerly === undefined ? spec.description : spec.formerly,
  stale: false,
  tags: [],
  enabled: new Map(environmentsOf(spec).map(([name]) => [name, false])),
  variants: new Map(),
  strategies: [],
});

/** Each strategy with the versions it goes through, the first being how it was added. */
const strategyVersions = (spec: FeatureSpec) =>
  environmentsOf(spec).flatMap(([environment, { strategies }]) =>
    strategies.map((strategy, sortOrder) => {
      const present: LivingStrategy = {
        ...placed(strategy, spec.name),
        id: strategyId(spec.name, environment, sortOrder),
        environment,
        sortOrder,
      };
      const earlier = strategy.earlier.map((difference) => ({
        ...present,
        ...placed({ ...strategy, ...difference }, spec.name),
      }));
      return [...earlier, present];
    }),
  );

/** The first hours: created, tagged, given its strategies, variants and parent. */
const setUp = (life: Life): void => {
  const { spec, clock, random } = life;
  let time = createdAt(spec, clock);
  const next = () => {
    time = minutesAfter(time, random.int(1, 4));
    return time;
  };

  const origin = spec.imported ? 'feature-import' : 'feature-created';
  record(life, time, origin, { by: spec.by, data: metadataOf(life) });
  if (!spec.imported) for (const tag of spec.tags ?? []) change.tag(life, next(), tag);
  for (const [first] of strategyVersions(spec)) if (first) change.addStrategy(life, next(), first);
  for (const [environment, { variants }] of environmentsOf(spec)) {
    if (variants.length > 0) change.setVariants(life, next(), environment, variants);
  }
  if (spec.parent) {
    const { feature, enabled, variants } = spec.parent;
    const data = { feature, enabled, variants: [...variants] };
    record(life, next(), 'feature-dependency-added', { data });
  }
  // The import of its tags is an event of the first days.
  if (spec.imported) life.tags = [...(spec.tags ?? [])];
};

/** Steps towards the present state, spread among the half days from the second day to the last full one. */
const dailyWork = (spec: FeatureSpec, clock: Clock, random: Life['random']): Due[] => {
  const days = (spec.archived ?? 0) - 1 - spec.created;
  const steps = strategyVersions(spec).flatMap((versions) =>
    versions.slice(1).map((version): Due['act'] => (life, at) => {
      const { id, parameters } = version;
      change.updateStrategy(life, at, id, { parameters });
    }),
  );
  if (spec.formerly !== undefined) {
    steps.push((life, at) => change.describe(life, at, spec.description));
  }

  const halfDays = Array.from({ length: Math.max(days, 0) * 2 }, (_, i) => i);
  const wanted = steps.length + Math.round((days / 7) * (spec.pace ?? 2));
  const chosen = random.shuffle(halfDays).slice(0, wanted);
  const forSteps = chosen.slice(0, steps.length).sort((a, b) => a - b);
  return chosen.map((halfDay): Due => {
    const start = halfDay % 2 === 0 ? MORNING : AFTERNOON;
    const at = clock.at(spec.created + 1 + (halfDay >> 1), start + random.int(0, 110));
    return { at, act: steps[forSteps.indexOf(halfDay)] ?? doRoutine };
  });
};

/** All events of one feature, from its creation to today or to its end. */
export const lifeOfFeature = (spec: FeatureSpec, clock: Clock): EventDraft[] => {
  const life = born(spec, clock);
  setUp(life);

  const due = [...dailyWork(spec, clock, life.random), ...milestonesOf(spec, clock)];
  for (const { at, act } of due.sort((a, b) => a.at.getTime() - b.at.getTime())) act(life, at);
  return life.events;
};
