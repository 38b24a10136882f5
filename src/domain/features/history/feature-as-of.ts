import type { EventRow } from '../../../data/events/event-rows.sql.js';
import { createPace } from '../../work.js';
import { backfillAspects, backfillVariants, laterThan } from './backfill.js';
import type { EnabledState } from './enabled-state.js';
import type { Aspects, EnvironmentState, Existence } from './feature-state.js';
import { isOwn } from './history-event.js';
import { replay } from './replay.js';

export type AspectName = keyof Aspects;

export type EnvironmentAsOf = Omit<EnvironmentState, 'enabled'> & {
  environment: string;
  state: Exclude<EnabledState, 'GONE'>;
};

/** A feature at a timestamp, as recorded in the log. */
export type FeatureAsOf = {
  time: Date;
  existence: Existence;
  /** Whether older events were omitted. */
  isPartial: boolean;
  lastEvent: EventRow | null;
  nextEvent: EventRow | null;
  aspects: Aspects;
  /** Aspects that the log does not record. */
  unknown: readonly AspectName[];
  environments: readonly EnvironmentAsOf[];
};

type AsOfInput = {
  time: Date;
  /** Events about the feature, oldest first, with at least the first ones after the timestamp. */
  events: readonly EventRow[];
  isCut: boolean;
  /** Timestamp of the first event; null if the log is empty. */
  began: number | null;
  /** Current environments of the feature, in order. */
  environments: readonly string[];
};

/** An event without a timestamp is placed by its ID: it is past if a later one is. */
const eventsUpTo = ({ events, time }: AsOfInput): readonly EventRow[] => {
  const upTo = events.filter(({ createdAt }) => createdAt === null || createdAt <= time);
  return upTo.slice(0, upTo.findLastIndex(({ createdAt }) => createdAt !== null) + 1);
};

/** The first event of the feature after the timestamp. */
const nextOf = ({ events, time }: AsOfInput): EventRow | null =>
  events.find(
    ({ featureName, createdAt }) => featureName !== null && createdAt !== null && createdAt > time,
  ) ?? null;

const existenceOf = (
  recorded: Existence,
  events: readonly EventRow[],
  { isCut, began, time }: AsOfInput,
  next: EventRow | null,
): Existence => {
  const hasLogBegun = began !== null && began <= time.getTime();
  const isUnrecorded = recorded === 'UNKNOWN' && !isCut && hasLogBegun;
  const isBornLater = next?.type === 'feature-created';
  return isUnrecorded && isBornLater && !events.some(isOwn) ? 'NOT_YET_CREATED' : recorded;
};

/** Current environments of the feature, and those that its own events name. */
const environmentNames = (
  events: readonly EventRow[],
  environments: ReadonlyMap<string, unknown>,
  currentEnvironments: readonly string[],
): string[] => {
  const named = new Set(events.flatMap((event) => (event.featureName && event.environment) || []));
  for (const name of currentEnvironments) named.delete(name);
  return [...currentEnvironments, ...[...named].filter((name) => environments.has(name)).sort()];
};

/**
 * Replays the events up to a timestamp; what remains unknown comes from later events that record the previous state.
 */
export const featureAsOf = async (input: AsOfInput): Promise<FeatureAsOf> => {
  const pace = createPace();
  const events = eventsUpTo(input);
  const { environments, elsewhere, ...state } = await replay(events);
  const next = nextOf(input);
  await pace();
  const existence = existenceOf(state.existence, events, input, next);
  const isNothing = existence === 'NOT_YET_CREATED' || existence === 'DELETED';

  const later = existence === 'EXISTED' ? laterThan(input.events, input.time) : [];
  const aspects = backfillAspects(state.aspects, later);
  await pace();
  const names = isNothing ? [] : environmentNames(events, environments, input.environments);
  return {
    time: input.time,
    existence,
    isPartial: input.isCut,
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
        variants: backfillVariants(variants, environment, later),
      };
    }),
  };
};
