import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import type { Event, PrismaClient } from '../../../src/data/db.js';
import { createClock } from '../../../src/demo/clock.js';
import { buildHistory } from '../../../src/demo/history/build-history.js';
import { DemoNotEmptyError, isDemoLoaded, loadDemoData } from '../../../src/demo/load-demo-data.js';
import { DEMO_TOKENS, isDemoToken } from '../../../src/demo/tokens.js';
import { EVENT_TYPES } from '../../../src/domain/events/event-types.js';
import { cpuMsOf } from '../../testkit/cpu-time.js';
import {
  createMigratedDatabase,
  describeOn,
  describeWithDatabase,
} from '../../testkit/database.js';

const NOW = new Date('2026-05-20T15:45:00Z');
const TODAY = new Date('2026-05-20T00:00:00Z');
const DAY_MS = 86_400_000;

/** Every row of every table as text, with all columns. */
const dump = async (db: PrismaClient): Promise<string[]> => {
  const tables = await db.$queryRaw<{ name: string }[]>`
    select tablename::text as name from pg_tables
    where schemaname = current_schema() and tablename <> '_prisma_migrations' order by 1`;
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await db.$queryRawUnsafe<{ row: string }[]>(
      `select row_to_json(t)::text as row from ${name} t`,
    );
    rows.push(...found.map(({ row }) => `${name} ${row}`));
  }
  return rows.sort();
};

const isEmpty = async (db: PrismaClient) =>
  !(await isDemoLoaded(db)) &&
  (await db.feature.count()) + (await db.event.count()) + (await db.apiToken.count()) === 0 &&
  (await db.user.count({ where: { id: { gt: 0 } } })) === 0 &&
  (await db.project.count()) === 1;

