import { expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import {
  addEvents,
  addHistory,
  at,
  type HistoryLine,
  metadata,
  strategy,
} from '../../testkit/feature-histories.js';
import { addUser, describeWithRows } from '../../testkit/seeded.js';

const PRODUCTION = { environment: 'production' };
const MEMBER = 'user:token-of-7';

type Stored = { id: string; sortOrder?: number; segments?: readonly number[] };

const added = (minute: number, id: string, more: object = {}): HistoryLine => [
  minute,
  'feature-strategy-add',
  { ...PRODUCTION, data: strategy(id, more) },
];
const updated = (minute: number, id: string, before: object, after: object): HistoryLine => [
  minute,
  'feature-strategy-update',
  { ...PRODUCTION, preData: strategy(id, before), data: strategy(id, after) },
];
const reordered = (minute: number, before: string[], after: string[]): HistoryLine => [
  minute,
  'strategy-order-changed',
  { ...PRODUCTION, preData: { strategyIds: before }, data: { strategyIds: after } },
];
const removed = (minute: number, id: string): HistoryLine => [
  minute,
  'feature-strategy-remove',
  // Unleash records no segments when it removes a strategy.
  { ...PRODUCTION, preData: strategy(id, { segments: [] }) },
];

const addFeature = async (
  client: PrismaClient,
  name: string,
  lines: readonly HistoryLine[],
  stored: readonly Stored[] = [],
) => {
  const created: HistoryLine = [10, 'feature-created', { data: metadata(name) }];
  await addHistory(client, name, [created, ...lines]);
  for (const { id, sortOrder = 0, segments = [] } of stored) {
    await client.strategy.create({
      data: {
        id: `${name}-${id}`,
        featureName: name,
        projectId: 'web',
        environmentName: 'production',
        name: 'flexibleRollout',
        constraints: [],
        sortOrder,
      },
    });
    for (const segmentId of segments) {
      await client.strategySegment.create({ data: { strategyId: `${name}-${id}`, segmentId } });
    }
  }
};

const seed = async (client: PrismaClient) => {
  await addUser(client, { id: 7, username: 'member' });
  await client.project.create({ data: { id: 'web', name: 'web' } });
  await client.projectEnvironment.create({
    data: { projectId: 'web', environmentName: 'production' },
  });
  await client.segment.createMany({ data: [1, 2].map((id) => ({ id, name: `segment ${id}` })) });
  const of = (name: string) => (id: string) => `${name}-${id}`;

  const kept = of('kept');
  await addFeature(
    client,
    'kept',
    [added(11, kept('a'), { segments: [1, 9] })],
    [{ id: 'a', segments: [1, 2] }],
  );
  // Without a project, so only administrators see it.
  await client.event.create({
    data: {
      type: 'segment-deleted',
      createdBy: 'admin',
      createdAt: at(30),
      preData: { id: 9, name: 'gone' },
    },
  });
  await addEvents(client, 'kept', [
    updated(40, kept('a'), { segments: [1] }, { segments: [1, 2] }),
  ]);
  const silent = of('silent');
  await addFeature(
    client,
    'silent',
    [
      added(11, silent('a'), { segments: [] }),
      // Another call set the segments in between, without an event.
      updated(20, silent('a'), { segments: [2] }, { segments: [2], title: 'x' }),
      added(21, silent('b'), { sortOrder: 1, segments: [1] }),
      added(22, silent('c'), { sortOrder: 2, segments: [1] }),
      removed(30, silent('c')),
    ],
    [
      { id: 'a', segments: [2] },
      { id: 'b', sortOrder: 1, segments: [] },
    ],
  );
  const sorted = of('sorted');
  const two = [added(11, sorted('a'), { sortOrder: 3 }), added(12, sorted('b'), { sortOrder: 4 })];
  await addFeature(
    client,
    'sorted',
    [
      ...two,
      reordered(13, [sorted('a'), sorted('b')], [sorted('b'), sorted('a')]),
      added(14, sorted('c'), { sortOrder: 5 }),
      reordered(
        15,
        [sorted('b'), sorted('c'), sorted('a')],
        [sorted('c'), sorted('b'), sorted('a')],
      ),
      added(16, sorted('d'), { sortOrder: 0 }),
    ],
    [
      { id: 'd', sortOrder: 0 },
      { id: 'c', sortOrder: 1 },
      { id: 'b', sortOrder: 2 },
      { id: 'a', sortOrder: 3 },
    ],
  );
  const lost = of('lost');
  await addFeature(client, 'lost', [
    added(11, lost('a'), { sortOrder: 3 }),
    reordered(12, [lost('a')], [lost('a')]),
    added(13, lost('b'), { sortOrder: 5 }),
    removed(20, lost('a')),
  ]);
  await addFeature(client, 'zombie', [
    [15, 'feature-deleted', { preData: metadata('zombie') }],
    [20, 'feature-deleted', { preData: metadata('zombie', { archived: true }) }],
    [30, 'feature-created', { data: metadata('zombie') }],
    [40, 'feature-deleted', { preData: metadata('zombie', { archived: true }) }],
  ]);
  await client.event.createMany({
    data: [
      { type: 'project-environment-removed', createdAt: at(50), projectId: 'web', ...PRODUCTION },
      { type: 'project-environment-added', createdAt: at(60), projectId: 'web', ...PRODUCTION },
    ].map((event) => ({ ...event, createdBy: 'admin', ip: '198.51.100.1' })),
  });
};

describeWithRows('strategies and environments of the past', seed, ({ gateway }) => {
  const productionOf = async (name: string, minute: number, token?: string) => {
    const { data, errors } = await gateway().graphql(
      `query ($name: String!, $time: DateTime!) { feature(name: $name) { asOf(time: $time) {
        existence contradicted
        environments { environmentName state inProject unknown strategies { strategyId segmentIds } } } } }`,
      { name, time: at(minute).toISOString() },
      token === undefined ? {} : { token },
    );
    expect(errors).toBeUndefined();
    const { environments, ...state } = data.feature.asOf;
    const production = environments.find(
      ({ environmentName }: { environmentName: string }) => environmentName === 'production',
    );
    return { ...state, ...production };
  };
  const segmentsOf = async (name: string, minute: number, token?: string) => {
    const { strategies, unknown } = await productionOf(name, minute, token);
    const segments = strategies.map(
      ({ segmentIds }: { segmentIds: number[] | null }) => segmentIds,
    );
    return { segments, isUnknown: unknown.includes('SEGMENTS') };
  };
  const orderOf = async (name: string, minute: number) => {
    const { strategies, unknown } = await productionOf(name, minute);
    const ids = strategies.map(({ strategyId }: { strategyId: string }) => strategyId.at(-1));
    return { order: ids.join(''), isUnknown: unknown.includes('STRATEGY_ORDER') };
  };

  test('excludes segments after their deletion', async () => {
    expect(await segmentsOf('kept', 20)).toEqual({ segments: [[1, 9]], isUnknown: false });
    expect(await segmentsOf('kept', 30)).toEqual({ segments: [[1]], isUnknown: false });
    expect(await segmentsOf('kept', 45)).toEqual({ segments: [[1, 2]], isUnknown: false });
  });

  test('has unknown segments for callers who do not see the deletion', async () => {
    for (const minute of [20, 30]) {
      const seen = await segmentsOf('kept', minute, MEMBER);
      expect(seen).toEqual({ segments: [null], isUnknown: true });
    }
    expect(await segmentsOf('kept', 45, MEMBER)).toEqual({ segments: [[1, 2]], isUnknown: false });
  });

  test('has unknown segments if they were changed without an event', async () => {
    // The next event, or the database, shows other segments; a removal shows none.
    expect(await segmentsOf('silent', 15)).toEqual({ segments: [null], isUnknown: true });
    expect(await segmentsOf('silent', 20)).toEqual({ segments: [[2]], isUnknown: false });
    expect(await segmentsOf('silent', 25)).toEqual({
      segments: [[2], null, null],
      isUnknown: true,
    });
  });

  test('has the order of strategies that a later event or the database shows', async () => {
    expect(await orderOf('sorted', 12)).toEqual({ order: 'ab', isUnknown: false });
    expect(await orderOf('sorted', 13)).toEqual({ order: 'ba', isUnknown: false });
    expect(await orderOf('sorted', 14)).toEqual({ order: 'bca', isUnknown: false });
    expect(await orderOf('sorted', 15)).toEqual({ order: 'cba', isUnknown: false });
    expect(await orderOf('sorted', 16)).toEqual({ order: 'dcba', isUnknown: false });
  });

  test('has an unknown order if nothing shows where a strategy was added', async () => {
    expect(await orderOf('lost', 12)).toEqual({ order: 'a', isUnknown: false });
    expect(await orderOf('lost', 14)).toMatchObject({ isUnknown: true });
    expect(await orderOf('lost', 25)).toEqual({ order: 'b', isUnknown: false });
  });

  test('shows whether the project had an environment', async () => {
    expect(await productionOf('kept', 45)).toMatchObject({ inProject: true });
    expect(await productionOf('kept', 55)).toMatchObject({
      inProject: false,
      state: 'DISABLED',
      strategies: [{ strategyId: 'kept-a' }],
    });
    expect(await productionOf('kept', 60)).toMatchObject({ inProject: true });
    expect(await productionOf('kept', 55, MEMBER)).toMatchObject({ inProject: false });
  });

  test('ignores the recorded deletion of a feature that was not archived', async () => {
    expect(await productionOf('zombie', 17)).toMatchObject({ existence: 'EXISTED' });
    const { data } = await gateway().graphql(`{ feature(name: "zombie") {
      timeline(environmentName: "production") { state before contradicted } } }`);
    expect(data.feature.timeline).toEqual([
      { state: 'DISABLED', before: at(20).toISOString(), contradicted: false },
      { state: 'DISABLED', before: at(40).toISOString(), contradicted: false },
      { state: 'UNKNOWN', before: null, contradicted: true },
    ]);
  });

  test('marks a deletion that the existing feature contradicts', async () => {
    const existence = async (minute: number) => {
      const { existence: is, contradicted } = await productionOf('zombie', minute);
      return [is, contradicted];
    };
    expect(await existence(25)).toEqual(['DELETED', false]);
    expect(await existence(35)).toEqual(['EXISTED', false]);
    expect(await existence(45)).toEqual(['DELETED', true]);
  });
});
