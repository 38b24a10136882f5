import type { Clock } from '../clock.js';
import type { EnvironmentSpec, FeatureSpec, Tag } from '../feature-spec.js';
import type { Author, PersonKey } from '../people.js';
import { PEOPLE, TEAMS } from '../people.js';
import { type Random, uuidOf } from '../random.js';
import type { StrategySpec, Variant } from '../strategies.js';
import { FEATURE_NAME_PLACEHOLDER } from '../strategies.js';
import type { EventDraft } from './event-draft.js';

export type StrategyState = Omit<StrategySpec, 'earlier'> & {
  id: string;
  environment: string;
  sortOrder: number;
};

/** Mutable state of a feature while its history is generated. */
export type FeatureSimulation = {
  readonly spec: FeatureSpec;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventDraft[];
  project: string;
  description: string | null;
  stale: boolean;
  tags: Tag[];
  readonly enabled: Map<string, boolean>;
  readonly variants: Map<string, readonly Variant[]>;
  strategies: StrategyState[];
};

/** An action at a timestamp; actions run in chronological order. */
export type ScheduledChange = { at: Date; act: (simulation: FeatureSimulation, at: Date) => void };

export const strategyId = (feature: string, environment: string, index: number): string =>
  uuidOf(`${feature}/${environment}/${index}`);

/** The strategy as stored on a feature, with the placeholder for the feature's name replaced. */
export const withFeatureName = (
  { earlier: _, ...strategy }: StrategySpec,
  feature: string,
): Omit<StrategySpec, 'earlier'> => ({
  ...strategy,
  parameters: Object.fromEntries(
    Object.entries(strategy.parameters).map(([key, value]) => [
      key,
      value === FEATURE_NAME_PLACEHOLDER ? feature : value,
    ]),
  ),
});

export const environmentsOf = (spec: FeatureSpec): [string, EnvironmentSpec][] =>
  Object.entries(spec.environments);

/** Payload of feature-created, feature-metadata-updated and feature-deleted. */
export const metadataOf = ({ spec, clock, project, description, stale }: FeatureSimulation) => ({
  name: spec.name,
  description,
  type: spec.type,
  project,
  stale,
  createdAt: createdAt(spec, clock).toISOString(),
  lastSeenAt: null,
  impressionData: spec.impressionData ?? false,
  archivedAt: null,
  archived: false,
});

export const strategyData = ({ environment: _, ...strategy }: StrategyState) => ({
  id: strategy.id,
  name: strategy.name,
  title: strategy.title,
  disabled: strategy.disabled,
  constraints: strategy.constraints,
  parameters: strategy.parameters,
  variants: strategy.variants,
  sortOrder: strategy.sortOrder,
  segments: strategy.segments,
});

/** Spread over one hour by a hash of the name, so that features don't all start at the same minute. */
export const createdAt = ({ name, created }: FeatureSpec, clock: Clock): Date =>
  clock.at(created, 480 + (Number.parseInt(uuidOf(name).slice(0, 4), 16) % 60));

const dayOf = (at: Date, clock: Clock) =>
  Math.floor((at.getTime() - clock.today.getTime()) / 86_400_000);

/** A random member of the project's team who is employed on that day. */
export const randomTeamMember = (simulation: FeatureSimulation, at: Date): Author => {
  const day = dayOf(at, simulation.clock);
  const present = new Set(
    PEOPLE.filter(({ joined, left }) => joined < day && (left === undefined || day < left)).map(
      ({ key }) => key,
    ),
  );
  const team: readonly PersonKey[] = TEAMS[simulation.project] ?? [];
  const [first, ...others] = team.filter((key) => present.has(key));
  return first === undefined ? 'rootAdmin' : simulation.random.pick([first, ...others]);
};

/** Records an event of the feature with its current tags. */
export const record = (
  simulation: FeatureSimulation,
  at: Date,
  type: string,
  rest: Partial<Omit<EventDraft, 'at' | 'type'>> = {},
): void => {
  simulation.events.push({
    at,
    type,
    by: randomTeamMember(simulation, at),
    project: simulation.project,
    featureName: simulation.spec.name,
    tags: [...simulation.tags],
    ...rest,
  });
};
