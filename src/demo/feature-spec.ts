import type { Author, PersonKey } from './people.js';
import type { StrategySpec, Variant } from './strategies.js';

export type Tag = { value: string; type: string };

export type EnvironmentSpec = {
  enabled: boolean;
  strategies: readonly StrategySpec[];
  variants: readonly Variant[];
  /** Days between creation and the first time it is enabled. */
  after: number;
  /** Hours before today when it was last seen; null for never. */
  seen: number | null;
};

/** A feature's current state, plus the past changes that cannot be derived from it. */
export type FeatureSpec = {
  name: string;
  project: string;
  type: string;
  description: string | null;
  by: Author;
  created: number;
  environments: Readonly<Record<string, EnvironmentSpec>>;
  tags?: readonly Tag[];
  impressionData?: boolean;
  parent?: { feature: string; enabled: boolean; variants: readonly string[] };
  favoriteOf?: readonly PersonKey[];
  /** A previous description. */
  previousDescription?: string | null;
  /** Day of each change. */
  stale?: number;
  archived?: number;
  revived?: number;
  deleted?: number;
  completed?: { day: number; status: 'kept' | 'discarded' };
  moved?: { day: number; from: string };
  /** Imported from another feature-flag service instead of created in Unleash. */
  imported?: boolean;
  /** Legacy last-seen value on the feature itself, in hours before today. */
  legacyLastSeen?: number;
  /** Random changes per week, in addition to those that lead to the current state. Default 2. */
  changesPerWeek?: number;
};

const environment =
  (enabled: boolean) =>
  (...strategies: readonly StrategySpec[]) =>
  (more: Partial<EnvironmentSpec> = {}): EnvironmentSpec => ({
    enabled,
    strategies,
    variants: [],
    after: 0,
    seen: enabled ? 1 : null,
    ...more,
  });

export const on = environment(true);
export const off = environment(false);

/** Features of one project; omitted environments are disabled and have no strategies. */
export const featuresOf =
  (project: string, environments: readonly string[]) =>
  (specs: readonly Omit<FeatureSpec, 'project'>[]): FeatureSpec[] =>
    specs.map((spec) => ({
      project,
      ...spec,
      environments: Object.fromEntries(
        environments.map((name) => [name, spec.environments[name] ?? off()()]),
      ),
    }));

export const team = (value: string): Tag => ({ value, type: 'team' });
export const simple = (value: string): Tag => ({ value, type: 'simple' });
