import type { Author, PersonKey } from './people.js';
import type { StrategySpec, Variant } from './strategies.js';

export type Tag = { value: string; type: string };

export type EnvironmentSpec = {
  enabled: boolean;
  strategies: readonly StrategySpec[];
  variants: readonly Variant[];
  /** Days after the feature's creation on which it was switched on. */
  after: number;
  /** Hours before today of the last sign of life; null for never. */
  seen: number | null;
};

/** A feature as it stands today, and the few turns of its life that cannot be told from that. */
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
  /** A description it had before. */
  formerly?: string | null;
  /** Days of what happened to it. */
  stale?: number;
  archived?: number;
  revived?: number;
  deleted?: number;
  completed?: { day: number; status: 'kept' | 'discarded' };
  moved?: { day: number; from: string };
  /** Came from an export of another service instead of being created here. */
  imported?: boolean;
  /** The legacy figure on the feature itself, in hours before today. */
  seenBefore?: number;
  /** Changes per week, apart from those the present state asks for. Default 2. */
  pace?: number;
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

/** Features of one project; environments left out are off and without strategies. */
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
