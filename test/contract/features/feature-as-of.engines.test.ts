import { describe, expect, inject, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import { addHistory, at, metadata, strategy } from '../../testkit/feature-histories.js';
import { expectNoInternals } from '../../testkit/response-assertions.js';
import { addUser, describeWithRows } from '../../testkit/seeded.js';

const PRODUCTION = { environment: 'production' };
const MEMBER = 'user:token-of-7';
/** Each has more events than are replayed for one feature. */
const BUSY = [1, 2, 3, 4, 5].map((index) => `very-busy-${index}`);
/** Writing the events of all of them takes many seconds on the embedded database. */
const busyCount = inject('engine') === 'embedded' ? 1 : BUSY.length;
const RED = { type: 'simple', value: 'red' };

const seed = async (client: PrismaClient) => {
  await addUser(client, { id: 7, username: 'member' });
  await client.project.createMany({
    data: ['web', 'mobile'].map((id) => ({ id, name: id })),
  });
  // The start of the log, and the first event that callers without ADMIN see.
  await client.event.createMany({
    data: [
      { type: 'setting-created', createdBy: 'system', createdAt: at(0) },
      { type: 'project-created', createdBy: 'system', projectId: 'web', createdAt: at(5) },
    ],
  });
  await addHistory(
    client,
    'checkout',
    [
      [10, 'feature-created', { data: metadata('checkout', { description: 'Pay' }) }],
      [11, 'feature-tagged', { data: RED, tags: [RED] }],
      [12, 'feature-strategy-add', { ...PRODUCTION, data: strategy('s1'), tags: [RED] }],
      [13, 'feature-environment-enabled', { ...PRODUCTION, tags: [RED] }],
      [
        14,
        'feature-strategy-update',
        {
          ...PRODUCTION,
          tags: [RED],
          data: strategy('s1', {
            title: 'Half',
            parameters: { groupId: 'checkout', rollout: '50', stickiness: 'default' },
            constraints: [
              { contextName: 'userId', operator: 'IN', values: ['1'], inverted: false },
            ],
            segments: [3],
          }),
          preData: strategy('s1'),
        },
      ],
      [
        15,
        'feature-environment-variants-updated',
        {
          ...PRODUCTION,
          tags: [RED],
          data: { variants: [{ name: 'blue', weight: 1000, weightType: 'variable' }] },
          preData: { variants: [] },
        },
      ],
      [16, 'feature-dependency-added', { tags: [RED], data: { feature: 'base', enabled: true } }],
      [17, 'feature-stale-on', { tags: [RED] }],
      [18, 'feature-dependencies-removed', { tags: [RED] }],
      [
        19,
        'feature-project-change',
        { projectId: 'mobile', tags: [RED], data: { oldProject: 'web', newProject: 'mobile' } },
      ],
      [20, 'feature-untagged', { projectId: 'mobile', preData: RED, tags: [RED] }],
      [21, 'feature-archived', { projectId: 'mobile' }],
    ],
    { production: true, development: false },
  );
  await addHistory(client, 'reborn', [
    [20, 'feature-created', { data: metadata('reborn') }],
    [22, 'feature-archived'],
    [23, 'feature-deleted', { preData: metadata('reborn', { archived: true }) }],
    [30, 'feature-created', { data: metadata('reborn', { type: 'experiment' }) }],
  ]);
  await addHistory(client, 'older-than-the-log', [
    [20, 'feature-stale-on', { tags: [RED] }],
    [25, 'feature-environment-enabled', PRODUCTION],
  ]);
  await addHistory(client, 'untold', []);
  await addHistory(client, 'secretive', [
    [20, 'feature-created', { projectId: null, data: metadata('secretive') }],
    [21, 'feature-stale-on'],
    [22, 'feature-favorited', { projectId: null }],
  ]);
  await addHistory(client, 'damaged', [
    [20, 'feature-created', { data: metadata('damaged') }],
    [21, 'feature-strategy-add', { ...PRODUCTION, data: strategy('s1') }],
  ]);
  const deep = `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`;
  const wide = `{${Array.from({ length: 3_000 }, (_, i) => `"key${i}":${i}`).join(',')}}`;
  await client.$executeRawUnsafe(`
    insert into events (type, created_by, created_at, project, feature_name, environment, data, pre_data, tags) values
      ('feature-metadata-updated', 'x', '2024-05-01 00:22:00+00', 'web', 'damaged', null, '${deep}', null, null),
      ('feature-strategy-update', 'x', '2024-05-01 00:23:00+00', 'web', 'damaged', 'production', '${wide}', '[]', '{}'),
      ('feature-tagged', 'x', '2024-05-01 00:24:00+00', 'web', 'damaged', null, '"red"', '7', '"red"'),
      ('feature-dependency-added', 'x', '2024-05-01 00:25:00+00', 'web', 'damaged', null, '{"feature":"\\u0000","enabled":"no"}', null, '[]'),
      ('feature-environment-variants-updated', 'x', '2024-05-01 00:26:00+00', 'web', 'damaged', 'production', 'false', null, '[1]'),
      ('feature-stale-on', 'x', '2024-05-01 00:40:00.000900+00', 'web', 'untimely', null, null, null, '[]'),
      ('feature-stale-off', 'x', '2024-05-01 00:40:00.001000+00', 'web', 'untimely', null, null, null, '[]'),
      ('feature-stale-on', 'x', '2024-05-01 00:40:00.001000+00', 'web', 'untimely', null, null, null, '[]'),
      ('feature-archived', 'x', null, 'web', 'untimely', null, null, null, '[]'),
      ('feature-revived', 'x', '2024-05-01 00:45:00+00', 'web', 'untimely', null, null, null, '[]'),
      ('feature-archived', 'x', '2024-05-01 00:44:00+00', 'web', 'untimely', null, null, null, '[]')`);
  await addHistory(client, 'untimely', []);

  for (const name of BUSY) {
    await addHistory(client, name, [[50, 'feature-created', { data: metadata(name) }]]);
  }
  await client.$executeRawUnsafe(`
    insert into events (type, created_by, created_at, project, feature_name, ip)
    select case when n % 2 = 0 then 'feature-stale-on' else 'feature-stale-off' end, 'x',
      '2024-05-02 00:00:00+00', 'web', 'very-busy-' || (n % ${busyCount} + 1), '198.51.100.1'
    from generate_series(1, ${5_200 * busyCount}) n`);
  await addHistory(client, 'very-flooded', [
    [50, 'feature-created', { data: metadata('very-flooded') }],
  ]);
  await client.$executeRawUnsafe(`
    insert into events (type, created_by, created_at, data)
    select 'feature-import', 'x', '2024-05-02 00:00:00+00', '{"name":"very-flooded"}'
    from generate_series(1, 5001)`);
};

const AS_OF = `query ($name: String!, $time: DateTime!) { feature(name: $name) { asOf(time: $time) {
  time existence unknown partial archived projectId project { id } type description stale impressionData
  tags { type value } dependencies { featureName enabled variantNames }
  lastEvent { typeName } nextEvent { typeName }
  environments { environmentName state
    strategies { strategyId name title disabled parameters constraints { contextName values } segmentIds variants { name } }
    variants { name weight } } } } }`;

const ALL = [
  'PROJECT',
  'TYPE',
  'DESCRIPTION',
  'STALE',
  'IMPRESSION_DATA',
  'ARCHIVED',
  'TAGS',
  'DEPENDENCIES',
];
const UNRECORDED = { state: 'UNKNOWN', strategies: null, variants: null };

describeWithRows('a feature at a timestamp', seed, ({ gateway, statementsOf, kind }) => {
  const readAsOf = async (name: string, time: Date, token?: string) => {
    const { data, errors } = await gateway().graphql(
      AS_OF,
      { name, time: time.toISOString() },
      token === undefined ? {} : { token },
    );
    expect(errors).toBeUndefined();
    return data.feature.asOf;
  };

  test('is replayed from the events up to then', async () => {
    expect(await readAsOf('checkout', at(16))).toEqual({
      time: at(16).toISOString(),
      existence: 'EXISTED',
      unknown: [],
      partial: false,
      archived: false,
      projectId: 'web',
      project: { id: 'web' },
      type: 'release',
      description: 'Pay',
      stale: false,
      impressionData: false,
      tags: [RED],
      dependencies: [{ featureName: 'base', enabled: true, variantNames: [] }],
      lastEvent: { typeName: 'feature-dependency-added' },
      nextEvent: { typeName: 'feature-stale-on' },
      environments: [
        { environmentName: 'development', state: 'DISABLED', strategies: [], variants: null },
        {
          environmentName: 'production',
          state: 'ENABLED',
          strategies: [
            {
              strategyId: 's1',
              name: 'flexibleRollout',
              title: 'Half',
              disabled: false,
              parameters: { groupId: 'checkout', rollout: '50', stickiness: 'default' },
              constraints: [{ contextName: 'userId', values: ['1'] }],
              segmentIds: [3],
              variants: [],
            },
          ],
          variants: [{ name: 'blue', weight: 1000 }],
        },
      ],
    });
  });

  test('differs earlier and later', async () => {
    const early = await readAsOf('checkout', at(13));
    expect(early.environments[1]).toMatchObject({
      state: 'ENABLED',
      strategies: [{ title: null, parameters: { rollout: '100' } }],
      // The next change of the variants records the previous ones.
      variants: [],
    });
    expect(await readAsOf('checkout', at(10))).toMatchObject({
      tags: [],
      environments: [{ state: 'DISABLED' }, { state: 'DISABLED', strategies: [] }],
    });
    expect(await readAsOf('checkout', new Date())).toMatchObject({
      archived: true,
      stale: true,
      projectId: 'mobile',
      tags: [],
      dependencies: [],
      lastEvent: { typeName: 'feature-archived' },
      nextEvent: null,
      environments: [{}, { state: 'ENABLED' }],
    });
  });

  test('is unknown before the log starts', async () => {
    const before = await readAsOf('checkout', new Date(at(0).getTime() - 1));
    expect(before).toMatchObject({
      existence: 'UNKNOWN',
      unknown: ALL,
      lastEvent: null,
      nextEvent: { typeName: 'feature-created' },
      environments: [
        { environmentName: 'development', ...UNRECORDED },
        { environmentName: 'production', ...UNRECORDED },
      ],
    });
    expect(before.description).toBe(null);
    expect((await readAsOf('checkout', new Date('0001-01-01T00:00:00Z'))).existence).toBe(
      'UNKNOWN',
    );
    // The first event that this caller sees is later.
    expect((await readAsOf('checkout', at(2), MEMBER)).existence).toBe('UNKNOWN');
  });

  test('does not exist before its creation, nor between a deletion and the next creation', async () => {
    const nothing = { unknown: [], archived: null, tags: null, environments: [] };
    expect(await readAsOf('checkout', at(2))).toMatchObject({
      existence: 'NOT_YET_CREATED',
      ...nothing,
    });
    expect(await readAsOf('reborn', at(21))).toMatchObject({
      existence: 'EXISTED',
      type: 'release',
    });
    expect(await readAsOf('reborn', at(25))).toMatchObject({ existence: 'DELETED', ...nothing });
    expect(await readAsOf('reborn', at(31))).toMatchObject({
      existence: 'EXISTED',
      type: 'experiment',
      archived: false,
    });
  });

  test('is partially known when its creation is not recorded', async () => {
    expect(await readAsOf('older-than-the-log', at(10))).toMatchObject({
      existence: 'UNKNOWN',
      unknown: ALL,
    });
    expect(await readAsOf('older-than-the-log', at(22))).toMatchObject({
      existence: 'EXISTED',
      stale: true,
      projectId: 'web',
      tags: [RED],
      unknown: ['TYPE', 'DESCRIPTION', 'IMPRESSION_DATA', 'ARCHIVED', 'DEPENDENCIES'],
      environments: [UNRECORDED, UNRECORDED],
    });
    expect((await readAsOf('older-than-the-log', at(30))).environments).toMatchObject([
      { state: 'UNKNOWN' },
      { state: 'ENABLED' },
    ]);
    expect(await readAsOf('untold', at(30))).toMatchObject({ existence: 'UNKNOWN', unknown: ALL });
  });

  test('is replayed from the events that the caller may see', async () => {
    expect(await readAsOf('secretive', at(30))).toMatchObject({
      unknown: [],
      lastEvent: { typeName: 'feature-favorited' },
    });
    const seen = await readAsOf('secretive', at(30), MEMBER);
    expect(seen).toMatchObject({
      existence: 'EXISTED',
      type: null,
      stale: true,
      lastEvent: { typeName: 'feature-stale-on' },
      nextEvent: null,
    });
    expect(seen.unknown).toContain('TYPE');
    expect(await readAsOf('secretive', at(15), MEMBER)).toMatchObject({
      existence: 'UNKNOWN',
      nextEvent: { typeName: 'feature-stale-on' },
    });
  });

  test('includes every event of its millisecond, in the order of their IDs', async () => {
    const after = (milliseconds: number) => new Date(at(40).getTime() + milliseconds);
    expect((await readAsOf('untimely', after(0))).stale).toBe(true);
    expect(await readAsOf('untimely', after(1))).toMatchObject({
      stale: true,
      unknown: expect.arrayContaining(['ARCHIVED']),
      nextEvent: { typeName: 'feature-revived' },
    });
    // An event without a timestamp counts after a later one; an event written late is replayed last.
    expect(await readAsOf('untimely', at(44))).toMatchObject({ archived: true });
    expect(await readAsOf('untimely', at(45))).toMatchObject({
      archived: true,
      lastEvent: { typeName: 'feature-archived' },
    });
  });

  test('is unknown only in what malformed events concern', async () => {
    const damaged = await readAsOf('damaged', at(60));
    expect(damaged).toMatchObject({
      existence: 'EXISTED',
      projectId: 'web',
      unknown: [
        'TYPE',
        'DESCRIPTION',
        'STALE',
        'IMPRESSION_DATA',
        'ARCHIVED',
        'TAGS',
        'DEPENDENCIES',
      ],
      environments: [
        { environmentName: 'development', state: 'DISABLED', strategies: [], variants: null },
        { environmentName: 'production', state: 'DISABLED', strategies: null, variants: null },
      ],
    });
  });

  test.each<[string, string, RegExp]>([
    ['a time in the future', '2999-01-01T00:00:00Z', /'time' must not be in the future/],
    ['the year 0', '0000-12-31T00:00:00Z', /'time' must be in the years 1 to 9999/],
    ['the year 10000', '9999-12-31T23:59:59-12:00', /'time' must be in the years 1 to 9999/],
    ['an invalid timestamp', 'yesterday', /DateTime/],
  ])('is rejected for %s', async (_title, time, message) => {
    const { errors } = await gateway().graphql(AS_OF, { name: 'checkout', time });
    expect(errors?.[0].extensions.code).toBe('BAD_USER_INPUT');
    expect(errors?.[0].message).toMatch(message);
    expectNoInternals(JSON.stringify(errors));
  });

  test('takes the time of a caller whose clock is ahead', async () => {
    const time = new Date(Date.now() + 30_000).toISOString();
    const { data } = await gateway().graphql(AS_OF, { name: 'checkout', time });
    const now = new Date().toISOString();
    const { data: known } = await gateway().graphql(AS_OF, { name: 'checkout', time: now });
    expect(data.feature.asOf).toEqual({ ...known.feature.asOf, time });
  });

  test('takes as many statements for one feature as for many', async () => {
    const query = `query ($n: Int!, $time: DateTime!) { features(first: $n) { nodes { name
        asOf(time: $time) { existence lastEvent { id } nextEvent { summary } environments { state } }
        again: asOf(time: $time) { project { name } } } } }`;
    const count = async (n: number) => {
      const variables = { n, time: at(21).toISOString() };
      const { length } = await statementsOf(async () => {
        const { data, errors } = await gateway().graphql(query, variables);
        expect(errors).toBeUndefined();
        expect(data.features.nodes).toHaveLength(n);
      });
      return length;
    };
    const one = await count(1);
    expect(await count(7)).toBe(one);
    // The token, the features, their events, and the projects at that time.
    expect(one).toBe(4);
  });

  test('is read for many timestamps in one statement, with the same result as one by one', async () => {
    const names = [
      'checkout',
      'reborn',
      'older-than-the-log',
      'untold',
      'secretive',
      'damaged',
      'untimely',
    ];
    const minutes = Array.from({ length: 40 }, (_, minute) => minute);
    const aliasOf = (minute: number) =>
      `m${minute}: asOf(time: "${at(minute).toISOString()}") { ...state }`;
    const fragment = `fragment state on FeatureAsOf { existence unknown partial stale archived type tags { value }
        lastEvent { id } nextEvent { id }
        environments { environmentName state strategies { strategyId title } variants { name } } }`;
    const single = `query ($name: String!, $time: DateTime!) {
      feature(name: $name) { asOf(time: $time) { ...state } } } ${fragment}`;

    const nodes: Record<string, unknown>[] = names.map(() => ({}));
    for (const some of [minutes.slice(0, 20), minutes.slice(20)]) {
      const statements = await statementsOf(async () => {
        const { data, errors } = await gateway().graphql(
          `{ features(first: 7, filter: { name: { anyOf: ${JSON.stringify(names)} } }) {
            nodes { name ${some.map(aliasOf).join(' ')} } } } ${fragment}`,
        );
        expect(errors).toBeUndefined();
        for (const [index, node] of nodes.entries())
          Object.assign(node, data.features.nodes[index]);
      });
      // The token, the features, and their events.
      expect(statements).toHaveLength(3);
    }

    const compared = minutes.filter((minute) => minute % 3 === 0 || minute > 20);
    const cases = nodes.flatMap((node) => compared.map((minute) => ({ node, minute })));
    // The embedded database is slower: a quarter of them.
    for (const { node, minute } of cases.filter((_, n) => kind === 'postgres' || n % 4 === 0)) {
      const variables = { name: node['name'], time: at(minute).toISOString() };
      const { data } = await gateway().graphql(single, variables);
      expect(node[`m${minute}`], `${node['name']} at ${minute}`).toEqual(data.feature.asOf);
    }
  });

  test('is rejected individually', async () => {
    const { data, errors } = await gateway().graphql(`{
      a: feature(name: "checkout") { asOf(time: "${at(16).toISOString()}") { stale } }
      b: feature(name: "checkout") { asOf(time: "2999-01-01T00:00:00Z") { stale } } }`);
    expect(data.a.asOf).toEqual({ stale: false });
    expect(errors).toHaveLength(1);
    expect(errors?.[0]).toMatchObject({ path: ['b', 'asOf'] });
  });

  describe('with very many events', () => {
    const now = new Date();
    const asOf = (time: Date) => `asOf(time: "${time.toISOString()}") { partial unknown }`;

    test('is as complete at an early timestamp next to a late one as alone', async () => {
      const query = `{ feature(name: "very-busy-1") { late: ${asOf(now)} early: ${asOf(at(51))} } }`;
      const statements = await statementsOf(async () => {
        const { data } = await gateway().graphql(query);
        expect(data.feature.late).toMatchObject({ partial: true });
        expect(data.feature.early).toEqual({ partial: false, unknown: [] });
      });
      // The token, the feature, its last events, and those before the early timestamp.
      expect(statements).toHaveLength(4);
    });

    test.runIf(kind === 'postgres')(
      'is rejected when the request reads more than 20,000 events in all fields',
      async () => {
        const names = JSON.stringify(BUSY.slice(0, 3));
        const busy = (time: Date) =>
          `features(filter: { name: { anyOf: ${names} } }) { nodes { ${asOf(time)} } }`;
        const query = (time: Date) => `{
        near: project(id: "web") { ${busy(now)} }
        far: project(id: "web") { features(first: 1) { nodes { project { ${busy(time)} } } } } }`;
        // The same timestamp of the same features is read once.
        expect((await gateway().graphql(query(now))).errors).toBeUndefined();
        const { data, errors } = await gateway().graphql(query(new Date(now.getTime() - 1)));
        // Whichever field reads first may get its events; the other one must not.
        const answered = [data.near, data.far.features.nodes[0].project].filter(Boolean);
        expect(answered.length).toBeLessThanOrEqual(1);
        for (const { features } of answered) expect(features.nodes).toHaveLength(3);
        expect(errors).toHaveLength(2 - answered.length);
        for (const { message, extensions } of errors ?? []) {
          expect(extensions.code).toBe('BAD_USER_INPUT');
          expect(message).toBe(
            "'asOf' would read more than 20000 events for this request. Request fewer features or fewer timestamps.",
          );
        }
      },
    );

    test('is rejected for many timestamps that each exceed the replay limit', async () => {
      const aliases = [0, 1, 2, 3, 4].map((i) => `m${i}: ${asOf(new Date(now.getTime() - i))}`);
      const statements = await statementsOf(async () => {
        const { errors } = await gateway().graphql(
          `{ feature(name: "very-busy-1") { ${aliases.join(' ')} } }`,
        );
        expect(errors?.[0].message).toMatch(/'asOf' would read more than 20000 events/);
      });
      // The token, the feature, and its last 5,000 events as often as the limit allows.
      expect(statements).toHaveLength(6);
    });

    test('is replayed from its last 5,000 events and marked as partial', async () => {
      const busy = await readAsOf('very-busy-1', new Date());
      expect(busy).toMatchObject({ partial: true, existence: 'EXISTED', projectId: 'web' });
      expect(busy.unknown).toEqual([
        'TYPE',
        'DESCRIPTION',
        'IMPRESSION_DATA',
        'ARCHIVED',
        'DEPENDENCIES',
      ]);
      expect(await readAsOf('very-busy-1', at(51))).toMatchObject({ partial: false, unknown: [] });
    });

    test('is partial when too many events without a feature concern it', async () => {
      expect(await readAsOf('very-flooded', new Date())).toMatchObject({ partial: true });
      expect(await readAsOf('very-flooded', at(51))).toMatchObject({
        partial: true,
        existence: 'UNKNOWN',
      });
    });

    test.runIf(kind === 'postgres')(
      'is rejected in a list of features with more than 20,000 events',
      async () => {
        const query = `query ($names: [String!], $time: DateTime!) {
          features(filter: { name: { anyOf: $names } }) { nodes { asOf(time: $time) { stale } } } }`;
        const run = (names: string[]) =>
          gateway().graphql(query, { names, time: new Date().toISOString() });
        expect((await run(BUSY.slice(0, 2))).errors).toBeUndefined();
        const { errors } = await run([...BUSY]);
        expect(errors?.[0].extensions.code).toBe('BAD_USER_INPUT');
        expect(errors?.[0].message).toMatch(/more than 20000 events/);
      },
    );
  });
});
