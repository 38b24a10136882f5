import { expect, test } from 'vitest';
import { type Seed, seed } from '../../testkit/seed.js';
import { describeWithRows } from '../../testkit/seeded.js';

const FEW = 2;
const MANY = 40;

const range = (size: number) => Array.from({ length: size }, (_, index) => index);

const ENVIRONMENTS = ['one', 'two', 'three', 'four', 'five', 'six'];

const WORLD: Seed = {
  users: range(MANY).map((index) => ({
    id: index + 1,
    name: `Person ${index + 1}`,
    ...(index > 0 && { token: null }),
  })),
  environments: Object.fromEntries(ENVIRONMENTS.map((name) => [name, { type: 'test' }])),
  segments: range(MANY).map((index) => ({ id: index + 1, name: `segment-${index + 1}` })),
  features: range(MANY).map((index) => ({
    name: `feature-${String(index).padStart(2, '0')}`,
    stale: true,
    environments: Object.fromEntries(
      ENVIRONMENTS.slice(0, index < FEW ? 1 : undefined).map((name) => [
        name,
        { strategies: [{ name: 'default', segments: [index + 1, MANY - index] }] },
      ]),
    ),
  })),
  events: range(MANY).flatMap((index) =>
    ENVIRONMENTS.map((environment) => ({
      type: 'feature-environment-enabled',
      createdByUserId: index + 1,
      createdBy: `person-${index + 1}`,
      project: 'default',
      feature: `feature-${String(index).padStart(2, '0')}`,
      environment,
    })),
  ),
  integrations: [{ id: 1, deliveries: range(MANY).map((index) => ({ event: { id: index + 1 } })) }],
};

describeWithRows(
  'the number of SQL statements of edges',
  (client) => seed(client, WORLD),
  ({ gateway, statementsOf }) => {
    const run = async (query: string, n: number) => {
      let size = 0;
      const statements = await statementsOf(async () => {
        const { data, errors } = await gateway().graphql(query, { n });
        expect(errors).toBeUndefined();
        size = JSON.stringify(data).length;
      });
      return { count: statements.length, size };
    };

    test.each([
      [
        'deliveries of events',
        `query ($n: Int) { events(last: $n) { nodes { deliveries { totalCount nodes { id integration { id } } } } } }`,
      ],
      [
        'events and timelines of environments',
        `query ($n: Int) { features(first: $n) { nodes { environments { feature { name } timeline(last: 1) { state startedBy { id } }
          events(first: 1) { totalCount nodes { id } } some: events(filter: { type: { is: FEATURE_CREATED } }) { totalCountUpTo(max: 3) { count } nodes { id } } } } } }`,
      ],
      [
        'clean-up reasons and activity of features',
        `query ($n: Int) { features(first: $n) { nodes { cleanUpReasons { kind } activity { count } } } }`,
      ],
      [
        'strategies of segments',
        `query ($n: Int) { segments(first: $n) { totalCount nodes { strategies { totalCount nodes { id feature { name } segments { name } } } } } }`,
      ],
      [
        'events of users',
        `query ($n: Int) { users(first: $n) { totalCount nodes { events(first: 2) { totalCount nodes { id feature { name } } } } } }`,
      ],
      [
        'features of environments',
        `query ($n: Int) { environments { features(first: $n) { totalCount nodes { name } } } }`,
      ],
      [
        'values of facets',
        `query ($n: Int) { eventFacets { authors(first: $n) { totalCount nodes { count createdByUser { name } } }
          features(first: $n) { nodes { feature { name } } } projects { nodes { project { id } } } environments { environment { name } } types { label } } }`,
      ],
    ])('does not increase with the rows: %s', async (_title, query) => {
      // Fills the caches of totals.
      await run(query, MANY);
      const few = await run(query, FEW);
      const many = await run(query, MANY);
      expect(many.size).toBeGreaterThan(few.size * 3);
      expect(many.count).toBeLessThanOrEqual(few.count);
    });
  },
);
