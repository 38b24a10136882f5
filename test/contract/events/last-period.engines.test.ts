import { afterEach, expect, test, vi } from 'vitest';
import type { Seed } from '../../testkit/seed.js';
import { describeWithRows } from '../../testkit/seeded.js';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Ages of the events in hours, newest first. */
const AGES = [1, 2, 3, 25, 26, 24 * 8];

const EVENTS = `query ($filter: EventFilter, $first: Int, $after: String) {
  events(first: $first, after: $after, filter: $filter) {
    totalCount nodes { featureName } pageInfo { hasNextPage endCursor }
  }
}`;

const ROWS: Seed = {
  features: [{ name: 'one' }],
  events: AGES.toReversed().map((hours) => ({
    type: 'feature-created',
    project: 'default',
    feature: `${hours}h`,
    createdAt: new Date(Date.now() - hours * HOUR_MS),
  })),
};

describeWithRows('a range that ends now', ROWS, ({ gateway }) => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const read = async (createdAt: object, page: object = {}) => {
    const { data, errors } = await gateway().graphql(EVENTS, { filter: { createdAt }, ...page });
    expect(errors).toBeUndefined();
    return data.events;
  };
  const namesOf = ({ nodes }: { nodes: { featureName: string }[] }) =>
    nodes.map(({ featureName }) => featureName);

  test.each([
    ['PT1H30M', ['1h']],
    ['P1D', ['1h', '2h', '3h']],
    ['P7D', ['1h', '2h', '3h', '25h', '26h']],
    ['P1M', ['1h', '2h', '3h', '25h', '26h', '192h']],
  ])('of %s finds the events since then', async (last, expected) => {
    const found = await read({ last });
    expect(namesOf(found)).toEqual(expected);
    expect(found.totalCount).toBe(expected.length);
  });

  test('keeps its cursors while time passes', async () => {
    const first = await read({ last: 'P2D' }, { first: 2 });
    expect(namesOf(first)).toEqual(['1h', '2h']);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7 * MINUTE_MS });
    const after = first.pageInfo.endCursor;
    const second = await read({ last: 'P2D' }, { first: 2, after });
    expect(namesOf(second)).toEqual(['3h', '25h']);
    vi.setSystemTime(Date.now() + 23 * HOUR_MS);
    expect(namesOf(await read({ last: 'P2D' }, { first: 2, after }))).toEqual(['3h']);
  });

  test('rejects cursors of another period', async () => {
    const { pageInfo } = await read({ last: 'P2D' }, { first: 1 });
    const variables = { filter: { createdAt: { last: 'P3D' } }, after: pageInfo.endCursor };
    const { errors } = await gateway().graphql(EVENTS, variables);
    expect(errors?.[0].message).toContain('cursor of another list, or of another filter');
  });

  test('accepts dates as the start of a day in UTC', async () => {
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const today = day(Date.now());
    const [byDate, byTime] = await Promise.all([
      read({ from: day(Date.now() - 7 * 24 * HOUR_MS), before: today }),
      read({
        from: `${day(Date.now() - 7 * 24 * HOUR_MS)}T00:00:00Z`,
        before: `${today}T00:00:00.000Z`,
      }),
    ]);
    expect(byDate).toEqual(byTime);
  });

  test('is not a point in time: `asOf` needs a time and a zone', async () => {
    const { errors } = await gateway().graphql(
      '{ feature(name: "one") { asOf(time: "2026-01-01") { existence } } }',
    );
    expect(errors).toHaveLength(1);
    expect(errors?.[0].message).toBe(
      "'time' must have a time and a zone (got 2026-01-01). Write it like 2026-01-01T00:00:00Z.",
    );
  });
});