describeWithDatabase('the demo world', (open, kind) => {
  let database: Database;
  let db: PrismaClient;
  const progress: string[] = [];
  beforeAll(async () => {
    database = await open();
    db = database.client;
    expect(await isDemoLoaded(db)).toBe(false);
    await loadDemoData(db, { now: NOW, onProgress: (message) => progress.push(message) });
  });

  test('reports its progress and marks the database as loaded', async () => {
    expect(progress.length).toBeGreaterThan(2);
    expect(await isDemoLoaded(db)).toBe(true);
  });

  describe('loaded again on the same day', () => {
    let loaded: string[] = [];
    let cpuMs = 0;
    beforeAll(async () => {
      const { client } = await open();
      const before = new Set(await dump(client));
      const now = new Date('2026-05-20T00:00:01Z');
      cpuMs = await cpuMsOf(() => loadDemoData(client, { now }));
      loaded = (await dump(client)).filter((row) => !before.has(row));
    });

    test('is identical, row by row', async () => {
      expect(loaded.length).toBeGreaterThan(2_500);
      const here = new Set(await dump(db));
      expect(loaded.filter((row) => !here.has(row))).toEqual([]);
    });

    if (kind === 'embedded') {
      test('takes seconds on the embedded database', () => {
        expect(cpuMs).toBeGreaterThan(0);
        expect(cpuMs).toBeLessThan(6_000);
      });
    }
  });

  test('has about fifty features in every state of the API document', async () => {
    const features = await db.feature.findMany({
      include: {
        environments: { include: { strategies: true } },
        lastSeen: true,
        favorites: true,
        featureType: true,
        lifecycle: true,
      },
    });
    const names = (is: (feature: (typeof features)[number]) => boolean) =>
      features.filter(is).map(({ name }) => name);
    const age = (createdAt: Date | null) => (TODAY.getTime() - Number(createdAt)) / DAY_MS;
    const isActive = (feature: (typeof features)[number]) => feature.archivedAt === null;

    expect(features.length).toBeGreaterThan(45);
    const types = new Set(features.map(({ type }) => type));
    expect([...types].sort()).toEqual(
      ['experiment', 'kill-switch', 'marketing', 'operational', 'permission', 'release'].sort(),
    );
    const states = {
      unknownType: names(({ featureType }) => featureType === null),
      stale: names((feature) => isActive(feature) && feature.stale === true),
      potentiallyStale: names(
        (feature) =>
          isActive(feature) &&
          !feature.stale &&
          age(feature.createdAt) >= (feature.featureType?.lifetimeDays ?? Number.POSITIVE_INFINITY),
      ),
      oldButForEver: names(
        ({ createdAt, featureType }) => age(createdAt) > 60 && featureType?.lifetimeDays === null,
      ),
      archived: names((feature) => !isActive(feature)),
      neverSeen: names(({ lastSeen, lastSeenAt }) => lastSeen.length === 0 && lastSeenAt === null),
      seenByTheLegacyFigure: names(({ lastSeenAt }) => lastSeenAt !== null),
      offEverywhere: names(({ environments }) => environments.every(({ enabled }) => !enabled)),
      onEverywhere: names(({ environments }) => environments.every(({ enabled }) => enabled)),
      withoutStrategies: names(({ environments }) =>
        environments.every(({ strategies }) => strategies.length === 0),
      ),
      fullyRolledOut: names(({ environments }) =>
        environments.some(
          ({ environmentName, strategies, enabled }) =>
            enabled &&
            environmentName === 'production' &&
            strategies.some(({ parameters }) => Object(parameters).rollout === '100'),
        ),
      ),
      impressionData: names(({ impressionData }) => impressionData === true),
      noDescription: names(({ description }) => description === null),
      emptyDescription: names(({ description }) => description === ''),
      longDescription: names(({ description }) => (description ?? '').length > 1_000),
      unicode: names(({ description }) => /[ぁ-ヿ]/.test(description ?? '')),
      favorite: names(({ favorites }) => favorites.length > 0),
      byToken: names(({ createdByUserId }) => createdByUserId === -42),
      variants: names(({ environments }) =>
        environments.some(({ variants }) => JSON.stringify(variants).includes('overrides')),
      ),
      disabledStrategiesOnly: names(({ environments }) =>
        environments.some(
          ({ strategies }) => strategies.length > 0 && strategies.every(({ disabled }) => disabled),
        ),
      ),
    };
    expect(Object.entries(states).filter(([, found]) => found.length === 0)).toEqual([]);
    const stages = new Set(
      features.flatMap(({ lifecycle }) => lifecycle.map(({ stage }) => stage)),
    );
    expect([...stages].sort()).toEqual(['archived', 'completed', 'initial', 'live', 'pre-live']);
  });

  test('has usage per hour and per day, none after a feature was last seen', async () => {
    const [hours, days, seen] = [
      await db.hourlyUsage.findMany(),
      await db.dailyUsage.findMany(),
      await db.lastSeen.findMany(),
    ];
    expect(hours.length).toBeGreaterThan(1_000);
    expect(days.length).toBeGreaterThan(1_000);
    expect(await db.hourlyVariantUsage.count()).toBeGreaterThan(100);
    expect(await db.dailyVariantUsage.count()).toBeGreaterThan(100);
    const last = new Map(
      seen.map(({ featureName, environmentName, lastSeenAt }) => [
        `${featureName} ${environmentName}`,
        lastSeenAt,
      ]),
    );
    const isLater = ({ featureName, environmentName, hour }: (typeof hours)[number]) =>
      hour > (last.get(`${featureName} ${environmentName}`) ?? new Date(0));
    expect(hours.filter(isLater)).toEqual([]);
    expect(hours.filter(({ hour }) => hour >= TODAY)).toEqual([]);
  });

  test('has open change requests, as its events end', async () => {
    const open = await db.changeRequest.findMany({
      where: { state: 'Scheduled' },
      include: { events: true, approvals: true },
      orderBy: { id: 'asc' },
    });
    expect(open.map(({ events, approvals }) => [events[0]?.featureName, approvals.length])).toEqual(
      [
        ['payments-paper-invoice', 2],
        ['payments-pay-later', 2],
      ],
    );
  });

  test('uses every strategy type and every operator', async () => {
    const strategies = await db.strategy.findMany({ include: { segments: true } });
    const types = await db.strategyType.findMany();
    expect(new Set(strategies.map(({ name }) => name))).toEqual(
      new Set(types.map(({ name }) => name)),
    );
    const operators = strategies.flatMap(({ constraints }) =>
      (constraints as { operator: string }[]).map(({ operator }) => operator),
    );
    expect([...new Set(operators)].sort()).toEqual(
      [
        'DATE_AFTER',
        'DATE_BEFORE',
        'IN',
        'NOT_IN',
        'NUM_EQ',
        'NUM_GT',
        'NUM_GTE',
        'NUM_LT',
        'NUM_LTE',
        'SEMVER_EQ',
        'SEMVER_GT',
        'SEMVER_LT',
        'STR_CONTAINS',
        'STR_ENDS_WITH',
        'STR_STARTS_WITH',
      ].sort(),
    );
    expect(strategies.some(({ segments }) => segments.length > 1)).toBe(true);
    expect(strategies.some(({ variants }) => JSON.stringify(variants).includes('payload'))).toBe(
      true,
    );
    expect(strategies.some(({ title }) => title === '')).toBe(true);
    const ids = strategies.map(({ id }) => id);
    expect(
      ids.filter(
        (id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/.test(id),
      ),
    ).toEqual([]);
  });

  test('has projects of every mode: archived, at its limit, and with change requests', async () => {
    const projects = await db.project.findMany({
      include: {
        settings: true,
        stats: true,
        changeRequests: true,
        features: true,
        segments: true,
      },
    });
    const by = Object.fromEntries(projects.map((project) => [project.id, project]));
    expect(by['default']).toMatchObject({ settings: null });
    expect(by['web-shop']).toMatchObject({ settings: { mode: 'open' } });
    expect(by['mobile']?.settings?.mode).toBe('protected');
    expect(by['payments']).toMatchObject({
      settings: { mode: 'private' },
      changeRequests: [{ environmentName: 'production', requiredApprovals: 2 }],
    });
    expect(by['legacy-portal']?.archivedAt).toBeInstanceOf(Date);
    expect(by['lab']).toMatchObject({ stats: null, settings: null, features: [] });
    expect(by['web-shop']?.segments.length).toBe(1);
    const active = by['warehouse']?.features.filter(({ archivedAt }) => archivedAt === null);
    expect(active?.length).toBe(by['warehouse']?.settings?.featureLimit);

    const { featureNamingPattern, featureNamingExample } = by['mobile']?.settings ?? {};
    const pattern = new RegExp(`^${featureNamingPattern}$`);
    const outsiders = by['mobile']?.features.filter(({ name }) => !pattern.test(name));
    expect(outsiders).toEqual([]);
    expect(featureNamingExample).toMatch(pattern);
  });

  test('has about two thousand events of all types, ordered by ID', async () => {
    const events = await db.event.findMany({ orderBy: { id: 'asc' } });
    expect(events.length).toBeGreaterThan(1_800);
    expect(events.length).toBeLessThan(2_600);
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(EVENT_TYPES));
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
    const times = events.map(({ createdAt }) => Number(createdAt));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThan(TODAY.getTime());
    expect(TODAY.getTime() - Number(times[0])).toBeGreaterThan(85 * DAY_MS);
    expect(events.filter(({ announced }) => !announced)).toEqual([]);

    const shapes = new Set(events.map(({ data }) => (Array.isArray(data) ? 'array' : typeof data)));
    expect([...shapes].sort()).toEqual(['array', 'boolean', 'number', 'object', 'string']);
  });

  test('has events that explain the current state of every feature', async () => {
    const features = await db.feature.findMany({
      include: { environments: true, tags: true, strategies: { include: { segments: true } } },
    });
    for (const feature of features) {
      const events = await db.event.findMany({
        where: { featureName: feature.name },
        orderBy: { id: 'asc' },
      });
      const replayed = replay(events);
      expect({ name: feature.name, ...replayed }).toEqual({
        name: feature.name,
        creations: 1,
        project: feature.projectId,
        description: feature.description,
        stale: feature.stale,
        archived: feature.archivedAt !== null,
        enabled: feature.environments
          .filter(({ enabled }) => enabled)
          .map((e) => e.environmentName)
          .sort(),
        tags: feature.tags.map(({ type, value }) => `${type}:${value}`).sort(),
        strategies: Object.fromEntries(
          feature.strategies.map(
            ({
              id,
              name,
              title,
              disabled,
              parameters,
              constraints,
              variants,
              sortOrder,
              segments,
            }) => [
              id,
              {
                id,
                name,
                title,
                disabled,
                constraints,
                parameters,
                variants,
                sortOrder,
                segments: segments.map(({ segmentId }) => segmentId),
              },
            ],
          ),
        ),
      });
    }
  });

  test('has deliveries of recorded events, with every outcome', async () => {
    const deliveries = await db.integrationEvent.findMany({ include: { integration: true } });
    const ids = deliveries.map(({ event }) => Object(event).id as number);
    const events = await db.event.findMany({ where: { id: { in: ids } } });
    const log = new Map(events.map((event) => [event.id, event]));
    for (const delivery of deliveries) {
      const delivered = Object(delivery.event);
      const {
        createdAt,
        projectId,
        ip: _,
        announced: __,
        ...event
      } = log.get(delivered.id) as Event;
      expect(delivered).toEqual({
        ...event,
        project: projectId,
        createdAt: createdAt?.toISOString(),
      });
      expect(delivery.integration.events).toContain(event.type);
    }
    expect(new Set(deliveries.map(({ state }) => state))).toEqual(
      new Set(['success', 'failed', 'successWithErrors']),
    );
    const integrations = await db.integration.findMany();
    expect(new Set(integrations.map(({ provider }) => provider))).toEqual(
      new Set(['webhook', 'slack', 'teams', 'datadog', 'new-relic']),
    );
    expect(integrations.filter(({ enabled }) => !enabled).length).toBe(1);
  });

  test('has a user for every kind of role, each with a token', async () => {
    const roles = async (secret: string) => {
      const { user } = await db.personalAccessToken.findFirstOrThrow({
        where: { secret },
        include: {
          user: {
            include: {
              roles: { include: { role: true } },
              groups: {
                include: {
                  group: { include: { rootRole: true, roles: { include: { role: true } } } },
                },
              },
            },
          },
        },
      });
      return [
        ...user.roles.map(({ role, projectId }) => `${role.name} in ${projectId}`),
        ...user.groups.flatMap(({ group }) => [
          ...(group.rootRole ? [`${group.rootRole.name} by group`] : []),
          ...group.roles.map(({ role, projectId }) => `${role.name} in ${projectId} by group`),
        ]),
      ].sort();
    };
    expect(await roles(DEMO_TOKENS.rootAdmin)).toEqual(['Admin in default']);
    expect(await roles(DEMO_TOKENS.editor)).toEqual(['Editor in default']);
    expect(await roles(DEMO_TOKENS.viewer)).toEqual(['Viewer in default']);
    expect(await roles(DEMO_TOKENS.owner)).toEqual([
      'Owner in payments',
      'Owner in web-shop',
      'Viewer in default',
    ]);
    expect(await roles(DEMO_TOKENS.member)).toEqual([
      'Member in mobile',
      'Member in web-shop',
      'Viewer in default',
    ]);
    expect(await roles(DEMO_TOKENS.groupMember)).toEqual([
      'Member in default by group',
      'Member in mobile by group',
      'Viewer in default',
    ]);
    expect(await roles(DEMO_TOKENS.groupAdmin)).toEqual(['Admin by group', 'Viewer in default']);
    expect(await roles(DEMO_TOKENS.customRoot)).toEqual(['Release manager in default']);
    expect(await roles(DEMO_TOKENS.serviceAccount)).toEqual(['Admin in default']);
    expect(await roles(DEMO_TOKENS.wildcard)).toEqual(['Member in *']);
    expect(await roles(DEMO_TOKENS.noRole)).toEqual([]);
    expect(await roles(DEMO_TOKENS.deletedUser)).toEqual([]);
  });

  test('has valid and expired tokens, and tokens of the wrong type or of deleted users', async () => {
    const api = await db.apiToken.findMany();
    const personal = await db.personalAccessToken.findMany({ include: { user: true } });
    const stored = [...api, ...personal].map(({ secret }) => secret).sort();
    expect(stored).toEqual(Object.values(DEMO_TOKENS).toSorted());
    expect(stored.every(isDemoToken)).toBe(true);
    expect(isDemoToken('*:*.something-else')).toBe(false);

    const type = (secret: string) => api.find((token) => token.secret === secret)?.type;
    expect([DEMO_TOKENS.admin, DEMO_TOKENS.client, DEMO_TOKENS.frontend].map(type)).toEqual([
      'admin',
      'client',
      'frontend',
    ]);
    expect(type(DEMO_TOKENS.unknownType)).toBe('observer');
    const expired = [...api, ...personal].filter(({ expiresAt }) => expiresAt && expiresAt < TODAY);
    expect(expired.map(({ secret }) => secret).sort()).toEqual(
      [DEMO_TOKENS.expiredAdmin, DEMO_TOKENS.expired].sort(),
    );
    const deleted = personal.filter(({ user }) => user.deletedAt !== null);
    expect(deleted.map(({ secret }) => secret)).toEqual([DEMO_TOKENS.deletedUser]);
  });

  test('leaves free IDs for new rows', async () => {
    const user = await db.user.create({ data: { username: 'newcomer' } });
    const event = await db.event.create({ data: { type: 'user-created', createdBy: 'newcomer' } });
    const integration = await db.integration.create({ data: { provider: 'webhook' } });
    await db.role.create({ data: { name: 'Newcomer' } });
    await db.group.create({ data: { name: 'Newcomers' } });
    await db.segment.create({ data: { name: 'newcomers' } });
    await db.rolePermission.create({ data: { roleId: 5, permissionName: 'CREATE_FEATURE' } });
    await db.personalAccessToken.create({
      data: { secret: 'user:new', userId: user.id, expiresAt: NOW },
    });
    await db.integrationEvent.create({
      data: {
        integrationId: integration.id,
        state: 'success',
        stateDetails: '',
        event: {},
        details: {},
      },
    });
    expect(event.id).toBeGreaterThan(1_800);
  });

  test('cannot be loaded twice', async () => {
    await expect(loadDemoData(db, { now: NOW })).rejects.toThrow(DemoNotEmptyError);
  });

  test('is not loaded into a database with other data, which stays unchanged', async () => {
    const { client } = await open();
    await client.feature.create({ data: { name: 'mine' } });
    await expect(loadDemoData(client, { now: NOW })).rejects.toThrow(/already contains features/);
    expect(await client.project.count()).toBe(1);
  });

  test('leaves no rows when loading fails halfway', async () => {
    const { client } = await open();
    await client.integration.create({ data: { id: 1, provider: 'webhook' } });
    await expect(loadDemoData(client, { now: NOW })).rejects.toThrow();
    expect(await isEmpty(client)).toBe(true);

    await client.integration.deleteMany();
    await loadDemoData(client, { now: NOW });
    expect(await isDemoLoaded(client)).toBe(true);
  });
});

