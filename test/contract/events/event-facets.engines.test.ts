import { describe, expect, test } from 'vitest';
import { type EventSpec, seed, tokenOf } from '../../testkit/seed.js';
import { describeWithRows } from '../../testkit/seeded.js';

const TYPES = ['feature-created', 'feature-updated', 'brand-new-type'];
const AUTHORS = [
  ['ada', 1],
  ['ada', 2],
  ['bob@example.com', 3],
  ['100%_admin', -42],
] as const;

/** Event n: values by its remainders, so that every combination of values has another count. */
const eventOf = (n: number): EventSpec => {
  const [createdBy, createdByUserId] = AUTHORS[n % 7 < 4 ? 0 : (n % 3) + 1] ?? AUTHORS[0];
  const isInProject = n % 5 !== 0;
  return {
    type: TYPES[n % 11 < 6 ? 0 : n % 3] ?? 'feature-created',
    createdBy,
    createdByUserId,
    project: isInProject ? (['web', 'secret', 'gone'][n % 3] ?? null) : null,
    environment: n % 4 === 0 ? 'production' : n % 4 === 1 ? 'removed-one' : null,
    feature: isInProject ? `feature-${n % 13}` : null,
    data: { needle: n % 2 === 0 ? 'even' : 'odd' },
  };
};

const EVENTS = Array.from({ length: 400 }, (_, index) => eventOf(index + 1));

const WORLD = {
  users: [
    { id: 1, username: 'ada', name: 'Ada' },
    { id: 9, username: 'watcher', roles: { default: 'Viewer' } },
  ],
  projects: { web: {}, secret: { settings: { mode: 'private' } } },
  features: [{ name: 'feature-1', project: 'web' }],
  events: EVENTS,
};

const ALL = `authors(first: 100) { totalCount nodes { createdBy createdByUserId count } }
  features(first: 100) { totalCount nodes { featureName count } }
  projects(first: 100) { totalCount nodes { projectId count } }
  environments { environmentName count } types { type typeName label category count }`;

type Count = { count: number };

