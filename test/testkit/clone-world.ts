import { afterAll, beforeAll } from 'vitest';
import type { Database } from '../../src/data/connect.js';
import type { Db } from '../../src/data/db.js';
import { DEMO_TOKENS } from '../../src/demo/tokens.js';
import { type Gateway, startGateway } from './app.js';
import { describeWithDatabase } from './database.js';
import { type FeatureSpec, type StrategySpec, seed } from './seed.js';

export const CLONE_TOKENS = {
  /** An API token; the default of every call. */
  admin: DEMO_TOKENS.admin,
  /** A root administrator with an email address. */
  ann: 'user:clone-ann',
  /** A member of the projects shop and plaza with a user name only. */
  ben: 'user:clone-ben',
  /** Can read everything and change nothing. */
  vic: 'user:clone-vic',
} as const;

export const PEOPLE = { ann: 101, ben: 102, vic: 103 } as const;

/** IDs of segments that every project may use. */
export const SEGMENTS = [1, 2, 3, 4, 5, 6, 7] as const;
/** Belongs to the project shop. */
export const SHOP_SEGMENT = 11;

export type { FeatureSpec, StrategySpec };

/** Adds a feature as Unleash could have stored it, by default to project shop. */
export const addFeature = (db: Db, spec: FeatureSpec): Promise<void> =>
  seed(db, { features: [{ project: 'shop', ...spec }] });

/** Projects with every kind of setting, segments, context fields and callers; no features yet. */
export const addCloneWorld = (db: Db): Promise<void> =>
  seed(db, {
    environments: {
      staging: { type: 'preproduction', sortOrder: 4 },
      qa: { type: 'test', sortOrder: 5 },
    },
    projects: {
      shop: {
        environments: ['development', 'production'],
        settings: { defaultStickiness: 'userId' },
      },
      plaza: { environments: ['development', 'qa'], settings: { defaultStickiness: 'sessionId' } },
      bare: {},
      closed: { environments: ['development'], archivedAt: new Date('2026-01-01T00:00:00Z') },
      small: { environments: ['development'], settings: { featureLimit: 1 } },
      named: {
        environments: ['development'],
        settings: {
          featureNamingPattern: '(shop|plaza)\\.[a-z]+',
          featureNamingExample: 'shop.cart',
          featureNamingDescription: 'The part of the company, a dot, a word.',
        },
      },
      guarded: { environments: ['development', 'production'], changeRequests: ['production'] },
      'half-guarded': { environments: ['development'], changeRequests: ['staging'] },
    },
    segments: [
      ...SEGMENTS.map((id) => ({ id, name: `segment-${id}` })),
      { id: SHOP_SEGMENT, name: 'shop-only', project: 'shop' },
    ],
    strategyTypes: [{ name: 'beta-testers', parameters: [] }],
    contextFields: [
      { name: 'country', legalValues: [{ value: 'no' }, { value: 'se' }] },
      { name: 'plan', legalValues: [] },
    ],
    apiTokens: [
      {
        secret: CLONE_TOKENS.admin,
        type: 'admin',
        username: 'old-name',
        tokenName: 'clone-robot',
      },
    ],
    users: [
      {
        id: PEOPLE.ann,
        name: 'Ann',
        username: 'ann',
        email: 'ann@example.com',
        token: CLONE_TOKENS.ann,
        roles: { default: 'Admin' },
      },
      {
        id: PEOPLE.ben,
        name: 'Ben',
        username: 'ben',
        token: CLONE_TOKENS.ben,
        roles: { shop: 'Member', plaza: 'Member' },
      },
      {
        id: PEOPLE.vic,
        name: 'Vic',
        email: 'vic@example.com',
        token: CLONE_TOKENS.vic,
        roles: { default: 'Viewer' },
      },
    ],
  });

/** A plain feature of project shop that uses each table a clone writes to. */
export const addFullSource = async (
  db: Db,
  name: string,
  project = 'shop',
  more: Partial<FeatureSpec> = {},
): Promise<void> => {
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
    ...more,
  });
};

/** The number of rows that a clone of `addFullSource` adds, in a project with the environments of the source. */
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

/** Runs a suite with the world above and a gateway. */
export const describeWithCloneWorld = (name: string, define: (world: World) => void): void =>
  describeWithDatabase(name, (open, kind) => {
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
