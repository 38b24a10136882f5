import type { Clock } from '../clock.js';
import type { EnvironmentSpec, FeatureSpec, Tag } from '../feature-spec.js';
import type { Author, PersonKey } from '../people.js';
import { PEOPLE, TEAMS } from '../people.js';
import { type Random, uuidOf } from '../random.js';
import type { StrategySpec, Variant } from '../strategies.js';
import { OWN_NAME } from '../strategies.js';
import type { EventDraft } from './event-draft.js';

export type LivingStrategy = Omit<StrategySpec, 'earlier'> & {
  id: string;
  environment: string;
  sortOrder: number;
};

/** What is true of a feature at one moment of its life; it moves with every event recorded. */
export type Life = {
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
  strategies: LivingStrategy[];
};

/** Something due at a time, done when the ones before it are done. */
export type Due = { at: Date; act: (life: Life, at: Date) => void };

export const strategyId = (feature: string, environment: string, index: number): string =>
  uuidOf(`${feature}/${environment}/${index}`);

/** The strategy as it stands on a feature, with the placeholder for the feature's name filled in. */
export const placed = (
  { earlier: _, ...strategy }: StrategySpec,
  feature: string,
): Omit<StrategySpec, 'earlier'> => ({
  ...strategy,
  parameters: Object.fromEntries(
    Object.entries(strategy.parameters).map(([key, value]) => [
      key,
      value === OWN_NAME ? feature : value,
    ]),
  ),
});

export const environmentsOf = (spec: FeatureSpec): [string, EnvironmentSpec][] =>
  Object.entries(spec.environments);

/** The feature as feature-created, feature-metadata-updated and feature-deleted tell it. */
export const metadataOf = ({ spec, clock, project, description, stale }: Life) => ({
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

export const strategyData = ({ environment: _, ...strategy }: LivingStrategy) => ({
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

/** Spread over the morning by the name alone, so that no two features start at the same minute by rule. */
export const createdAt = ({ name, created }: FeatureSpec, clock: Clock): Date =>
  clock.at(created, 480 + (Number.parseInt(uuidOf(name).slice(0, 4), 16) % 60));

const dayOf = (at: Date, clock: Clock) =>
  Math.floor((at.getTime() - clock.today.getTime()) / 86_400_000);

/** Somebody of the project's team who is with the company on that day. */
export const someoneFor = (life: Life, at: Date): Author => {
  const day = dayOf(at, life.clock);
  const present = new Set(
    PEOPLE.filter(({ joined, left }) => joined < day && (left === undefined || day < left)).map(
      ({ key }) => key,
    ),
  );
  const team: readonly PersonKey[] = TEAMS[life.project] ?? [];
  const [first, ...others] = team.filter((key) => present.has(key));
  return first === undefined ? 'rootAdmin' : life.random.pick([first, ...others]);
};

/** Writes one event of the feature, with the tags it has at that moment. */
export const record = (
  life: Life,
  at: Date,
  type: string,
  rest: Partial<Omit<EventDraft, 'at' | 'type'>> = {},
): void => {
  life.events.push({
    at,
    type,
    by: someoneFor(life, at),
    project: life.project,
    featureName: life.spec.name,
    tags: [...life.tags],
    ...rest,
  });
};
