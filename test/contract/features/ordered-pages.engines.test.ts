import { describe, expect, test } from 'vitest';
import type { GraphqlResult } from '../../testkit/app.js';
import { createRandom } from '../../testkit/clone-sources.js';
import { type FeatureSpec, type ProjectSpec, type Seed, tokenOf } from '../../testkit/seed.js';
import { describeWithRows } from '../../testkit/seeded.js';

const random = createRandom(17);
const VIEWER = 31;
const digits = (index: number) => String(index).padStart(3, '0');

/** Few distinct values, so that many items are equal; microseconds that a cursor cannot hold. */
const time = () => new Date(Date.UTC(2025, 0, random.int(1, 6), 0, 0, 0, random.int(0, 2)));
const sometimes = <Value>(value: Value): Value | null => (random.chance(0.3) ? null : value);

const FEATURES: FeatureSpec[] = Array.from({ length: 60 }, (_, index) => ({
  name: `f-${digits(index)}`,
  project: random.pick('default', 'web', 'hidden'),
  type: sometimes(random.pick('release', 'experiment', 'kill-switch')),
  stale: sometimes(random.chance(0.4)),
  createdAt: sometimes(time()),
  lastSeenAt: sometimes(time()),
  archivedAt: random.chance(0.3) ? time() : null,
  environments: { development: {} },
  lastSeen: {
    ...(random.chance(0.5) && { development: time() }),
    // Not one of its environments.
    ...(random.chance(0.2) && { production: new Date('2030-01-01T00:00:00Z') }),
  },
}));

const PROJECTS: Record<string, ProjectSpec> = Object.fromEntries(
  ['web', 'hidden', ...Array.from({ length: 20 }, (_, index) => `p-${digits(index)}`)].map((id) => [
    id,
    {
      name: random.pick('Alpha', 'Beta', 'Gamma'),
      createdAt: sometimes(time()),
      updatedAt: sometimes(time()),
      health: sometimes(random.int(95, 100)),
      settings: { mode: id === 'hidden' ? 'private' : 'open' },
    },
  ]),
);

/** Not in the order of their IDs. */
const DELIVERIES = Array.from({ length: 30 }, () => ({ createdAt: time(), stateDetails: '' }));

const ROWS: Seed = {
  projects: PROJECTS,
  features: FEATURES,
  integrations: [{ id: 1, deliveries: DELIVERIES }],
  users: [{ id: VIEWER, roles: { default: 'Viewer' } }],
};

const FEATURE_FIELDS = [
  'NAME',
  'CREATED_AT',
  'LAST_SEEN_AT',
  'ARCHIVED_AT',
  'TYPE',
  'PROJECT_ID',
  'STALE',
];
const PROJECT_FIELDS = ['ID', 'NAME', 'CREATED_AT', 'UPDATED_AT', 'HEALTH'];
const ALL = 'filter: { archived: null }';

