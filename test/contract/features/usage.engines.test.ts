import { expect, test, vi } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import { readUsage, readVariantUsage } from '../../../src/data/usage/usage.sql.js';
import { userActor } from '../../testkit/actors.js';
import { seed } from '../../testkit/seed.js';
import { describeWithRows } from '../../testkit/seeded.js';

const NOW = new Date('2026-11-18T10:30:00Z');
vi.useFakeTimers({ toFake: ['Date'], now: NOW });

const MANY = 30;
const APPLICATIONS = 120;

const at = (text: string) => new Date(`${text.padEnd(19, ':00')}Z`);

const counted = (
  applicationName: string,
  more: { featureName?: string; yes?: number; no?: number },
) => ({
  featureName: 'used',
  environmentName: 'production',
  applicationName,
  yes: 0,
  no: 0,
  ...more,
});

const addCounts = async (client: PrismaClient) => {
  await client.hourlyUsage.createMany({
    data: [
      { ...counted('web', { yes: 5, no: 1 }), hour: at('2026-11-18T10:00') },
      { ...counted('web', { yes: 3, no: 2 }), hour: at('2026-11-17T11:00') },
      // Outside the last 24 hours.
      { ...counted('web', { yes: 40 }), hour: at('2026-11-17T10:00') },
      { ...counted('mobile', { yes: 7 }), hour: at('2026-11-18T09:00') },
      {
        ...counted('web', { yes: 1_000 }),
        environmentName: 'development',
        hour: at('2026-11-18T09:00'),
      },
      // Only a part of this day is still stored per hour.
      { ...counted('web', { yes: 2 }), hour: at('2026-11-16T23:00') },
      { ...counted('none', { yes: 1 }), yes: null, hour: at('2026-11-18T10:00') },
      ...Array.from({ length: APPLICATIONS }, (_, index) => ({
        ...counted(`app-${String(index).padStart(3, '0')}`, {
          featureName: 'popular',
          yes: index + 1,
          no: 1,
        }),
        hour: at('2026-11-18T10:00'),
      })),
    ],
  });
  await client.hourlyVariantUsage.createMany({
    data: [
      { ...counted('web', {}), variant: 'blue', count: 4, hour: at('2026-11-18T10:00') },
      { ...counted('web', {}), variant: 'red', count: 1, hour: at('2026-11-18T10:00') },
      { ...counted('mobile', {}), variant: 'red', count: 6, hour: at('2026-11-18T09:00') },
    ].map(({ yes: _yes, no: _no, ...row }) => row),
  });
  await client.dailyUsage.createMany({
    data: [
      { ...counted('web', { yes: 50, no: 9 }), day: at('2026-11-16T00:00') },
      // Fewer than the hours of this day, which arrived late.
      { ...counted('web', { yes: 20, no: 2 }), day: at('2026-11-17T00:00') },
      { ...counted('batch', { yes: 4_000_000_000 }), day: at('2026-11-12T00:00') },
      // Outside the last 7 days.
      { ...counted('old', { yes: 9 }), day: at('2026-11-11T00:00') },
    ],
  });
  await client.dailyVariantUsage.createMany({
    data: [{ ...counted('web', {}), variant: 'blue', count: 30, day: at('2026-11-16T00:00') }].map(
      ({ yes: _yes, no: _no, ...row }) => row,
    ),
  });
};

const environments = { production: {}, development: {} };

const addRows = async (client: PrismaClient) => {
  await seed(client, {
    projects: { web: {} },
    features: [
      {
        name: 'used',
        project: 'web',
        environments,
        lastSeen: { production: at('2026-11-18T10:29') },
      },
      { name: 'popular', project: 'web', environments },
      ...Array.from({ length: MANY }, (_, index) => ({
        name: `unused-${index}`,
        project: 'web',
        environments,
      })),
    ],
  });
  await addCounts(client);
};