describeOn('postgres', 'the demo world on a PostgreSQL server', () => {
  test('leaves no rows when its connection is killed between two statements', async () => {
    const { url, drop } = await createMigratedDatabase();
    const database = await openDatabase({ databaseUrl: url, dataDir: 'memory://' });
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    try {
      await other.query('begin; lock table addons in exclusive mode');
      const load = loadDemoData(database.client, { now: NOW }).then(
        () => 'loaded',
        () => 'failed',
      );
      await expect
        .poll(async () => {
          const { rows } = await other.query(
            `select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'`,
          );
          return rows.length;
        })
        .toBe(1);
      expect(await load).toBe('failed');
      await other.query('rollback');
      expect(await isEmpty(database.client)).toBe(true);
    } finally {
      await other.end();
      await database.close();
      await drop();
    }
  });

  test('is loaded once when two processes load it at the same time', async () => {
    const { url, drop } = await createMigratedDatabase();
    const databases = await Promise.all(
      [1, 2].map(() => openDatabase({ databaseUrl: url, dataDir: 'memory://' })),
    );
    try {
      const results = await Promise.allSettled(
        databases.map(({ client }) => loadDemoData(client, { now: NOW })),
      );
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const rejected = results.find((result) => result.status === 'rejected');
      expect(rejected?.reason).toBeInstanceOf(DemoNotEmptyError);
    } finally {
      for (const { close } of databases) await close();
      await drop();
    }
  });
});

