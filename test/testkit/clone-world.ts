import { afterAll, beforeAll } from 'vitest';
import type { Database } from '../../src/data/connect.js';
import { type Db, Prisma } from '../../src/data/db.js';
import { DEMO_TOKENS } from '../../src/demo/tokens.js';
import { type Gateway, startGateway } from './app.js';
import { describeOnBothDatabases } from './database.js';

export const CLONE_TOKENS = {
  /** An API token; the default of every call. */
  admin: DEMO_TOKENS.admin,
  /** A root administrator with an e-mail address. */
  ann: 'user:clone-ann',
  /** A member of the projects shop and plaza who has only a user name. */
  ben: 'user:clone-ben',
  /** May look at everything and change nothing. */
  vic: 'user:clone-vic',
} as const;

export const PEOPLE = { ann: 101, ben: 102, vic: 103 } as const;

/** Ids of segments that every project may use. */
export const SEGMENTS = [1, 2, 3, 4, 5, 6, 7] as const;
/** Belongs to the project shop. */
export const SHOP_SEGMENT = 11;

export type StrategySpec = {
  id?: string;
  name: string;
  title?: string | null;
  disabled?: boolean | null;
  parameters?: unknown;
  constraints?: unknown;
  variants?: unknown;
  sortOrder?: number;
  segments?: readonly number[];
  /** Set for a strategy of a release plan. */
  milestoneId?: string;
};

export type EnvironmentSpec = {
  enabled?: boolean;
  variants?: unknown;
  strategies?: readonly StrategySpec[];
};

export type FeatureSpec = {
  name: string;
  project?: string;
  description?: string | null;
  type?: string | null;
  stale?: boolean | null;
  impressionData?: boolean | null;
  archivedAt?: Date;
  environments?: Readonly<Record<string, EnvironmentSpec>>;
  parents?: readonly { feature: string; enabled?: boolean; variants?: unknown }[];
};

const json = (value: unknown) => value as Prisma.InputJsonValue;
const nullable = (value: unknown) => (value === null ? Prisma.DbNull : json(value));

const addStrategy = (db: Db, featureName: string, environment: string, spec: StrategySpec) => {
  const { segments = [], parameters, constraints, variants, ...columns } = spec;
  return db.strategy.create({
    data: {
      id: crypto.randomUUID(),
      featureName,
      projectId: 'shop',
      environmentName: environment,
      ...columns,
      ...(parameters !== undefined && { parameters: json(parameters) }),
      ...(constraints !== undefined && { constraints: nullable(constraints) }),
      ...(variants !== undefined && { variants: json(variants) }),
      segments: { create: segments.map((segmentId) => ({ segmentId })) },
    },
  });
};

/** Puts a feature into the database as the original could have left it there. */
export const addFeature = async (db: Db, spec: FeatureSpec): Promise<void> => {
  const { environments = {}, parents = [], project = 'shop', ...columns } = spec;
  const { name } = columns;
  await db.feature.create({ data: { projectId: project, ...columns } });

  for (const [environmentName, environment] of Object.entries(environments)) {
    const { enabled = false, variants = [], strategies = [] } = environment;
    await db.featureEnvironment.create({
      data: { environmentName, featureName: name, enabled, variants: json(variants) },
    });
    for (const strategy of strategies) await addStrategy(db, name, environmentName, strategy);
  }
  for (const { feature, enabled = true, variants = [] } of parents) {
    await db.dependency.create({
      data: { parentName: feature, childName: name, enabled, variants: json(variants) },
    });
  }
};

const addPlaces = async (db: Db) => {
  await db.environment.createMany({
    data: [
      { name: 'staging', type: 'preproduction', sortOrder: 4 },
      { name: 'qa', type: 'test', sortOrder: 5 },
    ],
  });
  const projects: Record<string, readonly string[]> = {
    shop: ['development', 'production'],
    plaza: ['development', 'qa'],
    bare: [],
    closed: ['development'],
    small: ['development'],
    named: ['development'],
    guarded: ['development', 'production'],
    'half-guarded': ['development'],
  };
  for (const [id, environments] of Object.entries(projects)) {
    await db.project.create({
      data: {
        id,
        name: id,
        archivedAt: id === 'closed' ? new Date('2026-01-01T00:00:00Z') : null,
        environments: {
          create: environments.map((environmentName) => ({ environmentName })),
        },
      },
    });
  }
  await db.projectSettings.createMany({
    data: [
      { projectId: 'shop', defaultStickiness: 'userId' },
      { projectId: 'plaza', defaultStickiness: 'sessionId' },
      { projectId: 'small', featureLimit: 1 },
      {
        projectId: 'named',
        featureNamingPattern: '(shop|plaza)\\.[a-z]+',
        featureNamingExample: 'shop.cart',
        featureNamingDescription: 'The part of the company, a dot, a word.',
      },
    ],
  });
  await db.changeRequestSetting.createMany({
    data: [
      { projectId: 'guarded', environmentName: 'production' },
      { projectId: 'half-guarded', environmentName: 'staging' },
    ],
  });
};

