import type { EventRow } from '../../../data/events/event-rows.sql.js';
import { createPace } from '../../work.js';
import { backfillAspects, backfillVariants, laterThan } from './backfill.js';
import { confirmStrategies, type StrategyFuture } from './confirm-strategies.js';
import type { EnabledState } from './enabled-state.js';
import type { Aspects, EnvironmentState, Existence } from './feature-state.js';
import { isOwn } from './history-event.js';
import { hadEnvironment } from './project-environments.js';
import { replay } from './replay.js';

export type AspectName = keyof Aspects;

/** Parts of a feature in one environment that may be unknown. */
export type EnvironmentAspect =
  | 'state'
  | 'inProject'
  | 'strategies'
  | 'strategyOrder'
  | 'segments'
  | 'variants';

export type EnvironmentAsOf = Omit<EnvironmentState, 'enabled'> & {
  environment: string;
  state: Exclude<EnabledState, 'GONE'>;
  /** Whether the project had the environment; null if unknown. */
  isInProject: boolean | null;
  unknown: readonly EnvironmentAspect[];
};

/** A feature at a timestamp, as recorded in the log. */
export type FeatureAsOf = {
  time: Date;
  existence: Existence;
  /** Whether the feature exists although the log ends with its deletion. */
  isContradicted: boolean;
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
  /** Current environments of projects. */
  environmentsOfProject: ReadonlyMap<string, ReadonlySet<string>>;
  strategies: StrategyFuture;
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

/** The current feature of this name must have been created after its last deletion. */
const isDeletionContradicted = (existence: Existence, next: EventRow | null): boolean =>
  existence === 'DELETED' && next?.type !== 'feature-created' && next?.type !== 'feature-import';

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

type ReplayedEnvironment = Omit<EnvironmentAsOf, 'unknown'>;

const unknownIn = ({ state, isInProject, strategies, variants }: ReplayedEnvironment) => {
  const isUnknown: Record<EnvironmentAspect, boolean> = {
    state: state === 'UNKNOWN',
    inProject: isInProject === null,
    strategies: strategies === null,
    strategyOrder: strategies?.isOrderUnknown ?? false,
    segments: strategies?.value.some(({ segments }) => segments === null) ?? false,
    variants: variants === null,
  };
  return (Object.keys(isUnknown) as EnvironmentAspect[]).filter((name) => isUnknown[name]);
};

/** A replayed environment, checked against what later events and the database say. */
const environmentAsOf = (
  name: string,
  { enabled, strategies, variants }: EnvironmentState,
  input: AsOfInput,
  project: string | null,
  later: readonly EventRow[],
): EnvironmentAsOf => {
  const { time, events, environmentsOfProject } = input;
  const present = project === null ? null : (environmentsOfProject.get(project) ?? null);
  const replayed = {
    environment: name,
    state: enabled === 'GONE' ? ('UNKNOWN' as const) : enabled,
    isInProject: hadEnvironment(events, time, { project, environment: name }, present),
    strategies: confirmStrategies(strategies, name, time, input.strategies),
    variants: backfillVariants(variants, name, later),
  };
  return { ...replayed, unknown: unknownIn(replayed) };
};

/**
 * Replays the events up to a timestamp; what remains unknown comes from later events that record the previous state.
 */
export const featureAsOf = async (input: AsOfInput): Promise<FeatureAsOf> => {
  const pace = createPace();
  const events = eventsUpTo(input);
  await pace();
  const { environments, elsewhere, ...state } = await replay(events);
  const next = nextOf(input);
  await pace();
  const existence = existenceOf(state.existence, events, input, next);
  const isNothing = existence === 'NOT_YET_CREATED' || existence === 'DELETED';

  const later = existence === 'EXISTED' ? laterThan(input.events, input.time) : [];
  const aspects = backfillAspects(state.aspects, later);
  await pace();
  const names = isNothing ? [] : environmentNames(events, environments, input.environments);
  const rows: EnvironmentAsOf[] = [];
  for (const name of names) {
    const environment = environments.get(name) ?? elsewhere;
    const project = aspects.project?.value ?? null;
    rows.push(environmentAsOf(name, environment, input, project, later));
    await pace();
  }
  return {
    time: input.time,
    existence,
    isContradicted: isDeletionContradicted(existence, next),
    isPartial: input.isCut,
    lastEvent: events.findLast(isOwn) ?? null,
    nextEvent: next,
    aspects,
    unknown: isNothing
      ? []
      : (Object.keys(aspects) as AspectName[]).filter((name) => aspects[name] === null),
    environments: rows,
  };
};