/** Most frequent first, then by value. */
const tally = (events: readonly EventSpec[], keyOf: (event: EventSpec) => string | null) => {
  const counts = new Map<string, number>();
  for (const event of events) {
    const key = keyOf(event);
    if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
};

const pairs = (rows: readonly Record<string, unknown>[], key: string) =>
  rows.map((row) => [row[key], row['count']]);

describeWithRows('eventFacets', WORLD, ({ gateway, database, statementsOf }) => {
  const ask = async (selection: string, filter = '{}', token?: string) => {
    const { data, errors } = await gateway().graphql(
      `{ eventFacets(filter: ${filter}) { ${selection} } }`,
      {},
      token ? { token } : {},
    );
    expect(errors).toBeUndefined();
    return data.eventFacets;
  };

  const expectFacets = (found: Awaited<ReturnType<typeof ask>>, events: readonly EventSpec[]) => {
    expect(pairs(found.features.nodes, 'featureName')).toEqual(
      tally(events, ({ feature }) => feature ?? null),
    );
    expect(pairs(found.projects.nodes, 'projectId')).toEqual(
      tally(events, ({ project }) => project ?? null),
    );
    expect(pairs(found.environments, 'environmentName')).toEqual(
      tally(events, ({ environment }) => environment ?? null),
    );
    expect(pairs(found.types, 'typeName')).toEqual(tally(events, ({ type }) => type));
    const authors = found.authors.nodes.map(
      ({ createdBy, createdByUserId, count }: Record<string, unknown>) => [
        `${createdBy}/${createdByUserId}`,
        count,
      ],
    );
    expect(authors).toEqual(
      tally(events, ({ createdBy, createdByUserId }) => `${createdBy}/${createdByUserId}`),
    );
    expect(found.features.totalCount).toBe(found.features.nodes.length);
  };

  test('counts every value, including those of deleted objects', async () => {
    const found = await ask(ALL);
    expectFacets(found, EVENTS);
    expect(pairs(found.projects.nodes, 'projectId').map(([id]) => id)).toContain('gone');
    expect(found.types).toContainEqual(
      expect.objectContaining({
        type: 'FEATURE_CREATED',
        label: 'Feature created',
        category: 'FEATURE',
      }),
    );
    expect(found.types).toContainEqual(
      expect.objectContaining({ type: 'OTHER', label: 'Brand new type', category: null }),
    );
  });

  test.each<[string, (event: EventSpec) => boolean]>([
    ['{ type: { is: FEATURE_UPDATED } }', ({ type }) => type === 'feature-updated'],
    ['{ text: "even" }', ({ data }) => (data as { needle: string } | undefined)?.needle === 'even'],
    ['{ id: { anyOf: [1, 2, 3, 4] } }', (event) => EVENTS.indexOf(event) < 4],
    ['{ not: { type: { is: FEATURE_CREATED } } }', ({ type }) => type !== 'feature-created'],
  ])('counts only the events of the filter %s', async (filter, matches) => {
    expectFacets(await ask(ALL, filter), EVENTS.filter(matches));
  });

  test('counts only what a Viewer may see', async () => {
    const found = await ask(ALL, '{}', tokenOf(9));
    expectFacets(
      found,
      EVENTS.filter(({ project }) => project === 'web'),
    );
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  test('links to the objects that still exist', async () => {
    const found = await ask(`features { nodes { featureName feature { name } } }
      projects { nodes { projectId project { id } } }
      authors { nodes { createdByUserId createdByUser { name } } }
      environments { environmentName environment { name } }`);
    const featureOf = (name: string) =>
      found.features.nodes.find((node: { featureName: string }) => node.featureName === name)
        .feature;
    expect(featureOf('feature-1')).toEqual({ name: 'feature-1' });
    expect(featureOf('feature-2')).toBeNull();
    expect(found.projects.nodes).toContainEqual({ projectId: 'gone', project: null });
    expect(found.projects.nodes).toContainEqual({ projectId: 'web', project: { id: 'web' } });
    expect(found.environments).toContainEqual({
      environmentName: 'removed-one',
      environment: null,
    });
    expect(found.authors.nodes).toContainEqual({
      createdByUserId: 1,
      createdByUser: { name: 'Ada' },
    });
  });

  describe('pages', () => {
    const read = (args: string) =>
      ask(`features(${args}) { totalCount nodes { featureName count }
        pageInfo { startCursor endCursor hasNextPage hasPreviousPage } }`);

    test('hold all values once, forwards and backwards', async () => {
      const all = (await read('first: 100')).features;
      for (const [size, next, edge, has] of [
        ['first', 'after', 'endCursor', 'hasNextPage'],
        ['last', 'before', 'startCursor', 'hasPreviousPage'],
      ] as const) {
        const seen: Count[] = [];
        let cursor: string | null = null;
        for (let more = true; more; ) {
          const bound: string = cursor === null ? '' : `, ${next}: "${cursor}"`;
          const { features } = await read(`${size}: 3${bound}`);
          seen.splice(size === 'first' ? seen.length : 0, 0, ...features.nodes);
          cursor = features.pageInfo[edge];
          more = features.pageInfo[has];
        }
        expect(seen).toEqual(all.nodes);
      }
    });

    test('reject cursors of another search', async () => {
      const { features } = await read('first: 1, search: "feature"');
      const { errors } = await gateway().graphql(
        `{ eventFacets { features(first: 1, after: "${features.pageInfo.endCursor}") { totalCount } } }`,
      );
      expect(errors?.[0]?.extensions?.['code']).toBe('BAD_USER_INPUT');
    });
  });

  test('searches literally and case-insensitively', async () => {
    const namesFor = async (search: string) =>
      (
        await ask(`authors(search: ${JSON.stringify(search)}) { nodes { createdBy } }`)
      ).authors.nodes.map(({ createdBy }: { createdBy: string }) => createdBy);
    expect(await namesFor('BOB')).toEqual(['bob@example.com']);
    expect(await namesFor('%_a')).toEqual(['100%_admin']);
    expect(await namesFor('nobody')).toEqual([]);
    const { errors } = await gateway().graphql(
      'query ($s: String) { eventFacets { authors(search: $s) { totalCount } } }',
      { s: 'x'.repeat(501) },
    );
    expect(errors?.[0]?.message).toContain('at most 500 characters');
  });

  test('reads the log once for all facets, and not again', async () => {
    const filter = '{ type: { anyOf: [FEATURE_CREATED, FEATURE_UPDATED, OTHER] } }';
    const passes = async () =>
      (await statementsOf(() => ask(ALL, filter))).filter((sql) => sql.includes('grouping sets'));
    // One pass over the settled events, and one statement for newer ones.
    expect(await passes()).toHaveLength(2);
    expect(await passes()).toHaveLength(1);
    expect((await statementsOf(() => ask('__typename', filter))).join()).not.toContain('grouping');
  });

  test('counts new events at once', async () => {
    const countOf = async () =>
      (await ask('features(search: "late-one") { nodes { count } }')).features.nodes[0]?.count;
    expect(await countOf()).toBeUndefined();
    const late = {
      type: 'feature-created',
      createdByUserId: 1,
      project: 'web',
      feature: 'late-one',
    };
    await seed(database().client, { events: [late, late] });
    expect(await countOf()).toBe(2);
  });
});