test('the demo world of another day is the same, shifted by whole days', () => {
  const later = new Date(NOW.getTime() + 100 * DAY_MS);
  const events = buildHistory(createClock(NOW));
  const moved = buildHistory(createClock(later));
  expect(moved.map(({ type, featureName }) => [type, featureName])).toEqual(
    events.map(({ type, featureName }) => [type, featureName]),
  );
  expect(
    moved.every(
      (event, i) => Number(event.createdAt) - Number(events[i]?.createdAt) === 100 * DAY_MS,
    ),
  ).toBe(true);
});

type Replayed = {
  creations: number;
  project: string | null;
  description: string | null;
  stale: boolean;
  archived: boolean;
  enabled: Set<string>;
  tags: Set<string>;
  strategies: Record<string, Record<string, unknown>>;
};

const tagOf = (value: unknown) => `${Object(value).type}:${Object(value).value}`;

/** Replays the events of a feature; throws on inconsistent steps. */
const replay = (events: readonly Event[]) => {
  const replayed: Replayed = {
    creations: 0,
    project: null,
    description: null,
    stale: false,
    archived: false,
    enabled: new Set(),
    tags: new Set(),
    strategies: {},
  };
  for (const event of events) step(replayed, event);
  return { ...replayed, enabled: [...replayed.enabled].sort(), tags: [...replayed.tags].sort() };
};

