import { describe, expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import { DEMO_DAY, describeWithDemo } from '../../testkit/app.js';
import { addUser, describeWithRows } from '../../testkit/seeded.js';

const DAY_MS = 86_400_000;
/** Number of actors in project crowd. Actor n has n events; the same applies to event types. */
const ACTOR_COUNT = 25;

// March 4, 2024 is a Monday.
const seed = async (client: PrismaClient) => {
  await addUser(client, { id: 7, username: 'nobody-special' });
  await client.project.createMany({
    data: ['web', 'lab', 'quiet', 'crowd'].map((id) => ({ id, name: id })),
  });
  await client.$executeRaw`
    insert into events (type, created_by, created_by_user_id, project, feature_name, environment, data, created_at)
    values
      ('feature-created', 'ada', 5, 'web', 'one', null, '{}', '2024-03-03 23:59:59.999999+00'),
      ('feature-created', 'ada', 5, 'web', 'two', null, '{}', '2024-03-04 00:00:00+00'),
      ('feature-updated', 'ada', 5, 'web', 'two', 'production', '{"needle":1}', '2024-03-04 12:00:00+00'),
      ('feature-updated', 'bob', 6, 'web', 'two', null, '{}', '2024-03-04 13:00:00+02'),
      ('brand-new-type', 'system', null, 'web', null, null, '{}', '2024-03-06 10:00:00+00'),
      ('feature-updated', 'ada', 8, 'web', 'two', null, '{}', '2024-03-10 23:59:59.999999+00'),
      ('feature-updated', 'bob', 6, 'web', 'two', null, '{}', '2024-03-11 00:00:00+00'),
      ('feature-created', 'ada', 5, 'lab', 'three', null, '{}', '2024-03-04 08:00:00+00'),
      ('user-created', 'root', 1, null, null, null, '{}', '2024-03-05 08:00:00+00'),
      ('feature-updated', 'ada', 5, 'web', 'two', null, '{}', null),
      ('feature-updated', 'ada', 5, 'web', 'two', null, '{}', 'infinity'),
      ('feature-updated', 'ada', 5, 'web', 'two', null, '{}', '-infinity')`;
  await client.event.createMany({
    data: Array.from({ length: ACTOR_COUNT }, (_, index) => index + 1).flatMap((number) =>
      Array.from({ length: number }, () => ({
        type: `type-${String(number).padStart(2, '0')}`,
        createdBy: `actor-${String(number).padStart(2, '0')}`,
        createdByUserId: number,
        projectId: 'crowd',
        createdAt: new Date('2023-01-10T10:00:00Z'),
      })),
    ),
  });
};

const FIGURES = `count byTypeRemainder byAuthorRemainder
  byType { type typeName count } byAuthor { createdBy createdByUserId count }`;

describeWithRows('activity', seed, ({ gateway, statementsOf }) => {
  const runQuery = async (
    query: string,
    variables: Record<string, unknown> = {},
    token?: string,
  ) => {
    const { data, errors } = await gateway().graphql(query, variables, token ? { token } : {});
    expect(errors).toBeUndefined();
    return data;
  };
  const errorOf = async (query: string, variables: Record<string, unknown> = {}) => {
    const { errors } = await gateway().graphql(query, variables);
    return errors?.[0];
  };
  const MARCH = 'from: "2024-03-03T00:00:00Z", before: "2024-03-12T00:00:00Z"';

  test('of a project is counted by day, including days without events', async () => {
    const { project } = await runQuery(`{ project(id: "web") { activity(${MARCH}) {
      from before by count buckets { from count } } } }`);
    expect(project.activity).toEqual({
      from: '2024-03-03T00:00:00.000Z',
      before: '2024-03-12T00:00:00.000Z',
      by: 'DAY',
      count: 7,
      buckets: [1, 3, 0, 1, 0, 0, 0, 1, 1].map((count, index) => ({
        from: new Date(Date.UTC(2024, 2, 3 + index)).toISOString(),
        count,
      })),
    });
  });

  test('of a project is counted by week, starting on Monday', async () => {
    const { project } = await runQuery(`{ project(id: "web") { activity(${MARCH}, by: WEEK) {
      buckets { from count } } } }`);
    expect(project.activity.buckets).toEqual([
      { from: '2024-02-26T00:00:00.000Z', count: 1 },
      { from: '2024-03-04T00:00:00.000Z', count: 5 },
      { from: '2024-03-11T00:00:00.000Z', count: 1 },
    ]);
  });

  test('is counted by type and by actor, largest first, in each bucket and in total', async () => {
    const { project } = await runQuery(`{ project(id: "web") { activity(${MARCH}, by: WEEK) {
      ${FIGURES} buckets { ${FIGURES} } } } }`);
    const type = (typeName: string, count: number) => ({
      type: typeName === 'brand-new-type' ? 'OTHER' : typeName.replace('-', '_').toUpperCase(),
      typeName,
      count,
    });
    const actor = (createdBy: string, createdByUserId: number | null, count: number) => ({
      createdBy,
      createdByUserId,
      count,
    });
    const { buckets, ...all } = project.activity;
    expect(all).toEqual({
      count: 7,
      byType: [type('feature-updated', 4), type('feature-created', 2), type('brand-new-type', 1)],
      byTypeRemainder: 0,
      byAuthor: [
        actor('ada', 5, 3),
        actor('bob', 6, 2),
        actor('ada', 8, 1),
        actor('system', null, 1),
      ],
      byAuthorRemainder: 0,
    });
    expect(buckets[1]).toEqual({
      count: 5,
      byType: [type('feature-updated', 3), type('brand-new-type', 1), type('feature-created', 1)],
      byTypeRemainder: 0,
      byAuthor: [
        actor('ada', 5, 2),
        actor('ada', 8, 1),
        actor('bob', 6, 1),
        actor('system', null, 1),
      ],
      byAuthorRemainder: 0,
    });
  });

  test('excludes events outside the time range, even if its first and last buckets extend beyond it', async () => {
    const { project } = await runQuery(`{ project(id: "web") {
      activity(from: "2024-03-04T12:00:00Z", before: "2024-03-10T23:59:59.999Z", by: WEEK) {
        count buckets { from count } } } }`);
    expect(project.activity).toEqual({
      count: 2,
      buckets: [{ from: '2024-03-04T00:00:00.000Z', count: 2 }],
    });
    const millisecond = await runQuery(`{ activity(filter: { projectId: { is: "web" } },
      from: "2024-03-04T12:00:00+00:00", before: "2024-03-04T12:00:00.001Z") { count buckets { from } } }`);
    expect(millisecond.activity).toEqual({
      count: 1,
      buckets: [{ from: '2024-03-04T00:00:00.000Z' }],
    });
  });

  test('includes the start of the time range and excludes its end', async () => {
    const { project } = await runQuery(`{ project(id: "web") {
      activity(from: "2024-03-04T00:00:00Z", before: "2024-03-11T00:00:00Z", by: WEEK) {
        count buckets { count } } } }`);
    expect(project.activity).toEqual({ count: 5, buckets: [{ count: 5 }] });
  });

  test('of all events accepts the filter of event search', async () => {
    const count = async (filter: object) => {
      const { activity } = await runQuery(
        `query ($filter: EventFilter) { activity(filter: $filter, ${MARCH}) { count buckets { count } } }`,
        { filter },
      );
      const { count: total, buckets } = activity;
      expect(buckets).toHaveLength(9);
      const sum = buckets.reduce((so: number, bucket: { count: number }) => so + bucket.count, 0);
      expect(sum).toBe(total);
      return total;
    };
    expect(await count({})).toBe(9);
    expect(await count({ projectId: { is: 'web' } })).toBe(7);
    expect(await count({ featureName: { anyOf: ['two', 'three'] } })).toBe(6);
    expect(await count({ environmentName: { is: 'production' } })).toBe(1);
    expect(await count({ type: { is: 'OTHER' } })).toBe(1);
    expect(await count({ createdByUserId: { is: 5 } })).toBe(4);
    expect(await count({ text: 'NEEDLE' })).toBe(1);
    expect(await count({ createdAt: { from: '2024-03-05T00:00:00Z' } })).toBe(4);
    expect(await count({ projectId: { anyOf: [] } })).toBe(0);
  });

  test('of a project accepts the filter of event search', async () => {
    const { project } = await runQuery(`{ project(id: "web") {
      activity(filter: { type: { is: FEATURE_CREATED } }, ${MARCH}) { count byAuthor { createdBy count } } } }`);
    expect(project.activity).toEqual({ count: 2, byAuthor: [{ createdBy: 'ada', count: 2 }] });
  });

  test('returns the 20 most frequent types and actors and the sum of the rest', async () => {
    const { project } = await runQuery(`{ project(id: "crowd") {
      activity(from: "2023-01-09T00:00:00Z", before: "2023-01-11T00:00:00Z") { ${FIGURES} buckets { ${FIGURES} } } } }`);
    const { buckets, ...all } = project.activity;
    expect(all.count).toBe((ACTOR_COUNT * (ACTOR_COUNT + 1)) / 2);
    expect(all.byAuthor.map(({ count }: { count: number }) => count)).toEqual(
      Array.from({ length: 20 }, (_, index) => ACTOR_COUNT - index),
    );
    expect(all.byAuthor[0]).toEqual({ createdBy: 'actor-25', createdByUserId: 25, count: 25 });
    expect(all.byType).toHaveLength(20);
    expect([all.byTypeRemainder, all.byAuthorRemainder]).toEqual([15, 15]);
    expect(buckets).toEqual([
      { count: 0, byType: [], byTypeRemainder: 0, byAuthor: [], byAuthorRemainder: 0 },
      all,
    ]);
  });

  test('covers the last 30 days or 12 weeks, including the current one, by default', async () => {
    const midnight = () => Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const before = midnight();
    const { days, weeks } = await runQuery(`{
      days: activity { from before buckets { from } } weeks: activity(by: WEEK) { buckets { from } } }`);
    const starts = (buckets: { from: string }[]) => buckets.map(({ from }) => Date.parse(from));
    const last = starts(days.buckets).at(-1) ?? 0;
    expect([before, midnight()]).toContain(last);
    expect(starts(days.buckets)).toEqual(
      Array.from({ length: 30 }, (_, index) => last - (29 - index) * DAY_MS),
    );
    expect(Date.parse(days.from)).toBe(last - 29 * DAY_MS);
    expect(Date.parse(days.before)).toBe(last + DAY_MS);
    const mondays = starts(weeks.buckets);
    expect(mondays).toHaveLength(12);
    expect(mondays.every((start) => new Date(start).getUTCDay() === 1)).toBe(true);
    const thisMonday = mondays.at(-1) ?? 0;
    expect(Date.now() - thisMonday).toBeGreaterThanOrEqual(0);
    expect(before - thisMonday).toBeLessThan(7 * DAY_MS);
  });

  test('excludes events without a project for callers who may not see them', async () => {
    const query = `{ activity(${MARCH}) { count byType { typeName } byAuthor { createdBy } buckets { count } } }`;
    const all = (await runQuery(query)).activity;
    const some = (await runQuery(query, {}, 'user:token-of-7')).activity;
    expect([all.count, some.count]).toEqual([9, 8]);
    expect([all.buckets[2].count, some.buckets[2].count]).toEqual([1, 0]);
    expect(JSON.stringify(all)).toContain('user-created');
    expect(JSON.stringify(some)).not.toMatch(/user-created|root/);
  });

  test('requires a token', async () => {
    const query = `{ activity(${MARCH}) { count } project(id: "web") { activity(${MARCH}) { count } } }`;
    const none = await gateway().graphql(query, {}, { token: null });
    expect([none.status, none.errors?.[0].extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
  });

  describe('takes one statement', () => {
    const aggregates = (statements: string[]) =>
      statements.filter((sql) => sql.includes('grouping sets'));

    test('for all events', async () => {
      const statements = await statementsOf(() =>
        runQuery(`{ activity(${MARCH}) { ${FIGURES} buckets { ${FIGURES} } } }`),
      );
      expect(aggregates(statements)).toHaveLength(1);
      // The other statement reads the token.
      expect(statements).toHaveLength(2);
    });

    test('for all projects of a page, with separate figures for each', async () => {
      const page = (first: number) => `{ projects(first: ${first}) { nodes { id
        activity(${MARCH}) { count buckets { count } } again: activity(${MARCH}) { count }
        usual: activity { count buckets { count } } } } }`;
      const few = await statementsOf(() => runQuery(page(1)));
      const many = await statementsOf(async () => {
        const { projects } = await runQuery(page(50));
        const counts = projects.nodes.map((node: { id: string; activity: { count: number } }) => [
          node.id,
          node.activity.count,
        ]);
        expect(Object.fromEntries(counts)).toEqual({
          crowd: 0,
          default: 0,
          lab: 1,
          quiet: 0,
          web: 7,
        });
        for (const { activity, usual } of projects.nodes) {
          expect(activity.buckets).toHaveLength(9);
          expect(usual.buckets).toHaveLength(30);
        }
      });
      expect(many).toHaveLength(few.length);
      expect(aggregates(many).length).toBeGreaterThanOrEqual(2);
    });

    test('that counts periods, types and actors only when they are selected', async () => {
      const [plain] = aggregates(
        await statementsOf(() => runQuery(`{ activity(${MARCH}) { count } }`)),
      );
      const [full] = aggregates(
        await statementsOf(() =>
          runQuery(`{ activity(${MARCH}) { buckets { ...figures } } }
            fragment figures on ActivityFigures { byAuthorRemainder byType { count } }`),
        ),
      );
      expect(plain).toContain('grouping sets ((key))');
      expect(full).toContain('(key, start, type)');
      expect(full).toContain('(key, start, created_by');
    });
  });

  describe('is rejected', () => {
    const AT = '2024-03-04T00:00:00Z';
    test.each([
      [{ from: AT, before: AT }, /'from' must be earlier than 'before'/],
      [{ from: AT, before: '2024-03-03T23:59:59.999Z' }, /'from' must be earlier than 'before'/],
      [{ from: '2999-01-01T00:00:00Z' }, /'from' must be earlier than 'before'/],
      [{ from: AT, before: '2025-04-08T00:00:00.001Z' }, /at most 400 days \(got 401\)/],
      [
        { from: AT, before: '2031-11-03T00:00:00.001Z', by: 'WEEK' },
        /at most 400 weeks \(got 401\)/,
      ],
      [{ from: '0001-01-01T00:00:00Z', before: '9999-12-31T00:00:00Z' }, /at most 400 days/],
      [{ from: '0000-12-31T00:00:00Z', before: AT }, /'from' must be in the years 1 to 9999/],
      [{ before: '0000-12-31T00:00:00Z' }, /'before' must be in the years 1 to 9999/],
      [{ before: '0001-01-01T00:00:00Z' }, /^'before' must be after/],
      [{ filter: { text: 'a\0b' } }, /cannot be stored/],
      [{ filter: { projectId: { is: '\ud800' } } }, /cannot be stored/],
      [{ filter: { createdAt: { from: '0000-12-31T00:00:00Z' } } }, /years 1 to 9999/],
      [{ filter: { featureName: { anyOf: Array(1001).fill('x') } } }, /at most 1000/],
    ])('with invalid values: %j', async (variables, message) => {
      const declared =
        '($from: DateTime, $before: DateTime, $by: ActivityInterval! = DAY, $filter: EventFilter)';
      const passed = '(from: $from, before: $before, by: $by, filter: $filter)';
      for (const field of [
        `activity${passed} { count }`,
        `project(id: "web") { activity${passed} { count } }`,
      ]) {
        const error = await errorOf(`query ${declared} { ${field} }`, variables);
        expect(error?.extensions).toMatchObject({ name: 'BadDataError' });
        expect(error?.message).toMatch(message);
      }
    });

    test.each([
      '(by: MONTH)',
      '(by: null)',
      '(from: "yesterday")',
      '(from: 5)',
      '(before: "2024-02-30T00:00:00Z")',
      '(from: "10000-01-01T00:00:00Z")',
    ])('with an argument of the wrong type: %s', async (args) => {
      const { status, data, errors } = await gateway().graphql(`{ activity${args} { count } }`);
      expect([status, data]).toEqual([400, undefined]);
      expect(errors).toHaveLength(1);
    });

    test('with a variable of the wrong type', async () => {
      for (const variables of [{ by: 'MONTH' }, { from: {} }, { from: 'x' }, { before: [1] }]) {
        const error = await errorOf(
          `query ($from: DateTime, $before: DateTime, $by: ActivityInterval! = DAY) {
            activity(from: $from, before: $before, by: $by) { count } }`,
          variables,
        );
        expect(error?.message).toMatch(/Variable "\$(from|before|by)"/);
      }
    });

    test('when the operation would read too much of the log, with literals or variables', async () => {
      const long = 'from: "2018-01-01T00:00:00Z", before: "2025-08-01T00:00:00Z", by: WEEK';
      const aliased = (count: number, args: string) =>
        Array.from({ length: count }, (_, index) => `a${index}: activity(${args}) { count }`);
      expect(await errorOf(`{ ${aliased(2, long)} }`)).toBeUndefined();
      expect((await errorOf(`{ ${aliased(10, long)} }`))?.extensions.code).toBe('LIMIT_EXCEEDED');
      const byVariables = await errorOf(
        `query ($from: DateTime, $before: DateTime, $by: ActivityInterval! = WEEK) {
          ${aliased(10, 'from: $from, before: $before, by: $by')} }`,
        { from: '2018-01-01T00:00:00Z', before: '2025-08-01T00:00:00Z' },
      );
      expect(byVariables?.extensions.code).toBe('LIMIT_EXCEEDED');
      expect(await errorOf(`{ ${aliased(40, MARCH)} }`)).toBeUndefined();
    });
  });
});

describeWithDemo('activity of the demo world', ({ gateway, database }) => {
  type Stored = { type: string; createdBy: string; createdAt: Date; projectId: string | null };

  /** The Monday of the week, or the day itself, as a date. */
  const startOf = (time: Date, by: string) => {
    const day = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()));
    if (by === 'WEEK') day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
    return day.toISOString();
  };
  const tally = (values: readonly string[]) => {
    const counts: Record<string, number> = {};
    for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
    return counts;
  };

  test.each(['DAY', 'WEEK'])('matches a count of all events, by %s', async (by) => {
    const from = new Date(DEMO_DAY.getTime() - 100 * DAY_MS);
    const { client } = database();
    const stored = (await client.event.findMany({
      where: { createdAt: { gte: from, lt: DEMO_DAY } },
      select: { type: true, createdBy: true, createdAt: true, projectId: true },
    })) as Stored[];
    expect(stored.length).toBeGreaterThan(500);

    const { data, errors } = await gateway().graphql(
      `query ($from: DateTime, $before: DateTime, $by: ActivityInterval!) {
        activity(from: $from, before: $before, by: $by) { count buckets { from count byTypeRemainder byType { typeName count } } }
        projects(filter: { archived: null }) { nodes { id activity(from: $from, before: $before, by: $by) {
          count buckets { from count byAuthorRemainder byAuthor { createdBy count } } } } } }`,
      { from, before: DEMO_DAY, by },
    );
    expect(errors).toBeUndefined();

    const expectBuckets = (
      { count, buckets }: { count: number; buckets: Record<string, unknown>[] },
      events: readonly Stored[],
      list: string,
      nameOf: (event: Stored) => string,
      name: string,
    ) => {
      expect(count).toBe(events.length);
      const counts = tally(events.map(({ createdAt }) => startOf(createdAt, by)));
      for (const bucket of buckets) {
        const start = bucket['from'] as string;
        expect(bucket['count']).toBe(counts[start] ?? 0);
        const inside = events.filter(({ createdAt }) => startOf(createdAt, by) === start);
        const exact = tally(inside.map(nameOf));
        const listed = bucket[list] as ({ count: number } & Record<string, unknown>)[];
        const sums = tally([]);
        for (const item of listed) {
          const key = String(item[name]);
          sums[key] = (sums[key] ?? 0) + item.count;
        }
        if (bucket[`${list}Remainder`] === 0) expect(sums).toEqual(exact);
        else expect(listed).toHaveLength(20);
      }
    };
    expectBuckets(data.activity, stored, 'byType', ({ type }) => type, 'typeName');
    expect(data.projects.nodes.length).toBeGreaterThan(4);
    for (const { id, activity } of data.projects.nodes) {
      const own = stored.filter(({ projectId }) => projectId === id);
      expectBuckets(activity, own, 'byAuthor', ({ createdBy }) => createdBy, 'createdBy');
    }
  });
});
