import type { JsonObject } from '../../json.js';
import type { EnabledState } from './enabled-state.js';

/** A value that the log records, or null if it does not. */
export type Recorded<Value> = { readonly value: Value } | null;

export const recorded = <Value>(value: Value): Recorded<Value> => ({ value });

export type TagState = { readonly type: string; readonly value: string };

export type DependencyState = {
  readonly feature: string;
  readonly enabled: boolean;
  readonly variants: readonly string[];
};

/** Strategies in order, unless the log does not record it; `segments: null` means that these are unknown. */
export type Strategies = {
  readonly value: readonly JsonObject[];
  readonly isOrderUnknown?: true;
} | null;

export type EnvironmentState = {
  readonly enabled: EnabledState;
  readonly strategies: Strategies;
  readonly variants: Recorded<readonly JsonObject[]>;
};

/** Aspects that are the same in every environment. */
export type Aspects = {
  readonly project: Recorded<string>;
  readonly type: Recorded<string | null>;
  readonly description: Recorded<string | null>;
  readonly stale: Recorded<boolean>;
  readonly impressionData: Recorded<boolean>;
  readonly archived: Recorded<boolean>;
  readonly tags: Recorded<readonly TagState[]>;
  readonly dependencies: Recorded<readonly DependencyState[]>;
};

export type Existence = 'EXISTED' | 'NOT_YET_CREATED' | 'DELETED' | 'UNKNOWN';

/** State of a feature as recorded so far; changes with every replayed event. */
export type FeatureState = {
  existence: Existence;
  aspects: Aspects;
  environments: Map<string, EnvironmentState>;
  /** State in every environment that no event has named. */
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

/** Initial state of a replay. */
export const unrecordedState = (existence: Existence): FeatureState => ({
  existence,
  aspects: NO_ASPECTS,
  environments: new Map(),
  elsewhere: { enabled: 'UNKNOWN', strategies: null, variants: null },
});
