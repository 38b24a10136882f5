import type { EventRow } from '../../events/event-query.js';
import type { EnabledState } from './enabled-state.js';
import type { Aspects, EnvironmentState, Existence } from './feature-state.js';
import { isOwn } from './history-event.js';
import { replay } from './replay.js';
import { aspectsToldLater, laterThan, variantsToldLater } from './told-later.js';

export type AspectName = keyof Aspects;

export type EnvironmentAsOf = Omit<EnvironmentState, 'enabled'> & {
  environment: string;
  state: Exclude<EnabledState, 'GONE'>;
};

/** A feature as the log tells it stood at a moment. */
export type FeatureAsOf = {
  time: Date;
  existence: Existence;
  /** Whether older events were left out. */
  isPartial: boolean;
  lastEvent: EventRow | null;
  nextEvent: EventRow | null;
  aspects: Aspects;
  /** What the log cannot tell. */
  unknown: readonly AspectName[];
  environments: readonly EnvironmentAsOf[];
};

type Telling = {
  time: Date;
  /** Those that concern the feature, oldest first, and at least the first ones after the moment. */
  events: readonly EventRow[];
  isCut: boolean;
  /** When the log began; null while it is empty. */
  began: number | null;
  /** The environments the feature has today, in their order. */
  places: readonly string[];
};

/** An event without a time stands where its number puts it: it happened if a later one has. */
const happened = ({ events, time }: Telling): readonly EventRow[] => {
  const upTo = events.filter(({ createdAt }) => createdAt === null || createdAt <= time);
  return upTo.slice(0, upTo.findLastIndex(({ createdAt }) => createdAt !== null) + 1);
};

/** The first event of the feature after the moment. */
const nextOf = ({ events, time }: Telling): EventRow | null =>
  events.find(
    ({ featureName, createdAt }) => featureName !== null && createdAt !== null && createdAt > time,
  ) ?? null;

const existenceOf = (
  told: Existence,
  events: readonly EventRow[],
  { isCut, began, time }: Telling,
  next: EventRow | null,
): Existence => {
  const hasLogBegun = began !== null && began <= time.getTime();
  const isUntold = told === 'UNKNOWN' && !isCut && hasLogBegun;
  const isBornLater = next?.type === 'feature-created';
  return isUntold && isBornLater && !events.some(isOwn) ? 'NOT_YET_CREATED' : told;
};

/** The environments the feature has today, and those that its own events name. */
const placesOf = (
  events: readonly EventRow[],
  environments: ReadonlyMap<string, unknown>,
  places: readonly string[],
): string[] => {
  const named = new Set(events.flatMap((event) => (event.featureName && event.environment) || []));
  for (const place of places) named.delete(place);
  return [...places, ...[...named].filter((name) => environments.has(name)).sort()];
};

/** Replays what is known of a feature up to a moment, and asks the later events what was before them. */
export const featureAsOf = (telling: Telling): FeatureAsOf => {
  const events = happened(telling);
  const { environments, elsewhere, ...state } = replay(events);
  const next = nextOf(telling);
  const existence = existenceOf(state.existence, events, telling, next);
  const isNothing = existence === 'NOT_YET_CREATED' || existence === 'DELETED';

  const later = existence === 'EXISTED' ? laterThan(telling.events, telling.time) : [];
  const aspects = aspectsToldLater(state.aspects, later);
  const names = isNothing ? [] : placesOf(events, environments, telling.places);
  return {
    time: telling.time,
    existence,
    isPartial: telling.isCut,
    lastEvent: events.findLast(isOwn) ?? null,
    nextEvent: next,
    aspects,
    unknown: isNothing
      ? []
      : (Object.keys(aspects) as AspectName[]).filter((name) => aspects[name] === null),
    environments: names.map((environment) => {
      const { enabled, strategies, variants } = environments.get(environment) ?? elsewhere;
      return {
        environment,
        state: enabled === 'GONE' ? 'UNKNOWN' : enabled,
        strategies,
        variants: variantsToldLater(variants, environment, later),
      };
    }),
  };
};
