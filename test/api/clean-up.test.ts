import { describe, expect, test } from 'vitest';
import type { PrismaClient } from '../../src/data/db.js';
import { expectNoInsides } from '../testkit/answers.js';
import {
  addFeatures,
  daysBefore,
  everybody,
  type FeatureSpec,
  onWith,
} from '../testkit/clean-up-world.js';
import { addUser, describeSeededOnBothDatabases } from '../testkit/seeded.js';

const NOW = new Date();
const MANY = 1000;

/** In the order in which they are to be removed; their names would have it otherwise where age decides. */
const ORDERED: Record<string, FeatureSpec> = {
  'a stale and never seen': { stale: true, seenIn: [], age: 10 },
  'c stale, of unknown age': { stale: true, age: null },
  'b stale, older': { stale: true, age: 3 },
  'd stale, younger': { stale: true, age: 2 },
  'e stale, as young': { stale: true, age: 2 },
  'f completed and rolled out': { ...onWith(everybody), stages: { completed: 1 }, age: 2 },
  'g completed, never seen and old': { stages: { completed: 9 }, seenIn: [], age: 90 },
  'h completed': { stages: { completed: 1 }, status: 'discarded', age: 2 },
  'i rolled out and old': { ...onWith(everybody), age: 41 },
  'j rolled out': { ...onWith(everybody), age: 2 },
  'k never seen and old': { seenIn: [], age: 41 },
  'l never seen': { seenIn: [], age: 8 },
  'n older': { age: 60 },
  'm old': { age: 50, type: 'experiment' },
};

/** Every mixture of reasons, many of the same age: names decide often. */
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
        ...(index % 7 === 0 && onWith(everybody)),
      },
    ]),
  );

const addProject = async (client: PrismaClient, id: string, archivedAt: Date | null = null) => {
  await client.project.create({ data: { id, name: id, archivedAt } });
  await client.projectEnvironment.createMany({
    data: ['development', 'production'].map((environmentName) => ({
      projectId: id,
      environmentName,
    })),
  });
};

const SMALL = Array.from({ length: 20 }, (_, index) => `small-${index}`);

const seed = async (client: PrismaClient) => {
  await addUser(client, { id: 1, username: 'nobody-special' });
  await addProject(client, 'web');
  await addProject(client, 'many');
  await addProject(client, 'attic', NOW);
  await client.projectSettings.create({ data: { projectId: 'web', mode: 'private' } });
  for (const id of SMALL) await addProject(client, id);
  await addFeatures(client, NOW, {
    ...ORDERED,
    ...manyOf('many', MANY),
    ...Object.assign({}, ...SMALL.map((id) => manyOf(id, 6))),
    'nothing to do': {},
    'forgotten in the attic': { project: 'attic', stale: true },
    orphan: { project: 'gone', stale: true },
  });
  const mark = (
    featureName: string,
    type: string,
    days: number,
    projectId: string | null = 'web',
  ) => ({
    featureName,
    type,
    createdBy: 'somebody',
    projectId,
    createdAt: daysBefore(days, NOW),
  });
  await client.event.createMany({
    data: [
      mark('b stale, older', 'feature-stale-on', 2.5),
      mark('b stale, older', 'feature-stale-off', 2),
      mark('b stale, older', 'feature-stale-on', 1),
      mark('b stale, older', 'feature-updated', 0.5),
      mark('d stale, younger', 'feature-stale-on', 1, null),
      mark('e stale, as young', 'feature-stale-on', 300),
      mark('a stale and never seen', 'feature-stale-on', 9),
      mark('a stale and never seen', 'feature-stale-off', 8),
      mark('c stale, of unknown age', 'feature-stale-on', 900),
      mark('h completed', 'feature-stale-on', 1),
    ],
  });
};

const NAMES = 'nodes { feature { name } }';
type Named = { nodes: { feature: { name: string } }[] };
const namesOf = ({ nodes }: Named) => nodes.map(({ feature }) => feature.name);

