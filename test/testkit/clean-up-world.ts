import type { Prisma, PrismaClient } from '../../src/data/db.js';

const DAY_MS = 86_400_000;

/** A moment so many days before another one. */
export const daysBefore = (days: number, now: Date): Date =>
  new Date(now.getTime() - days * DAY_MS);

type StrategySpec = Partial<Pick<Prisma.StrategyCreateManyInput, 'name' | 'disabled'>> & {
  // Rows may hold JSON of any shape.
  parameters?: unknown;
  constraints?: unknown;
  variants?: unknown;
  segment?: number;
};

type EnvironmentSpec = { enabled?: boolean; variants?: unknown; strategies?: StrategySpec[] };

/** A feature; one of which nothing is said is young, seen, off everywhere and nothing to clean up. */
export type FeatureSpec = {
  project?: string;
  type?: string | null;
  stale?: boolean | null;
  /** Days before now; null for not known. */
  age?: number | null;
  archived?: boolean;
  seenIn?: readonly string[];
  /** The legacy figure on the feature itself. */
  isSeen?: boolean;
  environments?: Readonly<Record<string, EnvironmentSpec>>;
  /** Days before now at which each stage was entered. */
  stages?: Readonly<Record<string, number | null>>;
  status?: string;
  parent?: string;
};

export const everybody: StrategySpec = { name: 'default' };
export const share = (rollout: unknown, more: StrategySpec = {}): StrategySpec => ({
  name: 'flexibleRollout',
  parameters: { rollout, stickiness: 'default' },
  ...more,
});

/** On in the two environments of a fresh installation, in production for whom these strategies let pass. */
export const onWith = (...production: StrategySpec[]): Pick<FeatureSpec, 'environments'> => ({
  environments: {
    development: { strategies: [everybody] },
    production: { strategies: production },
  },
});

/** Writes features with all that belongs to them; JSON goes in as text, so that it may be of any shape. */
export const addFeatures = async (
  client: PrismaClient,
  now: Date,
  features: Readonly<Record<string, FeatureSpec>>,
): Promise<void> => {
  const entries = Object.entries(features);
  const moment = (days: number | null) => (days === null ? null : daysBefore(days, now));
  await client.feature.createMany({
    data: entries.map(([name, spec]) => ({
      name,
      projectId: spec.project ?? 'web',
      type: spec.type === undefined ? 'release' : spec.type,
      stale: spec.stale === undefined ? false : spec.stale,
      createdAt: moment(spec.age === undefined ? 1 : spec.age),
      archivedAt: spec.archived ? now : null,
      lastSeenAt: spec.isSeen ? now : null,
    })),
  });
  await client.lastSeen.createMany({
    data: entries.flatMap(([featureName, { seenIn = ['production'] }]) =>
      seenIn.map((environmentName) => ({ featureName, environmentName, lastSeenAt: now })),
    ),
  });
  await client.lifecycleStage.createMany({
    data: entries.flatMap(([featureName, { stages = {}, status }]) =>
      Object.entries(stages).map(([stage, days]) => ({
        featureName,
        stage,
        createdAt: moment(days),
        status: stage === 'completed' ? (status ?? null) : null,
      })),
    ),
  });
  await client.dependency.createMany({
    data: entries.flatMap(([childName, { parent }]) =>
      parent === undefined ? [] : [{ parentName: parent, childName }],
    ),
  });
  await addEnvironments(client, entries);
};

const addEnvironments = async (
  client: PrismaClient,
  entries: readonly (readonly [string, FeatureSpec])[],
) => {
  const places = entries.flatMap(([feature, { project = 'web', environments = {} }]) =>
    Object.entries(environments).map(([environment, spec]) => ({
      feature,
      project,
      environment,
      ...spec,
    })),
  );
  const strategies = places.flatMap(({ feature, project, environment, strategies: list = [] }) =>
    list.map((strategy, index) => ({
      id: `${feature}/${environment}/${index}`,
      feature,
      project,
      environment,
      ...strategy,
    })),
  );
  await client.$executeRaw`
    insert into feature_environments (feature_name, environment, enabled, variants)
    select row ->> 0, row ->> 1, (row ->> 2)::boolean, row -> 3
    from jsonb_array_elements(${JSON.stringify(
      places.map(({ feature, environment, enabled = true, variants = [] }) => [
        feature,
        environment,
        enabled,
        variants,
      ]),
    )}::jsonb) as row`;
  await client.$executeRaw`
    insert into feature_strategies
      (id, feature_name, project_name, environment, strategy_name, disabled, parameters, constraints, variants)
    select row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4, (row ->> 5)::boolean, row -> 6,
      case when row -> 7 <> '"absent"' then row -> 7 end, row -> 8
    from jsonb_array_elements(${JSON.stringify(
      strategies.map((strategy) => [
        strategy.id,
        strategy.feature,
        strategy.project,
        strategy.environment,
        strategy.name ?? 'default',
        strategy.disabled ?? false,
        strategy.parameters === undefined ? {} : strategy.parameters,
        strategy.constraints === undefined ? 'absent' : strategy.constraints,
        strategy.variants === undefined ? [] : strategy.variants,
      ]),
    )}::jsonb) as row`;
  await client.strategySegment.createMany({
    data: strategies.flatMap(({ id, segment }) =>
      segment === undefined ? [] : [{ strategyId: id, segmentId: segment }],
    ),
  });
};