type Listed = { key: string; [field: string]: unknown };
type Page = {
  nodes: Listed[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
};

describeWithRows('lists in any order', ROWS, ({ gateway, statementsOf, kind }) => {
  /** The list is written with `$args` where its paging arguments belong. */
  const lists: Record<
    string,
    { fields: string[]; max?: number; list: string; find: (data: GraphqlResult['data']) => Page }
  > = {
    'Query.features': {
      fields: FEATURE_FIELDS,
      list: `features($args ${ALL}) { $page key: name createdAt lastSeenAt archivedAt type projectId stale } }`,
      find: (data) => data.features,
    },
    'Project.features': {
      fields: FEATURE_FIELDS,
      list: `project(id: "web") { features($args ${ALL}) { $page key: name createdAt lastSeenAt archivedAt type projectId stale } } }`,
      find: (data) => data.project.features,
    },
    'Environment.features': {
      fields: FEATURE_FIELDS,
      // The feature is in one environment only.
      list: `feature(name: "f-000") { environments { environment { features($args ${ALL}) { $page key: name } } } } }`,
      find: (data) => data.feature.environments[0].environment.features,
    },
    'Query.projects': {
      fields: PROJECT_FIELDS,
      list: `projects($args ${ALL}) { $page key: id name createdAt updatedAt health { score } } }`,
      find: (data) => data.projects,
    },
    'Query.cleanUp': {
      fields: ['WEIGHT', 'AGE', 'NAME'],
      list: 'cleanUp($args) { $page weight feature { name createdAt } } }',
      find: ({ cleanUp }) => named(cleanUp, ({ feature }) => feature.name),
    },
    'ProjectHealth.cleanUp': {
      fields: ['WEIGHT', 'AGE', 'NAME'],
      list: 'project(id: "web") { health { cleanUp($args) { $page weight feature { name createdAt } } } } }',
      find: ({ project }) => named(project.health.cleanUp, ({ feature }) => feature.name),
    },
    'Integration.deliveries': {
      fields: ['CREATED_AT'],
      max: 100,
      list: 'integration(id: 1) { deliveries($args) { $page key: id createdAt } } }',
      find: (data) => data.integration.deliveries,
    },
    'Query.integrationEvents': {
      fields: ['CREATED_AT'],
      max: 100,
      list: 'integrationEvents(integrationId: 1 $args) { $page key: id createdAt } }',
      find: (data) => data.integrationEvents,
    },
  };
  const named = (
    { nodes, ...page }: GraphqlResult['data'],
    read: (node: GraphqlResult['data']) => string,
  ): Page => ({
    ...page,
    nodes: nodes.map((node: GraphqlResult['data']) => ({ ...node, key: read(node) })),
  });
  const PAGE = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes {';

  const read = async (
    name: string,
    args: string,
    { token, cursor }: { token?: string; cursor?: string } = {},
  ): Promise<Page> => {
    const { list, find } = lists[name] as (typeof lists)[string];
    const query = `${cursor === undefined ? '' : 'query($cursor: String)'} { ${list.replace('$args', args).replace('$page', PAGE)} }`;
    const call = token === undefined ? {} : { token };
    const { data, errors } = await gateway().graphql(query, cursor ? { cursor } : {}, call);
    expect(errors, query).toBeUndefined();
    return find(data);
  };
  const keysOf = ({ nodes }: Page) => nodes.map(({ key }) => key);
  const order = (field: string, direction: string) =>
    `orderBy: { field: ${field}, direction: ${direction} }`;

  /** All pages in one direction, as one list. */
  const walk = async (
    name: string,
    by: string,
    backward: boolean,
    size: number,
  ): Promise<string[]> => {
    const keys: string[] = [];
    let cursor: string | null = null;
    for (;;) {
      const from: string = cursor === null ? '' : `${backward ? 'before' : 'after'}: $cursor`;
      const args = `${backward ? 'last' : 'first'}: ${size} ${from} ${by}`;
      const page: Page = await read(name, args, cursor === null ? {} : { cursor });
      if (backward) keys.unshift(...keysOf(page));
      else keys.push(...keysOf(page));
      const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
      if (!(backward ? hasPreviousPage : hasNextPage)) return keys;
      cursor = backward ? startCursor : endCursor;
    }
  };

  const cases = Object.entries(lists).flatMap(([name, { fields }]) =>
    fields.map((field) => [name, field] as const),
  );

  test.each(cases)('%s by %s: pages join to the whole list', async (name, field) => {
    const max = lists[name]?.max ?? 1000;
    const whole = keysOf(await read(name, `first: ${max} ${order(field, 'ASC')}`));
    const reversed = keysOf(await read(name, `first: ${max} ${order(field, 'DESC')}`));
    expect(new Set(whole).size).toBe(whole.length);
    expect(whole.length).toBeGreaterThan(7);
    expect(reversed).toEqual(whole.toReversed());
    // The embedded database is slower.
    const size = kind === 'embedded' ? Math.ceil(whole.length / 3) : 7;
    const walks = [
      ['ASC', false],
      ['DESC', true],
      ...(kind === 'embedded'
        ? []
        : ([
            ['ASC', true],
            ['DESC', false],
          ] as const)),
    ] as const;
    for (const [direction, backward] of walks) {
      const expected = direction === 'ASC' ? whole : reversed;
      expect(await walk(name, order(field, direction), backward, size)).toEqual(expected);
    }
  });

  const lowest = (value: unknown) => value ?? '';
  const VALUES: Record<string, (node: Listed) => unknown> = {
    CREATED_AT: ({ createdAt }) => lowest(createdAt),
    UPDATED_AT: ({ updatedAt }) => lowest(updatedAt),
    LAST_SEEN_AT: ({ lastSeenAt }) => lowest(lastSeenAt),
    ARCHIVED_AT: ({ archivedAt }) => lowest(archivedAt),
    TYPE: ({ type }) => lowest(type),
    PROJECT_ID: ({ projectId }) => lowest(projectId),
    STALE: ({ stale }) => Number(stale),
    WEIGHT: ({ weight }) => weight,
    HEALTH: ({ health }) => (health as { score: number }).score,
  };

  test.each(cases.filter(([name, field]) => name.startsWith('Query') && VALUES[field]))(
    '%s by %s is sorted by the value that it shows, missing values first',
    async (name, field) => {
      const { nodes } = await read(
        name,
        `first: ${lists[name]?.max ?? 1000} ${order(field, 'ASC')}`,
      );
      const values = nodes.map((node) => VALUES[field]?.(node) as string | number);
      expect(values).toEqual(values.toSorted((a, b) => (a < b ? -1 : Number(a > b))));
      expect(new Set(values).size).toBeGreaterThan(1);
    },
  );

  test('the usual order may be written or omitted', async () => {
    const { pageInfo } = await read('Query.features', 'first: 3');
    const written = await read(
      'Query.features',
      `first: 3 after: "${pageInfo.endCursor}" ${order('NAME', 'ASC')}`,
    );
    expect(keysOf(written)).toEqual(
      keysOf(await read('Query.features', `first: 3 after: "${pageInfo.endCursor}"`)),
    );
  });

  describe('reject cursors', () => {
    const errorOf = async (args: string) => {
      const { errors } = await gateway().graphql(`{ features(${args} ${ALL}) { nodes { name } } }`);
      return errors?.[0].message;
    };

    test('of another order', async () => {
      const { pageInfo } = await read('Query.features', `first: 3 ${order('CREATED_AT', 'ASC')}`);
      const after = `after: "${pageInfo.endCursor}"`;
      for (const by of ['', order('CREATED_AT', 'DESC'), order('LAST_SEEN_AT', 'ASC')]) {
        expect(await errorOf(`${after} ${by}`)).toMatch(/cursor of another list/);
      }
    });

    test.each(['["x"]', '["a","b","c"]', '[1.5,"a"]', '["1","a"]', '{}', 'null', '[1,2]', 'x'])(
      'whose position is %s',
      async (position) => {
        const by = order('CREATED_AT', 'ASC');
        const { pageInfo } = await read('Query.features', `first: 1 ${by}`);
        const [version, mark] = Buffer.from(pageInfo.endCursor ?? '', 'base64url')
          .toString()
          .split(':');
        const forged = Buffer.from(`${version}:${mark}:${position}`).toString('base64url');
        expect(await errorOf(`after: "${forged}" ${by}`)).toMatch(/not a cursor of this API/);
      },
    );

    test('with a text that cannot be stored', async () => {
      const by = order('TYPE', 'ASC');
      const { pageInfo } = await read('Query.features', `first: 1 ${by}`);
      const [version, mark] = Buffer.from(pageInfo.endCursor ?? '', 'base64url')
        .toString()
        .split(':');
      const forged = Buffer.from(`${version}:${mark}:["\\u0000","a"]`).toString('base64url');
      expect(await errorOf(`after: "${forged}" ${by}`)).toMatch(/cannot be stored/);
    });
  });

  test('never contain features of hidden projects', async () => {
    for (const field of FEATURE_FIELDS) {
      const page = await read('Query.features', `first: 1000 ${order(field, 'DESC')}`, {
        token: tokenOf(VIEWER),
      });
      expect(page.nodes.length).toBeGreaterThan(0);
      expect(page.nodes.map(({ projectId }) => projectId)).not.toContain('hidden');
    }
  });

  test('need one statement for the features of all projects', async () => {
    const query = (ids: string[]) =>
      `{ projects(filter: { id: { anyOf: ${JSON.stringify(ids)} } }) { nodes { features(first: 3
        filter: { archived: null, or: [{ stale: true }, { lastSeenAt: { never: true } }] }
        orderBy: { field: LAST_SEEN_AT, direction: DESC }) { totalCount nodes { name } } } } }`;
    const count = async (ids: string[]) =>
      (
        await statementsOf(async () => {
          const { errors } = await gateway().graphql(query(ids));
          expect(errors).toBeUndefined();
        })
      ).length;
    expect(await count(['default', 'web', 'hidden'])).toBe(await count(['web']));
  });
});