describeSeededOnBothDatabases('what to clean up', seed, ({ gateway, statementsOf }) => {
  const ask = async (query: string, variables: Record<string, unknown> = {}, token?: string) => {
    const call = token === undefined ? {} : { token };
    const { data, errors } = await gateway().graphql(query, variables, call);
    expect(errors).toBeUndefined();
    return data;
  };
  const ofProject = async (id: string, args: string, selection = NAMES) =>
    (
      await ask(
        `query ($id: String!) { project(id: $id) { health { cleanUp${args} { ${selection} } } } }`,
        {
          id,
        },
      )
    ).project.health.cleanUp;
  const refusal = async (args: string, place = 'cleanUp') => {
    const { errors } = await gateway().graphql(`{ ${place}(${args}) { ${NAMES} } }`);
    expectNoInsides(JSON.stringify(errors));
    expect(errors?.[0].extensions.code).toBe('BAD_USER_INPUT');
    return errors?.[0].message;
  };

  describe('the order', () => {
    test('is the heaviest first, then the oldest, then by name', async () => {
      expect(namesOf(await ofProject('web', ''))).toEqual(Object.keys(ORDERED));
    });

    test('is the same across projects', async () => {
      const { cleanUp } = await ask(
        `{ cleanUp(first: 1000, filter: { project: { is: "web" } }) { ${NAMES} } }`,
      );
      expect(namesOf(cleanUp)).toEqual(Object.keys(ORDERED));
    });

    test('is that of the weights shown', async () => {
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
      let place: string | null = null;
      for (;;) {
        const data = await ask(
          `query ($place: String) { project(id: "many") { health { cleanUp(${direction}: ${size}, ${cursor}: $place) {
            ${NAMES} pageInfo { ${edge} ${more} } } } } }`,
          { place },
        );
        const { cleanUp } = data.project.health;
        pages.push(namesOf(cleanUp));
        if (!cleanUp.pageInfo[more]) return pages;
        place = cleanUp.pageInfo[edge];
      }
    };

    test('shows every item once, forwards and backwards', async () => {
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

    test('takes the cursor of any item', async () => {
      const { edges } = await ofProject('web', '', 'edges { cursor node { feature { name } } }');
      for (const [index, { cursor }] of edges.entries()) {
        const after = await ofProject('web', `(first: 2, after: "${cursor}")`);
        expect(namesOf(after)).toEqual(Object.keys(ORDERED).slice(index + 1, index + 3));
        const before = await ofProject('web', `(last: 2, before: "${cursor}")`);
        expect(namesOf(before)).toEqual(Object.keys(ORDERED).slice(Math.max(0, index - 2), index));
      }
    });

    test('refuses cursors of another filter, project or list, and what is none', async () => {
      const cursorOf = async (query: string, at: (data: never) => { endCursor: string }) =>
        at((await ask(query)) as never).endCursor;
      const own = await cursorOf(
        '{ cleanUp(first: 1) { pageInfo { endCursor } } }',
        (data: { cleanUp: { pageInfo: { endCursor: string } } }) => data.cleanUp.pageInfo,
      );
      const { pageInfo } = await ofProject('web', '(first: 1)', 'pageInfo { endCursor }');
      const feature = await cursorOf(
        '{ features(first: 1) { pageInfo { endCursor } } }',
        (data: { features: { pageInfo: { endCursor: string } } }) => data.features.pageInfo,
      );
      const other = "'after' is a cursor of another list or of another filter.";
      expect(await refusal(`after: "${own}", filter: { kind: { is: STALE } }`)).toContain(other);
      expect(await refusal(`after: "${pageInfo.endCursor}"`)).toContain(other);
      expect(await refusal(`after: "${feature}"`)).toContain(other);
      const none = "'after' is not a cursor of this API.";
      expect(await refusal('after: "nonsense"')).toContain(none);
      const [head = '', mark = ''] = Buffer.from(own, 'base64url').toString().split(':');
      for (const place of [
        '',
        'name',
        '16,name',
        '16,12345678901234567,name',
        'x,1,name',
        '16,1,',
      ]) {
        const forged = Buffer.from([head, mark, place].join(':')).toString('base64url');
        expect(await refusal(`after: "${forged}"`)).toContain(none);
      }
      const unstorable = Buffer.from([head, mark, '16,1,a\0b'].join(':')).toString('base64url');
      expect(await refusal(`after: "${unstorable}"`)).toContain('cannot be stored');
    });

    test.each([
      ['no items', 'first: 0', "'first' must be from 1 to 1000; 0 is not."],
      ['too many items', 'last: 1001', "'last' must be from 1 to 1000; 1001 is not."],
      ['both ends', 'first: 1, last: 1', "Give 'first' or 'last', not both."],
      ['what no row can hold', 'filter: { project: { is: "\\u0000" } }', 'cannot be stored'],
      [
        'too many values',
        `filter: { type: { anyOf: [${'"a",'.repeat(1001)}] } }`,
        "'filter.type.anyOf' takes at most 1000",
      ],
    ])('refuses %s', async (_what, args, message) => {
      expect(await refusal(args)).toContain(message);
    });
  });

  describe('a filter', () => {
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
        'kind: { anyOf: [NEVER_SEEN, NEVER_SEEN] }, type: { is: "release" }',
        [
          'a stale and never seen',
          'g completed, never seen and old',
          'k never seen and old',
          'l never seen',
        ],
      ],
      ['type: { is: "experiment" }', ['m old']],
      ['kind: { anyOf: [] }', []],
      ['project: { is: "many" }', []],
      ['kind: null, project: null, type: null', Object.keys(ORDERED)],
    ])('chooses what it says: %s', async (filter, names) => {
      const { totalCount, ...page } = await ofProject(
        'web',
        `(filter: { ${filter} })`,
        `totalCount ${NAMES}`,
      );
      expect(namesOf(page)).toEqual(names);
      expect(totalCount).toBe(names.length);
    });

    test('keeps the other reasons of what it chose', async () => {
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

  test('counts say how many items have each reason', async () => {
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
      { kind: 'NEVER_SEEN', count: 4 },
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
    test('features of archived projects are left out, and shown by these projects', async () => {
      const { cleanUp } = await ask(
        `{ cleanUp(filter: { project: { anyOf: ["attic", "gone"] } }) { totalCount counts { count } ${NAMES} } }`,
      );
      expect(namesOf(cleanUp)).toEqual(['orphan']);
      expect(cleanUp.totalCount).toBe(1);
      expect(cleanUp.counts[0].count).toBe(1);
      expect(namesOf(await ofProject('attic', ''))).toEqual(['forgotten in the attic']);
    });

    test('there is as much to do as in the projects together', async () => {
      const data = await ask(`{ cleanUp(first: 1) { totalCount counts { kind count } }
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
      const { project } = await ask(
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

    test('is told from the log, the stages and the age', async () => {
      const found = await since();
      expect(found.get('b STALE')).toBe(at(1));
      expect(found.get('c STALE')).toBe(at(900));
      expect(found.get('h COMPLETED')).toBe(at(1));
      expect(found.get('l NEVER_SEEN')).toBe(at(8));
      expect(found.get('n POTENTIALLY_STALE')).toBe(at(20));
      expect(found.get('j FULLY_ROLLED_OUT')).toBeNull();
    });

    test('is not told by an event of somebody who bore the name before, or that tells the opposite', async () => {
      const found = await since();
      expect(found.get('e STALE')).toBeNull();
      expect(found.get('a STALE')).toBeNull();
    });

    test('is not told by an event that the caller may not see', async () => {
      expect((await since()).get('d STALE')).toBe(at(1));
      expect((await since('user:token-of-1')).get('d STALE')).toBeNull();
    });
  });

  test('a feature that has outlived its type tells the rule', async () => {
    const { nodes } = await ofProject(
      'web',
      '(filter: { type: { is: "experiment" } })',
      'nodes { reasons { explanation rule { type lifetimeDays ageDays } } }',
    );
    expect(nodes[0].reasons).toEqual([
      {
        explanation:
          "Features of type 'experiment' are expected to live 40 days; this one is 50 days old.",
        rule: { type: 'experiment', lifetimeDays: 40, ageDays: 50 },
      },
    ]);
  });

  describe('access', () => {
    test('whoever may read features may read what to clean up, in private projects too', async () => {
      const query = `{ project(id: "web") { health { cleanUp { totalCount ${NAMES} } } } }`;
      const { project } = await ask(query, {}, 'user:token-of-1');
      expect(namesOf(project.health.cleanUp)).toEqual(Object.keys(ORDERED));
    });

    test('without a token there is no answer', async () => {
      const { status, data } = await gateway().graphql(
        '{ cleanUp { totalCount } }',
        {},
        { token: null },
      );
      expect([status, data]).toEqual([401, undefined]);
    });
  });

  describe('the number of statements', () => {
    const count = async (query: string, variables: Record<string, unknown> = {}) =>
      (await statementsOf(() => ask(query, variables))).length;

    test('is one for a page and one for all counts', async () => {
      const token = await count('{ viewer { name } }');
      expect(await count(`{ cleanUp(first: 1000) { ${NAMES} } }`)).toBe(token + 1);
      expect(
        await count(`{ cleanUp { totalCount counts { kind } nodes { reasons { kind } } } }`),
      ).toBe(token + 2);
    });

    test('does not grow with the projects', async () => {
      const query = `query ($ids: [String!]) { projects(filter: { id: { anyOf: $ids } }) { nodes {
        health { cleanUp(first: 2) { totalCount counts { count } ${NAMES} } } } } }`;
      const token = await count('{ viewer { name } }');
      expect(await count(query, { ids: SMALL.slice(0, 1) })).toBe(token + 3);
      expect(await count(query, { ids: SMALL })).toBe(token + 3);
    });

    test('gives each project its own page', async () => {
      const { projects } = await ask(
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