describeWithRows('the usage of a feature', addRows, ({ gateway, database, statementsOf }) => {
  const usageOf = async (args: string, selection: string, name = 'used') => {
    const { data, errors } = await gateway().graphql(
      `query ($name: String!) { feature(name: $name) { environments {
        environment { name } usage${args} { ${selection} }
      } } }`,
      { name },
    );
    expect(errors).toBeUndefined();
    type Row = { environment: { name: string }; usage: Record<string, never> };
    return data.feature.environments.find((row: Row) => row.environment.name === 'production')
      .usage as Record<string, never>;
  };

  test('is counted per hour up to 48 hours, the current hour included', async () => {
    const usage = await usageOf(
      '(last: "PT24H")',
      'from before unit yes no buckets { from before yes no }',
    );
    expect(usage).toMatchObject({
      from: '2026-11-17T11:00:00.000Z',
      before: '2026-11-18T11:00:00.000Z',
      unit: 'HOUR',
      yes: 15,
      no: 3,
    });
    const buckets = usage['buckets'] as unknown as { from: string; yes: number; no: number }[];
    expect(buckets).toHaveLength(24);
    expect(buckets.filter(({ yes, no }) => yes + no > 0)).toEqual([
      { from: '2026-11-17T11:00:00.000Z', before: '2026-11-17T12:00:00.000Z', yes: 3, no: 2 },
      { from: '2026-11-18T09:00:00.000Z', before: '2026-11-18T10:00:00.000Z', yes: 7, no: 0 },
      { from: '2026-11-18T10:00:00.000Z', before: '2026-11-18T11:00:00.000Z', yes: 5, no: 1 },
    ]);
  });

  test('is counted per day for longer ranges, from the hours or from the stored day', async () => {
    const usage = await usageOf('', 'from before unit yes no buckets { from yes no }');
    expect(usage).toMatchObject({
      from: '2026-11-12T00:00:00.000Z',
      before: '2026-11-19T00:00:00.000Z',
      unit: 'DAY',
      yes: 4_000_000_000 + 50 + 43 + 12,
      no: 9 + 2 + 1,
    });
    const buckets = usage['buckets'] as unknown as { from: string; yes: number; no: number }[];
    expect(buckets.map(({ from, yes, no }) => [from.slice(0, 10), yes, no])).toEqual([
      ['2026-11-12', 4_000_000_000, 0],
      ['2026-11-13', 0, 0],
      ['2026-11-14', 0, 0],
      ['2026-11-15', 0, 0],
      ['2026-11-16', 50, 9],
      ['2026-11-17', 43, 2],
      ['2026-11-18', 12, 1],
    ]);
  });

  test('is listed per application, with the sum of the others', async () => {
    const { applications } = await usageOf(
      '(last: "PT1H")',
      'applications(first: 2) { totalCount nodes { applicationName yes no } others { yes no } }',
      'popular',
    );
    const all = (APPLICATIONS * (APPLICATIONS + 1)) / 2;
    expect(applications).toEqual({
      totalCount: APPLICATIONS,
      nodes: [
        { applicationName: 'app-119', yes: 120, no: 1 },
        { applicationName: 'app-118', yes: 119, no: 1 },
      ],
      others: { yes: all - 120 - 119, no: APPLICATIONS - 2 },
    });
    const { applications: most } = await usageOf(
      '(last: "PT1H")',
      'applications(first: 100) { nodes { yes } others { no } }',
      'popular',
    );
    expect(most).toMatchObject({ others: { no: 20 } });
    expect((most as unknown as { nodes: unknown[] }).nodes).toHaveLength(100);
  });

  test('can be limited to one application', async () => {
    expect(
      await usageOf(
        '(last: "PT24H", applicationName: "mobile")',
        'yes no variants { variantName count }',
      ),
    ).toEqual({ yes: 7, no: 0, variants: [{ variantName: 'red', count: 6 }] });
    expect(await usageOf('(applicationName: "nobody")', 'yes applications { totalCount }')).toEqual(
      {
        yes: 0,
        applications: { totalCount: 0 },
      },
    );
  });

  test('is listed per variant, most frequent first', async () => {
    expect(await usageOf('(last: "PT24H")', 'variants { variantName count }')).toEqual({
      variants: [
        { variantName: 'red', count: 7 },
        { variantName: 'blue', count: 4 },
      ],
    });
    expect(await usageOf('', 'variants { variantName count }')).toEqual({
      variants: [
        { variantName: 'blue', count: 34 },
        { variantName: 'red', count: 7 },
      ],
    });
  });

  test('is zero for features that no application uses', async () => {
    expect(
      await usageOf(
        '',
        'yes no lastSeenAt variants { count } applications { nodes { yes } others { no } }',
        'unused-1',
      ),
    ).toEqual({
      yes: 0,
      no: 0,
      lastSeenAt: null,
      variants: [],
      applications: { nodes: [], others: { no: 0 } },
    });
    expect(await usageOf('(last: "PT1H")', 'lastSeenAt')).toEqual({
      lastSeenAt: '2026-11-18T10:29:00.000Z',
    });
  });

  test.each([
    [
      '(last: "P91D")',
      "'last' must be a duration longer than zero and of at most P90D, such as P7D or PT12H (got P91D).",
    ],
    [
      '(last: "PT0S")',
      "'last' must be a duration longer than zero and of at most P90D, such as P7D or PT12H (got PT0S).",
    ],
  ])('rejects the range %s', async (args, message) => {
    const { errors } = await gateway().graphql(
      `{ feature(name: "used") { environments { usage${args} { yes } } } }`,
    );
    expect(errors?.[0]).toMatchObject({ message, extensions: { code: 'BAD_USER_INPUT' } });
  });

  test('rejects text that is not a duration, and lists that are too long', async () => {
    const { errors } = await gateway().graphql(
      '{ feature(name: "used") { environments { usage(last: "a week") { yes } } } }',
    );
    expect(errors?.[0]?.message).toContain('Duration');
    const { errors: tooMany } = await gateway().graphql(
      '{ feature(name: "used") { environments { usage { applications(first: 101) { totalCount } } } } }',
    );
    expect(tooMany?.[0]?.message).toBe("'first' must be between 1 and 100 (got 101).");
  });

  test('is read in one statement for any number of features', async () => {
    const statementsFor = async (first: number) =>
      (
        await statementsOf(() =>
          gateway().graphql(
            `query ($first: Int) { features(first: $first) { nodes { environments {
              usage { yes applications { totalCount } } } } } }`,
            { first },
          ),
        )
      ).filter((sql) => sql.includes('client_metrics_env'));
    expect(await statementsFor(1)).toHaveLength(1);
    expect(await statementsFor(MANY)).toHaveLength(1);
  });

  test('is not counted for features of projects that the viewer may not see', async () => {
    const query = {
      places: [{ featureName: 'used', environmentName: 'production' }],
      unit: 'HOUR' as const,
      from: at('2026-11-18T00:00'),
      before: at('2026-11-19T00:00'),
    };
    const read = async (visibleProjects: string[] | null) => {
      const viewer = Object.assign(Object.create(userActor(true)), { visibleProjects });
      const { buckets } = await readUsage(database().client, viewer, query);
      return [buckets.length, (await readVariantUsage(database().client, viewer, query)).length];
    };
    expect(await read(null)).toEqual([2, 2]);
    expect(await read(['web'])).toEqual([2, 2]);
    expect(await read(['other'])).toEqual([0, 0]);
  });
});