const step = (
  replayed: Replayed,
  { type, projectId, environment, data, preData, tags }: Event,
): void => {
  const now = Object(data) as Record<string, unknown>;
  const before = Object(preData) as Record<string, unknown>;
  const changes: Record<string, () => void> = {
    'feature-created': () => {
      replayed.creations += 1;
      replayed.description = now['description'] as string | null;
    },
    'feature-metadata-updated': () => {
      expect(before['description']).toEqual(replayed.description);
      replayed.description = now['description'] as string | null;
    },
    'feature-stale-on': () => expect(replayed.stale).toBe(false),
    'feature-archived': () => expect(replayed.archived).toBe(false),
    'feature-revived': () => expect(replayed.archived).toBe(true),
    'feature-environment-enabled': () => {
      expect(replayed.enabled.has(environment ?? '')).toBe(false);
      replayed.enabled.add(environment ?? '');
    },
    'feature-environment-disabled': () =>
      expect(replayed.enabled.delete(environment ?? '')).toBe(true),
    'feature-tagged': () => replayed.tags.add(tagOf(data)),
    'feature-tag-import': () => replayed.tags.add(tagOf(now['tag'])),
    'feature-untagged': () => expect(replayed.tags.delete(tagOf(preData))).toBe(true),
    'feature-strategy-add': () => {
      replayed.strategies[String(now['id'])] = now;
    },
    'feature-strategy-update': () => {
      expect(replayed.strategies[String(now['id'])]).toEqual(before);
      replayed.strategies[String(now['id'])] = now;
    },
    'feature-strategy-remove': () => {
      expect(replayed.strategies[String(before['id'])]).toEqual(before);
      delete replayed.strategies[String(before['id'])];
    },
    'strategy-order-changed': () => {
      for (const [sortOrder, id] of (now['strategyIds'] as string[]).entries()) {
        replayed.strategies[id] = { ...replayed.strategies[id], sortOrder };
      }
    },
  };
  changes[type === 'feature-import' ? 'feature-created' : type]?.();

  if (type.startsWith('feature-stale')) replayed.stale = type === 'feature-stale-on';
  if (type === 'feature-archived' || type === 'feature-revived') {
    replayed.archived = type === 'feature-archived';
  }
  if (type.startsWith('feature-') && !type.startsWith('feature-tag-')) replayed.project = projectId;
  expect((tags as unknown[]).map(tagOf).sort()).toEqual([...replayed.tags].sort());
};
