import { expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import { createHistoryBudget } from '../../../src/domain/features/history/history-budget.js';
import { listTimelinesOf } from '../../../src/domain/features/history/list-timelines-of.js';
import { createScanLimiter } from '../../../src/domain/scan-limiter.js';
import { adminActor } from '../../testkit/actors.js';
import { addHistory, at, type HistoryLine, metadata } from '../../testkit/feature-histories.js';
import { timelinesOf } from '../../testkit/history-queries.js';
import { expectNoInternals } from '../../testkit/response-assertions.js';
import { addUser, describeWithRows } from '../../testkit/seeded.js';

type GraphQLFault = { path: string[]; extensions: { code: string } };

const LIMITS = { limiter: createScanLimiter() };
const PRODUCTION = { environment: 'production' };
const ON = 'feature-environment-enabled';
const OFF = 'feature-environment-disabled';
const created = (name: string): HistoryLine => [1, 'feature-created', { data: metadata(name) }];

const MEMBER = 'user:token-of-7';
const TOGGLES = 3_000;

const seed = async (client: PrismaClient) => {
  await addUser(client, { id: 7, username: 'member' });
  await client.project.create({ data: { id: 'web', name: 'Web' } });
  // The payload names no environment, so this event must not affect later periods.
  await client.event.createMany({
    data: [
      { type: 'environment-created', createdBy: 'x', createdAt: at(0), data: 'production' },
      { type: 'drop-features', createdBy: 'x', createdAt: at(0), data: { name: 'all-features' } },
    ],
  });
  await addHistory(
    client,
    'checkout',
    [
      created('checkout'),
      [5, ON, PRODUCTION],
      [6, ON, PRODUCTION],
      [7, ON, { environment: 'development', createdBy: 'bob' }],
      [9, OFF, { ...PRODUCTION, createdBy: 'bob' }],
      [12, ON, PRODUCTION],
    ],
    { development: true, production: true },
  );
  await addHistory(client, 'silenced', [created('silenced'), [5, ON, PRODUCTION]]);
  await addHistory(client, 'untold', []);
  await addHistory(
    client,
    'secretive',
    [
      created('secretive'),
      [3, ON, PRODUCTION],
      [4, 'feature-import', { featureName: null, projectId: null, data: metadata('secretive') }],
      [4, 'feature-import', { featureName: null, projectId: null, data: { name: 'secretiv' } }],
      [5, OFF, PRODUCTION],
      [6, 'feature-environment-enabled', { environment: 'hidden', projectId: null }],
    ],
    { production: false },
  );
  await addHistory(
    client,
    'left',
    [
      created('left'),
      [2, ON, { environment: 'gone' }],
      [3, 'project-environment-removed', { environment: 'gone', featureName: null }],
    ],
    {},
  );
  await addHistory(
    client,
    'nervous',
    [
      created('nervous'),
      ...Array.from(
        { length: TOGGLES },
        (_, index): HistoryLine => [2 + index, index % 2 === 0 ? ON : OFF, PRODUCTION],
      ),
    ],
    { production: false },
  );
  // Malformed events, including text that Prisma cannot write.
  await addHistory(client, 'damaged', [created('damaged'), [2, ON, PRODUCTION]]);
  await client.$executeRawUnsafe(`
    insert into events (type, created_by, created_at, project, feature_name, environment, data) values
      ('feature-updated', 'x', '2024-05-01 00:03:00+00', 'web', 'damaged', null, '{"name":"\\u0000 damaged","a":[[[[[1]]]]]}'),
      ('feature-import', 'x', '2024-05-01 00:04:00+00', null, null, null, '["name", "damaged"]'),
      ('feature-environment-disabled', 'lost', now(), 'web', 'damaged', 'production', '7')`);
  await client.event.updateMany({ where: { createdBy: 'lost' }, data: { createdAt: null } });
};

const TIMELINE = `query ($name: String!, $environment: String!, $last: Int) {
  feature(name: $name) { timeline(environmentName: $environment, last: $last) {
    environmentName state from before contradicted earlierOmitted
    startedBy { typeName createdBy } endedBy { typeName createdBy } } } }`;

describeWithRows('the timeline of a feature', seed, ({ gateway, database, statementsOf }) => {
  const readTimeline = async (
    name: string,
    { environment = 'production', last, token }: Record<string, unknown> = {},
  ) => {
    const response = await gateway().graphql(
      TIMELINE,
      { name, environment, ...(last !== undefined && { last }) },
      typeof token === 'string' ? { token } : {},
    );
    expect(response.errors).toBeUndefined();
    return response.data.feature.timeline;
  };
  const states = async (...args: Parameters<typeof readTimeline>) =>
    (await readTimeline(...args)).map(({ state }: { state: string }) => state);

  test('returns who enabled it and since when', async () => {
    const event = (typeName: string, createdBy = 'ada@example.com') => ({ typeName, createdBy });
    const rest = { environmentName: 'production', contradicted: false, earlierOmitted: false };
    expect(await readTimeline('checkout')).toEqual([
      {
        ...rest,
        state: 'DISABLED',
        from: at(1).toISOString(),
        before: at(5).toISOString(),
        startedBy: event('feature-created'),
        endedBy: event(ON),
      },
      {
        ...rest,
        state: 'ENABLED',
        from: at(5).toISOString(),
        before: at(9).toISOString(),
        startedBy: event(ON),
        endedBy: event(OFF, 'bob'),
      },
      {
        ...rest,
        state: 'DISABLED',
        from: at(9).toISOString(),
        before: at(12).toISOString(),
        startedBy: event(OFF, 'bob'),
        endedBy: event(ON),
      },
      {
        ...rest,
        state: 'ENABLED',
        from: at(12).toISOString(),
        before: null,
        startedBy: event(ON),
        endedBy: null,
      },
    ]);
    expect(await states('checkout', { environment: 'development' })).toEqual([
      'DISABLED',
      'ENABLED',
    ]);
  });

  test('reports what the log does not record, and where it contradicts the database', async () => {
    expect(await readTimeline('untold')).toMatchObject([
      { state: 'UNKNOWN', from: null, before: null, startedBy: null, contradicted: false },
    ]);
    expect(await readTimeline('silenced')).toMatchObject([
      { state: 'DISABLED', contradicted: false },
      { state: 'ENABLED', before: null, endedBy: null, contradicted: true },
    ]);
  });

  test('includes environments that only the log contains', async () => {
    expect(await readTimeline('left', { environment: 'gone' })).toMatchObject([
      { state: 'DISABLED' },
      { state: 'ENABLED', endedBy: { typeName: 'project-environment-removed' } },
      { state: 'DISABLED', contradicted: false },
    ]);
    expect(await states('checkout', { environment: 'gone' })).toEqual(['DISABLED']);
  });

  test('is derived from the events that the caller may see', async () => {
    expect(await states('secretive')).toEqual(['DISABLED', 'ENABLED', 'UNKNOWN', 'DISABLED']);
    expect(await states('secretive', { token: MEMBER })).toEqual([
      'DISABLED',
      'ENABLED',
      'DISABLED',
    ]);
    expect(await states('secretive', { environment: 'hidden' })).toEqual([
      'DISABLED',
      'UNKNOWN',
      'ENABLED',
    ]);
    const { errors } = await gateway().graphql(
      TIMELINE,
      { name: 'secretive', environment: 'hidden' },
      { token: MEMBER },
    );
    expect(errors?.[0]).toMatchObject({ extensions: { code: 'NOT_FOUND' } });
  });

  test('returns the last of many periods and reports that there are more', async () => {
    const few = await readTimeline('nervous', { last: 3 });
    expect(few).toMatchObject([
      { state: 'DISABLED', earlierOmitted: true },
      { state: 'ENABLED', earlierOmitted: false },
      { state: 'DISABLED', earlierOmitted: false, before: null },
    ]);
    expect(await readTimeline('nervous')).toHaveLength(50);
    const all = await readTimeline('nervous', { last: 1000 });
    expect(all).toHaveLength(1000);
    expect(all[0].earlierOmitted).toBe(true);
    expect(all.at(-1)).toMatchObject({ state: 'DISABLED', contradicted: false });
  });

  test('tolerates malformed events', async () => {
    expect(await readTimeline('damaged')).toMatchObject([
      { state: 'DISABLED' },
      { state: 'ENABLED', endedBy: { typeName: 'feature-updated' } },
      { state: 'UNKNOWN', before: null, endedBy: { typeName: OFF } },
      { state: 'DISABLED', from: null, before: null, startedBy: { typeName: OFF }, endedBy: null },
    ]);
  });

  test.each<[string, Record<string, unknown>, string, RegExp]>([
    [
      'an unknown environment',
      { environment: 'prod' },
      'NOT_FOUND',
      /^Environment 'prod' does not exist\. Existing environments: (\w+, )*production(, \w+)*\.$/,
    ],
    [
      'a long name, which is truncated in the message',
      { environment: `${'x'.repeat(199)}😀 and so on` },
      'NOT_FOUND',
      /^Environment 'x{199}…' does not exist\. Existing environments: /,
    ],
    ['an empty environment', { environment: '' }, 'NOT_FOUND', /Environment ''/],
    ['a NUL', { environment: 'a\0' }, 'BAD_USER_INPUT', /environment/i],
    ['a lone surrogate', { environment: '\ud800' }, 'BAD_USER_INPUT', /environment/i],
    ['no periods', { last: 0 }, 'BAD_USER_INPUT', /'last' must be between 1 and 1000 \(got 0\)/],
    ['a negative number of periods', { last: -1 }, 'BAD_USER_INPUT', /'last'/],
    ['too many periods', { last: 1001 }, 'BAD_USER_INPUT', /'last'/],
  ])('rejects %s', async (_title, input, code, message) => {
    const variables = { name: 'checkout', environment: 'production', ...input };
    const { errors } = await gateway().graphql(TIMELINE, variables);
    expect(errors?.[0].extensions.code).toBe(code);
    expect(errors?.[0].message).toMatch(message);
    expectNoInternals(JSON.stringify(errors));
  });

  test('takes one statement, however many environments and lengths are requested', async () => {
    const requested = [
      ['production', 2],
      ['production', 50],
      ['development', 3],
      ['gone', 1],
      ['hidden', 50],
    ] as const;
    const aliases = requested.map(
      ([environment, last], index) =>
        `t${index}: timeline(environmentName: "${environment}", last: ${last}) { state from before earlierOmitted }`,
    );
    const query = `{ features(first: 100) { nodes { name ${aliases.join(' ')} } } }`;
    const statements = await statementsOf(async () => {
      const { data, errors } = await gateway().graphql(query);
      expect(errors).toBeUndefined();
      expect(data.features.nodes).toHaveLength(7);
      for (const { name, ...timelines } of data.features.nodes) {
        for (const [index, [environment, last]] of requested.entries()) {
          const alone = await timelinesOf(database().client, adminActor, {
            names: [name],
            environment,
            last,
          });
          const expected = alone.get(name)?.map(({ state, from, to, earlierOmitted }) => ({
            state,
            from: from?.toISOString() ?? null,
            before: to?.toISOString() ?? null,
            earlierOmitted,
          }));
          expect(timelines[`t${index}`], `${name} in ${environment}`).toEqual(expected);
        }
      }
    });
    // The token, the features and all timelines; each of the comparisons takes one.
    expect(statements).toHaveLength(3 + 7 * requested.length);
  });

  test('is rejected individually', async () => {
    const { data, errors } = await gateway().graphql(`{
        a: feature(name: "checkout") { timeline(environmentName: "production") { state } }
        b: feature(name: "checkout") { timeline(environmentName: "nowhere") { state } }
        c: feature(name: "checkout") { timeline(environmentName: "production", last: 0) { state } } }`);
    expect(data.a.timeline).toHaveLength(4);
    expect([data.b, data.c]).toEqual([null, null]);
    const codes = errors?.map(({ path, extensions }: GraphQLFault) => [path[0], extensions.code]);
    expect(codes?.sort()).toEqual([
      ['b', 'NOT_FOUND'],
      ['c', 'BAD_USER_INPUT'],
    ]);
  });

  test('is rejected once a request has reached its read limit', async () => {
    const budget = createHistoryBudget({
      field: 'timeline',
      requested: 'environments',
      read: 200,
      walked: 10_000,
    });
    const readLast50 = (name: string) =>
      listTimelinesOf(database().client, LIMITS, adminActor, {
        queries: [{ name, environment: 'production', last: 50 }],
        budget,
      });
    expect((await readLast50('nervous')).size).toBe(1);
    await expect(readLast50('nervous')).rejects.toThrow(
      /^'timeline' would read more than 200 events for this request\./,
    );
  });

  test('reads no more events than the request has left', async () => {
    const counted: number[] = [];
    const budget = {
      ...createHistoryBudget({
        field: 'timeline',
        requested: 'environments',
        read: 7,
        walked: 7_000,
      }),
      read: (events: number) => {
        counted.push(events);
      },
    };
    const query = { name: 'nervous', environment: 'production', last: 1_000 };
    await listTimelinesOf(database().client, LIMITS, adminActor, {
      queries: [query],
      budget,
    });
    // One more to detect truncation, and the two that concern all features.
    expect(counted).toEqual([7 + 1 + 2]);
  });

  test('takes as many statements for one feature as for many', async () => {
    const query = `query ($n: Int!) { features(first: $n) { nodes { name
        a: timeline(environmentName: "production", last: 5) { state startedBy { id } endedBy { createdBy } }
        b: timeline(environmentName: "production", last: 5) { from } } } }`;
    const count = async (n: number) => {
      const { length } = await statementsOf(async () => {
        const { data, errors } = await gateway().graphql(query, { n });
        expect(errors).toBeUndefined();
        expect(data.features.nodes).toHaveLength(n);
      });
      return length;
    };
    const one = await count(1);
    expect(await count(7)).toBe(one);
    // The token, the features, all timelines, and the events that start and end their periods.
    expect(one).toBe(4);
    expect(await database().client.feature.count()).toBe(7);
  });
});
