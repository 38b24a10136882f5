import { describe, expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import {
  addFeatures,
  daysBefore,
  defaultStrategy,
  enabledWith,
  type FeatureSpec,
} from '../../testkit/clean-up-world.js';
import { expectNoInternals } from '../../testkit/response-assertions.js';
import { seed } from '../../testkit/seed.js';
import { describeWithRows } from '../../testkit/seeded.js';

const NOW = new Date();
const MANY = 1000;

/** In the expected order. Sorted by name they would differ where age decides. */
const ORDERED: Record<string, FeatureSpec> = {
  'a stale and never seen': { stale: true, seenIn: [], age: 10 },
  'c stale, of unknown age': { stale: true, age: null },
  'b stale, older': { stale: true, age: 3 },
  'd stale, younger': { stale: true, age: 2 },
  'e stale, as young': { stale: true, age: 2 },
  'f completed and rolled out': {
    ...enabledWith(defaultStrategy),
    stages: { completed: 1 },
    age: 2,
  },
  'g completed, never seen and old': { stages: { completed: 9 }, seenIn: [], age: 90 },
  'h completed': { stages: { completed: 1 }, status: 'discarded', age: 2 },
  'i rolled out and old': { ...enabledWith(defaultStrategy), age: 41 },
  'j rolled out': { ...enabledWith(defaultStrategy), age: 2 },
  'k never seen and old': { seenIn: [], age: 41 },
  'l never seen': { seenIn: [], age: 8 },
  'n older': { age: 60 },
  'm old': { age: 50, type: 'experiment' },
};

/** All combinations of reasons. Many features have the same age, so names often decide the order. */
const manyOf = (project: string, size: number): Record<string, FeatureSpec> =>
  Object.fromEntries(
    Array.from({ length: size }, (_, index) => [
      `${project}-${String((index * 7919) % size).padStart(4, '0')}`,
      {
        project,
        age: index % 11 === 0 ? null : (index % 13) * 5,
        stale: index % 3 === 0,
        ...(index % 5 === 0 && { stages: { completed: 1 } }),
        ...(index % 2 === 0 && { seenIn: [] }),
        ...(index % 7 === 0 && enabledWith(defaultStrategy)),
      },
    ]),
  );

const environments = ['development', 'production'];

const SMALL = Array.from({ length: 20 }, (_, index) => `small-${index}`);

const addRows = async (client: PrismaClient) => {
  await seed(client, {
    users: [{ id: 1, username: 'nobody-special' }],
    projects: {
      web: { environments, settings: { mode: 'private' } },
      many: { environments },
      attic: { environments, archivedAt: NOW },
      ...Object.fromEntries(SMALL.map((id) => [id, { environments }])),
    },
  });
  await addFeatures(client, NOW, {
    ...ORDERED,
    ...manyOf('many', MANY),
    ...Object.assign({}, ...SMALL.map((id) => manyOf(id, 6))),
    'nothing to do': {},
    'forgotten in the attic': { project: 'attic', stale: true },
    orphan: { project: 'gone', stale: true },
  });
  const event = (feature: string, type: string, days: number, project: string | null = 'web') => ({
    feature,
    type,
    createdBy: 'somebody',
    project,
    createdAt: daysBefore(days, NOW),
  });
  await seed(client, {
    events: [
      event('b stale, older', 'feature-stale-on', 2.5),
      event('b stale, older', 'feature-stale-off', 2),
      event('b stale, older', 'feature-stale-on', 1),
      event('b stale, older', 'feature-updated', 0.5),
      event('d stale, younger', 'feature-stale-on', 1, null),
      event('e stale, as young', 'feature-stale-on', 300),
      event('a stale and never seen', 'feature-stale-on', 9),
      event('a stale and never seen', 'feature-stale-off', 8),
      event('c stale, of unknown age', 'feature-stale-on', 900),
      event('h completed', 'feature-stale-on', 1),
    ],
  });
};

const NAMES = 'nodes { feature { name } }';
type Named = { nodes: { feature: { name: string } }[] };
const namesOf = ({ nodes }: Named) => nodes.map(({ feature }) => feature.name);

describeWithRows('the clean-up list', addRows, ({ gateway, statementsOf }) => {
  const runQuery = async (
    query: string,
    variables: Record<string, unknown> = {},
    token?: string,
  ) => {
    const call = token === undefined ? {} : { token };
    const { data, errors } = await gateway().graphql(query, variables, call);
    expect(errors).toBeUndefined();
    return data;
  };
  const ofProject = async (id: string, args: string, selection = NAMES) =>
    (
      await runQuery(
        `query ($id: String!) { project(id: $id) { health { cleanUp${args} { ${selection} } } } }`,
        {
          id,
        },
      )
    ).project.health.cleanUp;
  const errorMessage = async (args: string, field = 'cleanUp') => {
    const { errors } = await gateway().graphql(`{ ${field}(${args}) { ${NAMES} } }`);
    expectNoInternals(JSON.stringify(errors));
    expect(errors?.[0].extensions.code).toBe('BAD_USER_INPUT');
    return errors?.[0].message;
  };

  describe('order', () => {
    test('is by weight descending, then oldest first, then by name', async () => {
      expect(namesOf(await ofProject('web', ''))).toEqual(Object.keys(ORDERED));
    });

    test('is the same across projects', async () => {
      const { cleanUp } = await runQuery(
        `{ cleanUp(first: 1000, filter: { projectId: { is: "web" } }) { ${NAMES} } }`,
      );
      expect(namesOf(cleanUp)).toEqual(Object.keys(ORDERED));
    });

    test('matches the returned weights', async () => {
      const { nodes } = await ofProject(
        'many',
        '(first: 1000)',
        'nodes { weight feature { name createdAt } }',
      );
      type Node = { weight: number; feature: { name: string; createdAt: string | null } };
      const key = ({ weight, feature }: Node) =>
        [-weight, feature.createdAt ?? '', feature.name] as const;
      const sorted = (nodes as Node[]).toSorted((a, b) => {
        const [left, right] = [key(a), key(b)];
        const at = left.findIndex((part, index) => part !== right[index]);
        return at === -1 ? 0 : (left[at] ?? 0) < (right[at] ?? 0) ? -1 : 1;
      });
      expect(nodes).toEqual(sorted);
    });
  });

  describe('paging', () => {
    const walk = async (direction: 'first' | 'last', size: number) => {
      const [cursor, edge, more] =
        direction === 'first'
          ? ['after', 'endCursor', 'hasNextPage']
          : ['before', 'startCursor', 'hasPreviousPage'];
      const pages: string[][] = [];
      let position: string | null = null;
      for (;;) {
        const data = await runQuery(
          `query ($place: String) { project(id: "many") { health { cleanUp(${direction}: ${size}, ${cursor}: $place) {
            ${NAMES} pageInfo { ${edge} ${more} } } } } }`,
          { place: position },
        );
        const { cleanUp } = data.project.health;
        pages.push(namesOf(cleanUp));
        if (!cleanUp.pageInfo[more]) return pages;
        position = cleanUp.pageInfo[edge];
      }
    };

    test('returns every item once, forwards and backwards', async () => {
      const { totalCount, ...all } = await ofProject(
        'many',
        '(first: 1000)',
        `totalCount ${NAMES}`,
      );
      const names = namesOf(all);
      expect(names).toHaveLength(totalCount);
      expect(names.length).toBeGreaterThan(MANY / 2);
      const forwards = await walk('first', 137);
      const backwards = await walk('last', 137);
      expect(forwards.length).toBeGreaterThan(4);
      expect(forwards.flat()).toEqual(names);
      expect(backwards.toReversed().flat()).toEqual(names);
    });

    test('accepts the cursor of any item', async () => {
      const { edges } = await ofProject('web', '', 'edges { cursor node { feature { name } } }');
      for (const [index, { cursor }] of edges.entries()) {
        const after = await ofProject('web', `(first: 2, after: "${cursor}")`);
        expect(namesOf(after)).toEqual(Object.keys(ORDERED).slice(index + 1, index + 3));
        const before = await ofProject('web', `(last: 2, before: "${cursor}")`);
        expect(namesOf(before)).toEqual(Object.keys(ORDERED).slice(Math.max(0, index - 2), index));
      }
    });

    test('rejects cursors of another filter, project or list, and invalid cursors', async () => {
      const cursorOf = async (query: string, at: (data: never) => { endCursor: string }) =>
        at((await runQuery(query)) as never).endCursor;
      const own = await cursorOf(
        '{ cleanUp(first: 1) { pageInfo { endCursor } } }',
        (data: { cleanUp: { pageInfo: { endCursor: string } } }) => data.cleanUp.pageInfo,
      );
      const { pageInfo } = await ofProject('web', '(first: 1)', 'pageInfo { endCursor }');
      const feature = await cursorOf(
        '{ features(first: 1) { pageInfo { endCursor } } }',
        (data: { features: { pageInfo: { endCursor: string } } }) => data.features.pageInfo,
      );
      const other = "'after' is a cursor of another list, or of another filter or order.";
      expect(await errorMessage(`after: "${own}", filter: { kind: { is: STALE } }`)).toContain(
        other,
      );
      expect(await errorMessage(`after: "${pageInfo.endCursor}"`)).toContain(other);
      expect(await errorMessage(`after: "${feature}"`)).toContain(other);
      const none = "'after' is not a cursor of this API.";
      expect(await errorMessage('after: "nonsense"')).toContain(none);
      const [head = '', position = ''] = Buffer.from(own, 'base64url').toString().split(':');
      for (const invalid of [
        '',
        'name',
        '16,name',
        '16,12345678901234567,name',
        'x,1,name',
        '16,1,',
      ]) {
        const forged = Buffer.from([head, position, invalid].join(':')).toString('base64url');
        expect(await errorMessage(`after: "${forged}"`)).toContain(none);
      }
      const unstorable = Buffer.from([head, position, '16,1,a\0b'].join(':')).toString('base64url');
      expect(await errorMessage(`after: "${unstorable}"`)).toContain('cannot be stored');
    });

    test.each([
      ['no items', 'first: 0', "'first' must be between 1 and 1000 (got 0)."],
      ['too many items', 'last: 1001', "'last' must be between 1 and 1000 (got 1001)."],
      ['both ends', 'first: 1, last: 1', "Use either 'first' or 'last', not both."],
      ['what no row can hold', 'filter: { projectId: { is: "\\u0000" } }', 'cannot be stored'],
    ])('rejects %s', async (_title, args, message) => {
      expect(await errorMessage(args)).toContain(message);
    });

    test('rejects too many values', async () => {
      const { errors } = await gateway().graphql(
        `query ($types: [String!]) { cleanUp(filter: { type: { anyOf: $types } }) { ${NAMES} } }`,
        { types: Array.from({ length: 1001 }, () => 'a') },
      );
      expect(errors?.[0].extensions.code).toBe('BAD_USER_INPUT');
      expect(errors?.[0].message).toContain("'filter.type.anyOf' can have at most 1000");
    });
  });

  describe('filter', () => {
    test.each<[string, string[]]>([
      [
        'kind: { is: COMPLETED }',
        ['f completed and rolled out', 'g completed, never seen and old', 'h completed'],
      ],
      [
        'kind: { anyOf: [POTENTIALLY_STALE, COMPLETED], is: POTENTIALLY_STALE }',
        [
          'g completed, never seen and old',
          'i rolled out and old',
          'k never seen and old',
          'n older',
          'm old',
        ],
      ],
      [
        'kind: { anyOf: [NOT_SEEN, NOT_SEEN] }, type: { is: "release" }',
        [
          'a stale and never seen',
          'g completed, never seen and old',
          'k never seen and old',
          'l never seen',
        ],
      ],
      ['type: { is: "experiment" }', ['m old']],
      ['kind: { anyOf: [] }', []],
      ['projectId: { is: "many" }', []],
      ['kind: null, projectId: null, type: null', Object.keys(ORDERED)],
    ])('returns the matching features: %s', async (filter, names) => {
      const { totalCount, ...page } = await ofProject(
        'web',
        `(filter: { ${filter} })`,
        `totalCount ${NAMES}`,
      );
      expect(namesOf(page)).toEqual(names);
      expect(totalCount).toBe(names.length);
    });

    test.each<[number, string[]]>([
      [
        1,
        [
          'a stale and never seen',
          'g completed, never seen and old',
          'k never seen and old',
          'l never seen',
        ],
      ],
      [9, ['a stale and never seen', 'g completed, never seen and old', 'k never seen and old']],
      [42, ['g completed, never seen and old']],
    ])('counts features as not seen after %d days', async (days, names) => {
      const args = `(notSeenForDays: ${days}, filter: { kind: { is: NOT_SEEN } })`;
      const { totalCount, ...page } = await ofProject('web', args, `totalCount ${NAMES}`);
      expect(namesOf(page)).toEqual(names);
      expect(totalCount).toBe(names.length);
      const reasonsOf = async (name: string) => {
        const { data } = await gateway().graphql(
          `query ($name: String!, $days: Int!) { feature(name: $name) { cleanUpReasons(notSeenForDays: $days) { kind } } }`,
          { name, days },
        );
        return data.feature.cleanUpReasons.map(({ kind }: { kind: string }) => kind);
      };
      expect((await reasonsOf('l never seen')).includes('NOT_SEEN')).toBe(days <= 8);
    });

    test.each([0, 3651])('rejects %d days without use', async (days) => {
      expect(await errorMessage(`notSeenForDays: ${days}`)).toBe(
        `'notSeenForDays' must be between 1 and 3650 (got ${days}).`,
      );
    });

    test('keeps the other reasons of the matching features', async () => {
      const { nodes } = await ofProject(
        'web',
        '(filter: { kind: { is: FULLY_ROLLED_OUT } })',
        'nodes { reasons { kind } }',
      );
      expect(
        nodes.map(({ reasons }: { reasons: { kind: string }[] }) =>
          reasons.map(({ kind }) => kind),
        ),
      ).toEqual([
        ['COMPLETED', 'FULLY_ROLLED_OUT'],
        ['FULLY_ROLLED_OUT', 'POTENTIALLY_STALE'],
        ['FULLY_ROLLED_OUT'],
      ]);
    });
  });

  test('counts the items by reason', async () => {
    const { totalCount, counts } = await ofProject(
      'web',
      '(first: 1)',
      'totalCount counts { kind count }',
    );
    expect(totalCount).toBe(14);
    expect(counts).toEqual([
      { kind: 'STALE', count: 5 },
      { kind: 'COMPLETED', count: 3 },
      { kind: 'FULLY_ROLLED_OUT', count: 3 },
      { kind: 'NOT_SEEN', count: 4 },
      { kind: 'POTENTIALLY_STALE', count: 5 },
    ]);
    const none = await ofProject(
      'web',
      '(filter: { type: { is: "none" } })',
      'totalCount counts { count }',
    );
    expect(none).toEqual({
      totalCount: 0,
      counts: Array.from({ length: 5 }, () => ({ count: 0 })),
    });
  });

  describe('across projects', () => {
    test('omits features of archived projects, which these projects list themselves', async () => {
      const { cleanUp } = await runQuery(
        `{ cleanUp(filter: { projectId: { anyOf: ["attic", "gone"] } }) { totalCount counts { count } ${NAMES} } }`,
      );
      expect(namesOf(cleanUp)).toEqual(['orphan']);
      expect(cleanUp.totalCount).toBe(1);
      expect(cleanUp.counts[0].count).toBe(1);
      expect(namesOf(await ofProject('attic', ''))).toEqual(['forgotten in the attic']);
    });

    test('matches the sum of all projects', async () => {
      const data = await runQuery(`{ cleanUp(first: 1) { totalCount counts { kind count } }
        projects(first: 1000) { nodes { health { cleanUp(first: 1) { totalCount counts { kind count } } } } } }`);
      type List = { totalCount: number; counts: { kind: string; count: number }[] };
      const lists: List[] = data.projects.nodes.map(
        (node: { health: { cleanUp: List } }) => node.health.cleanUp,
      );
      const sum = (of: (list: List) => number) =>
        lists.reduce((total, list) => total + of(list), 0);
      const orphans = 1;
      expect(data.cleanUp.totalCount).toBe(sum(({ totalCount }) => totalCount) + orphans);
      for (const [index, { kind, count }] of data.cleanUp.counts.entries()) {
        expect(count).toBe(
          sum(({ counts }) => counts[index]?.count ?? 0) + (kind === 'STALE' ? orphans : 0),
        );
      }
    });
  });

  describe('since', () => {
    const since = async (token?: string) => {
      const { project } = await runQuery(
        `{ project(id: "web") { health { cleanUp { nodes { feature { name createdAt } reasons { kind since } } } } } }`,
        {},
        token,
      );
      type Node = { feature: { name: string }; reasons: { kind: string; since: string | null }[] };
      return new Map<string, string | null>(
        project.health.cleanUp.nodes.flatMap(({ feature, reasons }: Node) =>
          reasons.map((reason) => [`${feature.name[0]} ${reason.kind}`, reason.since]),
        ),
      );
    };
    const at = (days: number) => daysBefore(days, NOW).toISOString();

    test('is derived from the log, the lifecycle stages and the age', async () => {
      const found = await since();
      expect(found.get('b STALE')).toBe(at(1));
      expect(found.get('c STALE')).toBe(at(900));
      expect(found.get('h COMPLETED')).toBe(at(1));
      expect(found.get('l NOT_SEEN')).toBe(at(8));
      expect(found.get('n POTENTIALLY_STALE')).toBe(at(20));
      expect(found.get('j FULLY_ROLLED_OUT')).toBeNull();
    });

    test('ignores events of an earlier feature of the same name, and events that say the opposite', async () => {
      const found = await since();
      expect(found.get('e STALE')).toBeNull();
      expect(found.get('a STALE')).toBeNull();
    });

    test('ignores events that the caller may not see', async () => {
      expect((await since()).get('d STALE')).toBe(at(1));
      expect((await since('user:token-of-1')).get('d STALE')).toBeNull();
    });
  });

  test('reports the rule for a feature that exceeded its expected lifetime', async () => {
    const { nodes } = await ofProject(
      'web',
      '(filter: { type: { is: "experiment" } })',
      'nodes { reasons { explanation rule { type lifetimeDays ageDays } } }',
    );
    expect(nodes[0].reasons).toEqual([
      {
        explanation:
          "Features of type 'experiment' have an expected lifetime of 40 days; this one is 50 days old.",
        rule: { type: 'experiment', lifetimeDays: 40, ageDays: 50 },
      },
    ]);
  });

  describe('access', () => {
    test('is granted to every caller who may read features, in private projects too', async () => {
      const query = `{ project(id: "web") { health { cleanUp { totalCount ${NAMES} } } } }`;
      const { project } = await runQuery(query, {}, 'user:token-of-1');
      expect(namesOf(project.health.cleanUp)).toEqual(Object.keys(ORDERED));
    });

    test('requires a token', async () => {
      const { status, data } = await gateway().graphql(
        '{ cleanUp { totalCount } }',
        {},
        { token: null },
      );
      expect([status, data]).toEqual([401, undefined]);
    });
  });

  describe('SQL statements', () => {
    const count = async (query: string, variables: Record<string, unknown> = {}) =>
      (await statementsOf(() => runQuery(query, variables))).length;

    test('are one for a page and one for all counts', async () => {
      const token = await count('{ viewer { name } }');
      expect(await count(`{ cleanUp(first: 1000) { ${NAMES} } }`)).toBe(token + 1);
      expect(
        await count(`{ cleanUp { totalCount counts { kind } nodes { reasons { kind } } } }`),
      ).toBe(token + 2);
    });

    test('do not increase with the number of projects', async () => {
      const query = `query ($ids: [String!]) { projects(filter: { id: { anyOf: $ids } }) { nodes {
        health { cleanUp(first: 2) { totalCount counts { count } ${NAMES} } } } } }`;
      const token = await count('{ viewer { name } }');
      expect(await count(query, { ids: SMALL.slice(0, 1) })).toBe(token + 3);
      expect(await count(query, { ids: SMALL })).toBe(token + 3);
    });

    test('return a page for each project', async () => {
      const { projects } = await runQuery(
        `query ($ids: [String!]) { projects(filter: { id: { anyOf: $ids } }) { nodes {
          id health { cleanUp(first: 2) { pageInfo { hasNextPage } ${NAMES} } } } } }`,
        { ids: SMALL },
      );
      expect(projects.nodes).toHaveLength(SMALL.length);
      for (const { id, health } of projects.nodes) {
        const alone = await ofProject(id, '(first: 2)', `pageInfo { hasNextPage } ${NAMES}`);
        expect(health.cleanUp).toEqual(alone);
        expect(alone.nodes).toHaveLength(2);
        expect(alone.pageInfo.hasNextPage).toBe(true);
      }
    });
  });
});