const addBuildingBlocks = async (db: Db) => {
  await db.segment.createMany({
    data: [
      ...SEGMENTS.map((id) => ({ id, name: `segment-${id}` })),
      { id: SHOP_SEGMENT, name: 'shop-only', projectId: 'shop' },
    ],
  });
  await db.strategyType.create({ data: { name: 'beta-testers', parameters: [] } });
  await db.contextField.createMany({
    data: [
      { name: 'country', legalValues: [{ value: 'no' }, { value: 'se' }] },
      { name: 'plan', legalValues: [] },
    ],
  });
};

const addPeople = async (db: Db) => {
  const expiresAt = new Date('2099-01-01T00:00:00Z');
  await db.apiToken.create({
    data: {
      secret: CLONE_TOKENS.admin,
      type: 'admin',
      username: 'old-name',
      tokenName: 'clone-robot',
    },
  });
  await db.user.createMany({
    data: [
      { id: PEOPLE.ann, name: 'Ann', username: 'ann', email: 'ann@example.com' },
      { id: PEOPLE.ben, name: 'Ben', username: 'ben' },
      { id: PEOPLE.vic, name: 'Vic', email: 'vic@example.com' },
    ],
  });
  await db.personalAccessToken.createMany({
    data: (['ann', 'ben', 'vic'] as const).map((key) => ({
      secret: CLONE_TOKENS[key],
      userId: PEOPLE[key],
      expiresAt,
    })),
  });
  await db.roleUser.createMany({
    data: [
      { roleId: 1, userId: PEOPLE.ann, projectId: 'default' },
      { roleId: 5, userId: PEOPLE.ben, projectId: 'shop' },
      { roleId: 5, userId: PEOPLE.ben, projectId: 'plaza' },
      { roleId: 3, userId: PEOPLE.vic, projectId: 'default' },
    ],
  });
};

/** Projects of every temper, segments, context fields and callers; no features yet. */
export const addCloneWorld = async (db: Db): Promise<void> => {
  await addPlaces(db);
  await addBuildingBlocks(db);
  await addPeople(db);
};

/** A plain feature of project shop that uses each table a clone writes to. */
export const addFullSource = async (db: Db, name: string, project = 'shop'): Promise<void> => {
  await addFeature(db, { name: `${name}-parent`, project });
  await addFeature(db, {
    name,
    project,
    environments: {
      development: {
        strategies: [
          { name: 'flexibleRollout', parameters: { groupId: name, rollout: '50' }, segments: [1] },
          { name: 'default', sortOrder: 2 },
        ],
      },
      production: {},
    },
    parents: [{ feature: `${name}-parent` }],
  });
};

/** How many rows a clone of `addFullSource` brings, into a project with the source's environments. */
export const FULL_CLONE_ROWS = {
  dependent_features: 1,
  events: 4,
  feature_environments: 2,
  feature_strategies: 2,
  feature_strategy_segment: 1,
  features: 1,
};

type World = {
  gateway: () => Gateway;
  /** A second gateway on the same database, with other settings. */
  startAnother: (settings: Record<string, string>) => Promise<Gateway>;
  db: () => Database['client'];
  kind: Database['kind'];
};

/** Runs a suite on both databases, each with the world above and a gateway in front of it. */
export const describeCloneOnBothDatabases = (name: string, define: (world: World) => void): void =>
  describeOnBothDatabases(name, (open, kind) => {
    const gateways: Gateway[] = [];
    let database: Database | undefined;
    const present = <Value>(value: Value | undefined): Value => {
      if (value === undefined) throw new Error('The gateway has not been started yet.');
      return value;
    };
    const startAnother = async (settings: Record<string, string>) => {
      const gateway = await startGateway(present(database), settings);
      gateways.push(gateway);
      return gateway;
    };

    beforeAll(async () => {
      database = await open();
      await addCloneWorld(database.client);
      await startAnother({});
    });
    afterAll(async () => {
      for (const gateway of gateways) await gateway.stop();
    });

    define({
      gateway: () => present(gateways[0]),
      startAnother,
      db: () => present(database).client,
      kind,
    });
  });
