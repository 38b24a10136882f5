import type { Loaders } from '../../../data/loaders.js';
import { asObjects, asStrings, isObject, type JsonObject } from '../../json.js';
import type { Feature } from '../../rows.js';
import { ownStrategies } from '../feature-parts.js';
import type { AspectName, FeatureAsOf } from '../history/feature-as-of.js';

/** A part of a snapshot that cannot be determined. */
export const UNKNOWN = Symbol('unknown');

/** A value, or that it is unknown. */
export type Known<Value> = Value | typeof UNKNOWN;

export type EnvironmentSnapshot = {
  enabled: Known<boolean>;
  strategies: Known<readonly JsonObject[]>;
  isOrderUnknown?: true;
  variants: Known<readonly JsonObject[]>;
};

/** A feature at one time; null if it did not exist. */
export type FeatureSnapshot = {
  aspects: Readonly<Record<AspectName, Known<unknown>>>;
  environments: ReadonlyMap<string, EnvironmentSnapshot>;
  /** State in environments that are not listed. */
  elsewhere: Known<EnvironmentSnapshot>;
} | null;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A strategy as its events record it, whether from an event or from the database. */
export const toStrategy = (strategy: JsonObject, segments: unknown): JsonObject => ({
  id: strategy['id'],
  name: strategy['name'] ?? null,
  title: strategy['title'] ?? null,
  disabled: strategy['disabled'] === true,
  parameters: isObject(strategy['parameters']) ? strategy['parameters'] : {},
  constraints: listOf(strategy['constraints']),
  variants: listOf(strategy['variants']),
  segments:
    segments === null
      ? UNKNOWN
      : listOf(segments)
          .map(Number)
          .sort((one, other) => one - other),
});

/** A feature as replayed from the log; unknown if the log contradicts itself. */
export const snapshotOf = (state: FeatureAsOf): Known<FeatureSnapshot> => {
  const { existence, isContradicted, aspects } = state;
  if (existence === 'UNKNOWN' || isContradicted) return UNKNOWN;
  if (existence !== 'EXISTED') return null;
  const known = Object.entries(aspects).map(([name, is]) => [name, is ? is.value : UNKNOWN]);
  return {
    aspects: Object.fromEntries(known) as Record<AspectName, unknown>,
    environments: new Map(
      state.environments.map(({ environment, state: enabled, strategies, variants }) => [
        environment,
        {
          enabled: enabled === 'UNKNOWN' ? UNKNOWN : enabled === 'ENABLED',
          strategies: strategies
            ? strategies.value.map(({ segments = [], ...strategy }) =>
                toStrategy(strategy, segments),
              )
            : UNKNOWN,
          ...(strategies?.isOrderUnknown && { isOrderUnknown: true }),
          variants: variants ? variants.value : UNKNOWN,
        },
      ]),
    ),
    elsewhere: UNKNOWN,
  };
};

/** The current state of a feature in its environments; also the strategies that it keeps in others. */
export const currentEnvironments = async (
  loaders: Loaders,
  name: string,
): Promise<Map<string, EnvironmentSnapshot>> => {
  const [rows, strategies] = await Promise.all([
    loaders.environmentsOfFeature.load(name),
    loaders.strategiesOfFeature.load(name),
  ]);
  const own = ownStrategies(strategies);
  const names = [...rows, ...own].map(({ environmentName }) => environmentName);
  return new Map(
    names.map((environment) => {
      const row = rows.find(({ environmentName }) => environmentName === environment);
      const here = own.filter(({ environmentName }) => environmentName === environment);
      return [
        environment,
        {
          enabled: row?.enabled ?? false,
          strategies: here.map((strategy) => toStrategy(strategy, strategy.segmentIds)),
          variants: asObjects(row?.variants),
        },
      ];
    }),
  );
};

export const NO_ENVIRONMENT: EnvironmentSnapshot = { enabled: false, strategies: [], variants: [] };

/** A feature as it is in the database. */
export const currentSnapshot = async (
  loaders: Loaders,
  feature: Feature,
): Promise<FeatureSnapshot> => {
  const { name } = feature;
  const [environments, tags, dependencies] = await Promise.all([
    currentEnvironments(loaders, name),
    loaders.tagsOfFeature.load(name),
    loaders.dependenciesOfFeature.load(name),
  ]);
  return {
    aspects: {
      project: feature.projectId,
      type: feature.type,
      description: feature.description,
      stale: feature.stale ?? false,
      impressionData: feature.impressionData ?? false,
      archived: feature.archivedAt !== null,
      tags: tags.map(({ type, value }) => ({ type, value })),
      dependencies: dependencies.map(({ parentName, enabled, variants }) => ({
        feature: parentName,
        enabled,
        variants: asStrings(variants),
      })),
    },
    environments,
    elsewhere: NO_ENVIRONMENT,
  };
};
