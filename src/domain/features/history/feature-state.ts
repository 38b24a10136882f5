import type { JsonObject } from '../../json.js';
import type { EnabledState } from './enabled-state.js';

/** What the log tells of something, or null where it does not tell. */
export type Told<Value> = { readonly value: Value } | null;

export const told = <Value>(value: Value): Told<Value> => ({ value });

export type TagState = { readonly type: string; readonly value: string };

export type DependencyState = {
  readonly feature: string;
  readonly enabled: boolean;
  readonly variants: readonly string[];
};

export type EnvironmentState = {
  readonly enabled: EnabledState;
  readonly strategies: Told<readonly JsonObject[]>;
  readonly variants: Told<readonly JsonObject[]>;
};

/** The aspects that are the same in every environment. */
export type Aspects = {
  readonly project: Told<string>;
  readonly type: Told<string | null>;
  readonly description: Told<string | null>;
  readonly stale: Told<boolean>;
  readonly impressionData: Told<boolean>;
  readonly archived: Told<boolean>;
  readonly tags: Told<readonly TagState[]>;
  readonly dependencies: Told<readonly DependencyState[]>;
};

export type Existence = 'EXISTED' | 'NOT_YET_CREATED' | 'DELETED' | 'UNKNOWN';

/** A feature at one moment, as far as the events up to it tell; it moves with every event replayed. */
export type FeatureState = {
  existence: Existence;
  aspects: Aspects;
  environments: Map<string, EnvironmentState>;
  /** What holds in every environment that no event has named. */
  elsewhere: EnvironmentState;
};

export const NO_ASPECTS: Aspects = {
  project: null,
  type: null,
  description: null,
  stale: null,
  impressionData: null,
  archived: null,
  tags: null,
  dependencies: null,
};

/** Where a replay starts. */
export const nothingTold = (existence: Existence): FeatureState => ({
  existence,
  aspects: NO_ASPECTS,
  environments: new Map(),
  elsewhere: { enabled: 'UNKNOWN', strategies: null, variants: null },
});
