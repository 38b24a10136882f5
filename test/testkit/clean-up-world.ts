import { Prisma, type PrismaClient } from '../../src/data/db.js';
import type * as Seeded from './seed.js';
import { seed } from './seed.js';

const DAY_MS = 86_400_000;

/** A timestamp a number of days before another one. */
export const daysBefore = (days: number, now: Date): Date =>
  new Date(now.getTime() - days * DAY_MS);

type StrategySpec = Omit<Seeded.StrategySpec, 'id' | 'name'> & { name?: string };

type EnvironmentSpec = Omit<Seeded.EnvironmentSpec, 'strategies'> & {
  strategies?: readonly StrategySpec[];
};

/** A feature; by default recent, seen, disabled everywhere and no clean-up candidate. */
export type FeatureSpec = {
  project?: string;
  type?: string | null;
  stale?: boolean | null;
  /** Days before now; null if unknown. */
  age?: number | null;
  archived?: boolean;
  seenIn?: readonly string[];
  /** Days before now at which it was last seen. Default: 0. */
  seen?: number;
  /** The legacy value on the feature itself. */
  isSeen?: boolean;
  environments?: Readonly<Record<string, EnvironmentSpec>>;
  /** Days before now at which each stage was entered. */
  stages?: Readonly<Record<string, number | null>>;
  status?: string;
  parent?: string;
};

export const defaultStrategy: StrategySpec = { name: 'default' };
export const rolloutStrategy = (rollout: unknown, more: StrategySpec = {}): StrategySpec => ({
  name: 'flexibleRollout',
  parameters: { rollout, stickiness: 'default' },
  ...more,
});

/** Enabled in the two environments of a new installation, in production with these strategies. */
export const enabledWith = (...production: StrategySpec[]): Pick<FeatureSpec, 'environments'> => ({
  environments: {
    development: { strategies: [defaultStrategy] },
    production: { strategies: production },
  },
});

const featureOf = (name: string, spec: FeatureSpec, now: Date): Seeded.FeatureSpec => {
  const { project = 'web', seenIn = ['production'], environments = {}, stages = {}, parent } = spec;
  const seenAt = daysBefore(spec.seen ?? 0, now);
  const timestamp = (days: number | null) => (days === null ? null : daysBefore(days, now));
  return {
    name,
    project,
    type: spec.type === undefined ? 'release' : spec.type,
    stale: spec.stale === undefined ? false : spec.stale,
    createdAt: timestamp(spec.age === undefined ? 1 : spec.age),
    archivedAt: spec.archived ? now : null,
    lastSeenAt: spec.isSeen ? seenAt : null,
    lastSeen: Object.fromEntries(seenIn.map((environment) => [environment, seenAt])),
    stages: mapValues(stages, (days, stage) => ({
      createdAt: timestamp(days),
      status: stage === 'completed' ? (spec.status ?? null) : null,
    })),
    parents: parent === undefined ? [] : [{ feature: parent }],
    environments: mapValues(environments, ({ strategies = [], ...environment }, key) => ({
      enabled: true,
      ...environment,
      strategies: strategies.map((strategy, index) => ({
        id: `${name}/${key}/${index}`,
        name: 'default',
        ...strategy,
        // Not SQL null, which is the default.
        ...(strategy.constraints === null && { constraints: Prisma.JsonNull }),
      })),
    })),
  };
};

const mapValues = <Value, Result>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value, key: string) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value, key)]));

/** Writes features with their related rows; JSON can have any shape. */
export const addFeatures = (
  client: PrismaClient,
  now: Date,
  features: Readonly<Record<string, FeatureSpec>>,
): Promise<void> =>
  seed(client, {
    features: Object.entries(features).map(([name, spec]) => featureOf(name, spec, now)),
  });
