import { describe, expect, test } from 'vitest';
import { type Db, Prisma, type PrismaClient } from '../../../src/data/db.js';
import { describeWithDemo } from '../../testkit/app.js';
import { addUser, describeWithRows } from '../../testkit/seeded.js';

type Line = {
  type: string;
  project?: string | null;
  feature?: string;
  environment?: string;
  data?: unknown;
  preData?: unknown;
  /** The stored text, where JSON.stringify would write it differently. */
  rawData?: string;
};

const write = async (db: Db, lines: readonly Line[]): Promise<number[]> => {
  const ids: number[] = [];
  for (const { type, project = 'shop', feature = null, environment = null, ...states } of lines) {
    const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
    const [{ id }] = await db.$queryRaw<[{ id: number }]>(Prisma.sql`
      insert into events (type, created_by, project, feature_name, environment, data, pre_data)
      values (${type}, 'hand', ${project}, ${feature}, ${environment},
        (${states.rawData ?? json(states.data)}::text)::json, (${json(states.preData)}::text)::jsonb) returning id`);
    ids.push(id);
  }
  return ids;
};

const MEMBER = 'user:token-of-7';
const seed = (client: PrismaClient) => addUser(client, { id: 7, username: 'member' });

const CHANGES = 'changes { path kind before after position }';
const UPDATE = { type: 'feature-strategy-update', environment: 'production' } as const;
const ADD = { type: 'feature-strategy-add', environment: 'production' } as const;
const strategy = (id: string, rollout: string) => ({ id, parameters: { rollout } });

describeWithRows('the changes of an event', seed, ({ gateway, database, statementsOf }) => {
  const changesOf = async (ids: readonly number[], token?: string) => {
    const { data, errors } = await gateway().graphql(
      `query ($ids: [Int!]) { events(first: 1000, filter: { id: { anyOf: $ids } }) { nodes { id ${CHANGES} } } }`,
      { ids },
      token === undefined ? {} : { token },
    );
    expect(errors).toBeUndefined();
    const found = new Map(
      data.events.nodes.map((node: { id: number; changes: unknown }) => [node.id, node.changes]),
    );
    return ids.map((id) => found.get(id));
  };
  /** Writes a history and returns the changes of each event. */
  const readChanges = async (lines: readonly Line[], token?: string) =>
    changesOf(await write(database().client, lines), token);
  const change = (path: string, before: unknown, after: unknown) => ({
    path,
    kind: before === undefined ? 'ADDED' : after === undefined ? 'REMOVED' : 'CHANGED',
    before: before ?? null,
    after: after ?? null,
    position: null,
  });

  test('are the difference between the two recorded states', async () => {
    const constraints = (values: string[]) => [{ contextName: 'userId', operator: 'IN', values }];
    const before = { ...strategy('s', '10'), title: null, constraints: constraints(['1']) };
    const after = {
      ...strategy('s', '50'),
      constraints: constraints(['1', '2']),
      disabled: false,
    };
    expect(
      await readChanges([{ ...UPDATE, feature: 'both', preData: before, data: after }]),
    ).toEqual([
      [
        change('parameters.rollout', '10', '50'),
        change('constraints[contextName=userId,operator=IN].values', ['1'], ['1', '2']),
        change('disabled', undefined, false),
        { ...change('title', null, null), kind: 'REMOVED' },
      ],
    ]);
  });

  test('are empty when both states are equal', async () => {
    const state = { variants: [{ name: 'a', weight: 1000 }] };
    expect(
      await readChanges([
        { type: 'feature-variants-updated', feature: 'same', preData: state, data: state },
      ]),
    ).toEqual([[]]);
  });

  test('identify variants by name, with the position of new ones and changes of the order', async () => {
    const variants = (...names: string[]) => ({ variants: names.map((name) => ({ name })) });
    expect(
      await readChanges([
        {
          type: 'feature-environment-variants-updated',
          feature: 'v',
          environment: 'production',
          preData: variants('a', 'c'),
          data: variants('a', 'b', 'c'),
        },
        {
          type: 'feature-environment-variants-updated',
          feature: 'v',
          environment: 'production',
          preData: variants('a', 'c'),
          data: variants('c', 'a'),
        },
      ]),
    ).toEqual([
      [{ ...change('variants[name=b]', undefined, { name: 'b' }), position: 1 }],
      [
        {
          ...change('variants', 1, 1),
          kind: 'REORDERED',
          before: [{ name: 'a' }, { name: 'c' }],
          after: [{ name: 'c' }, { name: 'a' }],
        },
      ],
    ]);
  });

  test('contain the whole object when it was created or deleted', async () => {
    const tag = { type: 'simple', value: 'red' };
    expect(
      await readChanges([
        { type: 'feature-created', feature: 'new', data: { name: 'new' } },
        { type: 'feature-tagged', feature: 'new', data: tag },
        { type: 'feature-untagged', feature: 'new', preData: tag },
        { type: 'feature-dependency-removed', feature: 'new', data: { feature: 'parent' } },
        { type: 'feature-strategy-remove', feature: 'new', preData: strategy('s', '5') },
        { type: 'feature-deleted', feature: 'new', preData: { name: 'new' } },
      ]),
    ).toEqual([
      [change('', undefined, { name: 'new' })],
      [change('', undefined, tag)],
      [change('', tag, undefined)],
      [change('', { feature: 'parent' }, undefined)],
      [change('', strategy('s', '5'), undefined)],
      [change('', { name: 'new' }, undefined)],
    ]);
  });

  test('contain the project when a feature was moved', async () => {
    const data = { oldProject: 'shop', newProject: 'app' };
    expect(
      await readChanges([{ type: 'feature-project-change', feature: 'm', project: 'app', data }]),
    ).toEqual([[change('project', 'shop', 'app')]]);
  });

  test('contain the value that an event without a payload switched', async () => {
    expect(
      await readChanges([
        { type: 'feature-environment-enabled', feature: 'f', environment: 'production' },
        { type: 'feature-environment-disabled', feature: 'f', environment: 'production' },
        { type: 'feature-archived', feature: 'f' },
        { type: 'feature-revived', feature: 'f' },
        { type: 'feature-stale-on', feature: 'f' },
        { type: 'project-archived' },
      ]),
    ).toEqual([
      [change('enabled', false, true)],
      [change('enabled', true, false)],
      [change('archived', false, true)],
      [change('archived', true, false)],
      [change('stale', false, true)],
      [change('archived', false, true)],
    ]);
  });

  test('are null for events that record no state', async () => {
    expect(
      await readChanges([
        { type: 'feature-dependencies-removed', feature: 'f' },
        { type: 'feature-completed', feature: 'f', data: { status: 'kept' } },
        { type: 'change-request-applied', data: { changeRequestId: 5 } },
        { type: 'newer-than-us', data: { x: 1 } },
      ]),
    ).toEqual([null, null, null, null]);
  });

  describe('with only a new state are the difference to the last recorded state:', () => {
    test('of the same strategy, feature and environment', async () => {
      const [, , , , , update, next] = await readChanges([
        { ...ADD, feature: 'one', data: strategy('s', '1') },
        { ...UPDATE, feature: 'one', preData: strategy('s', '1'), data: strategy('s', '2') },
        { ...ADD, feature: 'one', data: strategy('t', '3') },
        { ...UPDATE, feature: 'two', data: strategy('s', '4') },
        { ...UPDATE, feature: 'one', environment: 'development', data: strategy('s', '5') },
        { ...UPDATE, feature: 'one', data: strategy('s', '6') },
        { ...UPDATE, feature: 'one', data: { ...strategy('s', '6'), title: 'new' } },
      ]);
      expect(update).toEqual([change('parameters.rollout', '2', '6')]);
      expect(next).toEqual([change('title', undefined, 'new')]);
    });

    test('of the same feature and environment for variants and the order of strategies', async () => {
      const variants = (environment: string, name: string) => ({
        type: 'feature-environment-variants-updated',
        feature: 'per-environment',
        environment,
        data: { variants: [{ name }] },
      });
      const order = (...strategyIds: string[]) => ({
        type: 'strategy-order-changed',
        feature: 'per-environment',
        environment: 'production',
        data: { strategyIds },
      });
      const changes = await readChanges([
        variants('production', 'a'),
        variants('development', 'b'),
        order('x', 'y'),
        variants('production', 'c'),
        order('y', 'x'),
      ]);
      expect(changes).toEqual([
        null,
        null,
        null,
        [
          change('variants[name=a]', { name: 'a' }, undefined),
          { ...change('variants[name=c]', undefined, { name: 'c' }), position: 0 },
        ],
        [change('strategyIds', ['x', 'y'], ['y', 'x'])],
      ]);
    });

    test('limited to common keys when an event of another type recorded it', async () => {
      expect(
        await readChanges([
          {
            type: 'feature-import',
            feature: 'old',
            data: { name: 'old', description: 'was', stale: false },
          },
          {
            type: 'feature-updated',
            feature: 'old',
            data: { name: 'old', description: 'is', enabled: true },
          },
          { type: 'feature-updated', feature: 'old', data: { name: 'old', description: 'is' } },
        ]),
      ).toEqual([
        [change('', undefined, { name: 'old', description: 'was', stale: false })],
        [change('description', 'was', 'is')],
        [change('enabled', true, undefined)],
      ]);
    });

    test('limited to common keys when the event type records only the requested keys', async () => {
      const field = (data: object) => ({ type: 'context-field-updated', project: null, data });
      const project = (data: object) => ({ type: 'project-updated', data });
      const changes = await readChanges([
        field({ name: 'region', description: 'where', legalValues: [] }),
        field({ name: 'region', stickiness: true }),
        field({ name: 'region', stickiness: false }),
        project({ id: 'shop', description: 'new' }),
        project({ id: 'shop', name: 'Shop' }),
      ]);
      expect(changes[1]).toEqual([]);
      expect(changes[2]).toEqual([change('stickiness', true, false)]);
      expect(changes[4]).toEqual([]);
    });

    test('skipping events without a state', async () => {
      const update = (data?: object) => ({
        type: 'feature-metadata-updated',
        feature: 'quiet',
        ...(data && { data }),
      });
      const changes = await readChanges([
        update({ name: 'one' }),
        update(),
        update({ name: 'two' }),
      ]);
      expect(changes[2]).toEqual([change('name', 'one', 'two')]);
    });

    test('of the same global object', async () => {
      const tagType = (name: string, icon: string) => ({ name, icon });
      const changes = await readChanges([
        { type: 'tag-type-created', project: null, data: tagType('t', '1') },
        { type: 'tag-type-created', project: null, data: tagType('u', '2') },
        { type: 'tag-type-updated', project: null, data: tagType('t', '3') },
        { type: 'segment-created', data: { id: 4, name: 'gold' } },
        { type: 'segment-created', data: { id: '4', name: 'text' } },
        { type: 'segment-updated', data: { id: 4, name: 'silver' } },
      ]);
      expect(changes[2]).toEqual([change('icon', '1', '3')]);
      expect(changes[5]).toEqual([change('name', 'gold', 'silver')]);
    });

    test('unless the feature was deleted in between or no state is recorded', async () => {
      const variants = (name: string) => ({
        type: 'feature-variants-updated',
        feature: 'again',
        data: { variants: [{ name }] },
      });
      expect(
        await readChanges([
          variants('a'),
          { type: 'feature-deleted', feature: 'again', preData: {} },
          { type: 'feature-created', feature: 'again' },
          variants('b'),
          { type: 'feature-metadata-updated', feature: 'again', data: { description: 'x' } },
          { ...UPDATE, feature: 'again', data: { parameters: {} } },
          { ...UPDATE, feature: 'again', data: 'odd' },
          { type: 'feature-updated', data: { name: 'nobody' } },
        ]),
      ).toEqual([null, [change('', {}, undefined)], null, null, null, null, null, null]);
    });

    test('unless the caller may not see that event', async () => {
      const segment = (project: string | null, type: string, name: string) => ({
        type,
        project,
        data: { id: 77, name },
      });
      const ids = await write(database().client, [
        segment('shop', 'segment-updated', 'first'),
        segment(null, 'segment-updated', 'hidden'),
        segment('shop', 'segment-updated', 'last'),
        segment(null, 'context-field-created', 'x'),
        { type: 'segment-created', project: null, data: { id: 78, name: 'hidden' } },
        { type: 'segment-updated', data: { id: 78, name: 'seen' } },
      ]);
      expect((await changesOf(ids))[2]).toEqual([change('name', 'hidden', 'last')]);
      const seen = await changesOf(ids, MEMBER);
      expect(seen[1]).toBeUndefined();
      expect(seen[2]).toEqual([change('name', 'first', 'last')]);
      expect((await changesOf(ids))[5]).toEqual([change('name', 'hidden', 'seen')]);
      expect(seen[5]).toBeNull();
    });

    test('unless finding it would require a scan of the log, and no feature narrows the search', async () => {
      const { client } = database();
      const skipIds = (count: number) =>
        client.$executeRaw`select setval('events_id_seq', (select max(id) + ${count}::int from events))`;
      const role = (name: string) => ({ type: 'role-updated', data: { id: 4711, name } });
      const of = (rollout: string) => ({
        ...UPDATE,
        feature: 'far',
        data: strategy('s', rollout),
      });

      const ids = await write(client, [role('first'), of('1')]);
      await skipIds(90_000);
      ids.push(...(await write(client, [role('near')])));
      await skipIds(150_000);
      ids.push(...(await write(client, [role('far'), of('2')])));
      // Requested one by one: distant events of one page share the read limit.
      const changesAt = async (index: number) => (await changesOf(ids.slice(index, index + 1)))[0];
      expect(await changesAt(2)).toEqual([change('name', 'first', 'near')]);
      expect(await changesAt(3)).toBeNull();
      expect(await changesAt(4)).toEqual([change('parameters.rollout', '1', '2')]);
    });

    test('unless it is older than the last two thousand events of the feature', async () => {
      const { client } = database();
      const busy = (data: object) => ({ ...ADD, feature: 'busy', data });
      const addOthers = (count: number) => client.$executeRaw`
          insert into events (type, created_by, project, feature_name, environment, data)
          select ${ADD.type}, 'hand', 'shop', 'busy', ${ADD.environment}, '{"id":"other"}'
          from generate_series(1, ${count}::int)`;
      const update = async (rollout: string) => {
        const [id = 0] = await write(client, [
          { ...UPDATE, feature: 'busy', data: strategy('s', rollout) },
        ]);
        return async () => (await changesOf([id]))[0];
      };

      await write(client, [busy(strategy('s', '1'))]);
      await addOthers(1_998);
      const near = await update('2');
      await addOthers(1_999);
      const far = await update('3');
      expect(await near()).toEqual([change('parameters.rollout', '1', '2')]);
      expect(await far()).toBeNull();
    });

    test('skipping payloads that PostgreSQL cannot parse', async () => {
      const changes = await readChanges([
        { ...ADD, feature: 'nul', data: strategy('s', '1') },
        { ...ADD, feature: 'nul', rawData: String.raw`{"id":"other\u0000","x":"\ud800"}` },
        { ...ADD, feature: 'nul', rawData: '{"id":1e999999}' },
        { ...ADD, feature: 'nul', rawData: '[]' },
        {
          ...UPDATE,
          feature: 'nul',
          rawData: String.raw`{"id":"s","parameters":{"rollout":"2\u0000"}}`,
        },
        { ...UPDATE, feature: 'nul', rawData: String.raw`{"id":"s\u0000"}` },
      ]);
      expect(changes[4]).toEqual([change('parameters.rollout', '1', '2\0')]);
      expect(changes[5]).toBeNull();
    });
  });

  test('take one statement per page, however many events need an earlier state', async () => {
    const lines = Array.from({ length: 50 }, (_, n): Line[] => [
      { ...UPDATE, feature: `page-${n % 7}`, data: strategy(`s${n % 3}`, String(n)) },
      { type: 'project-updated', project: 'page', data: { name: String(n) } },
      { type: 'role-updated', project: 'page', data: { id: n % 5, name: String(n) } },
    ]).flat();
    const ids = await write(database().client, lines);
    const page = (first: number, selection: string) =>
      statementsOf(async () => {
        const { data, errors } = await gateway().graphql(
          `query ($ids: [Int!], $first: Int) { events(first: $first, filter: { id: { anyOf: $ids } }) { nodes { ${selection} } } }`,
          { ids, first },
        );
        expect(errors).toBeUndefined();
        expect(data.events.nodes).toHaveLength(first);
      });
    const plain = await page(150, 'id data');
    for (const first of [1, 50, 150]) {
      expect(await page(first, `id ${CHANGES} again: changes { path }`)).toHaveLength(
        plain.length + 1,
      );
    }
    const withoutChanges = await write(database().client, [
      { type: 'feature-created', feature: 'x', data: {} },
    ]);
    expect(await statementsOf(() => changesOf(withoutChanges))).toHaveLength(plain.length);
  });

  test('are bounded and exact for payloads of any size and depth', async () => {
    const deep = (depth: number, core: number) =>
      JSON.parse(`${'{"k":'.repeat(depth)}${core}${'}'.repeat(depth)}`);
    const wide = (size: number, value: number) =>
      Object.fromEntries(Array.from({ length: size }, (_, n) => [`k${n}`, value]));
    const [nested, broad, scalars, lists] = await readChanges([
      { type: 'user-updated', preData: deep(1_500, 1), data: deep(1_500, 2) },
      { type: 'user-updated', preData: wide(5_000, 1), data: wide(5_000, 2) },
      { type: 'user-updated', preData: 'text', data: 7 },
      { type: 'user-updated', preData: [1, [2]], data: [1, [3]] },
    ]);
    expect(nested).toHaveLength(1);
    expect(nested).toMatchObject([
      { kind: 'CHANGED', path: expect.stringMatching(/^k(\.k){39}$/) },
    ]);
    expect(broad).toEqual([change('', wide(5_000, 1), wide(5_000, 2))]);
    expect(scalars).toEqual([change('', 'text', 7)]);
    expect(lists).toEqual([change('', [1, [2]], [1, [3]])]);
  });

  test('are available for delivered events that contain both states', async () => {
    const { client } = database();
    await client.integration.create({ data: { id: 1, provider: 'webhook' } });
    const delivered = [
      { type: 'feature-strategy-update', preData: strategy('s', '1'), data: strategy('s', '2') },
      { type: 'feature-strategy-update', preData: null, data: strategy('s', '2') },
      { data: 5 },
      [],
    ];
    await client.integrationEvent.createMany({
      data: delivered.map((event) => ({
        integrationId: 1,
        state: 'success',
        stateDetails: '',
        event,
        details: {},
      })),
    });
    const { data } = await gateway().graphql(
      `{ integrationEvents(integrationId: 1) { nodes { event { ${CHANGES} } } } }`,
    );
    expect(
      data.integrationEvents.nodes.map(
        (node: { event: { changes: unknown } }) => node.event.changes,
      ),
    ).toEqual([null, null, null, [change('parameters.rollout', '1', '2')]]);
  });
});

describeWithRows('events that touch a path', seed, ({ gateway, database }) => {
  const find = async (variables: Record<string, unknown>, token?: string) => {
    const { data, errors } = await gateway().graphql(
      `query ($filter: EventFilter, $first: Int, $after: String, $last: Int) {
        events(filter: $filter, first: $first, after: $after, last: $last) { totalCount nodes { id } pageInfo { hasNextPage endCursor } } }`,
      variables,
      token === undefined ? {} : { token },
    );
    return {
      events: data?.events,
      errors,
      ids: data?.events.nodes.map(({ id }: { id: number }) => id),
    };
  };
  const rollout = (n: number, isTouched: boolean): Line => ({
    ...UPDATE,
    feature: `f${n % 4}`,
    project: n % 5 === 0 ? null : 'shop',
    preData: { ...strategy('s', '1'), title: String(n) },
    data: { ...strategy('s', isTouched ? '2' : '1'), title: 'new' },
  });

  test('are paged with an exact total, limited to what the caller may see', async () => {
    const ids = await write(
      database().client,
      Array.from({ length: 60 }, (_, n) => rollout(n, n % 3 === 0)),
    );
    const touched = ids.filter((_, n) => n % 3 === 0).toReversed();
    const filter = { touches: 'parameters.rollout' };

    const found: number[] = [];
    let after: string | null = null;
    do {
      const { events, ids: page } = await find({ filter, first: 7, after });
      expect(events.totalCount).toBe(touched.length);
      found.push(...page);
      after = events.pageInfo.hasNextPage ? events.pageInfo.endCursor : null;
    } while (after !== null);
    expect(found).toEqual(touched);
    expect((await find({ filter, last: 4 })).ids).toEqual(touched.slice(-4));

    const visible = ids.filter((_, n) => n % 3 === 0 && n % 5 !== 0).toReversed();
    const seen = await find({ filter, first: 100 }, MEMBER);
    expect([seen.ids, seen.events.totalCount]).toEqual([visible, visible.length]);

    const both = await find({
      filter: { ...filter, featureName: { is: 'f1' }, text: '"title"' },
      first: 100,
    });
    expect(both.ids).toEqual(ids.filter((_, n) => n % 3 === 0 && n % 4 === 1).toReversed());
    const added = await write(database().client, [rollout(61, true), rollout(62, false)]);
    const result = await find({ filter, first: 1 });
    expect([result.ids, result.events.totalCount]).toEqual([added.slice(0, 1), touched.length + 1]);
    await database().client.event.deleteMany({ where: { id: { in: added } } });

    expect((await find({ filter: { touches: 'title' } })).events.totalCount).toBe(60);
    expect((await find({ filter: { touches: '' } })).events.totalCount).toBe(60);
    expect((await find({ filter: { touches: 'parameters.stickiness' } })).events.totalCount).toBe(
      0,
    );
  });

  test('are available below features and projects', async () => {
    const { client } = database();
    await client.project.create({ data: { id: 'shop', name: 'Shop' } });
    await client.feature.create({ data: { name: 'f1', projectId: 'shop' } });
    const { data, errors } = await gateway().graphql(`{
      feature(name: "f1") { events(filter: { touches: "parameters" }) { totalCount nodes { changes { path } } } }
      project(id: "shop") { events(filter: { touches: "parameters" }, first: 1) { totalCount } } }`);
    expect(errors).toBeUndefined();
    expect(data.feature.events.totalCount).toBe(5);
    expect(
      data.feature.events.nodes[0].changes.map(({ path }: { path: string }) => path).toSorted(),
    ).toEqual(['parameters.rollout', 'title']);
    expect(data.project.events.totalCount).toBe(16);
  });

  test('are rejected for an invalid path', async () => {
    for (const touches of ['a[0]', '..', 'a b', 'x'.repeat(600), '"\\u0000"']) {
      const { errors } = await find({ filter: { touches } });
      expect(errors).toHaveLength(1);
      expect(errors?.[0].message).toMatch(/^'touches' /);
      expect(errors?.[0].extensions.code).toBe('BAD_USER_INPUT');
    }
  });
});

describeWithDemo('the changes of the demo world', ({ gateway }) => {
  test('are available for every event that records a state, and match the touches filter', async () => {
    const { data, errors } = await gateway().graphql(
      `{ events(first: 1000) { nodes { id data preData ${CHANGES} } } }`,
    );
    expect(errors).toBeUndefined();
    const readChanges = data.events.nodes.filter(
      ({ changes }: { changes: unknown }) => changes !== null,
    );
    expect(readChanges.length).toBeGreaterThan(300);
    const both = readChanges.filter(
      ({ preData, changes }: { preData: unknown; changes: unknown[] }) =>
        preData !== null && changes.length > 0,
    );
    expect(both.length).toBeGreaterThan(15);
    for (const { id, changes } of both.slice(0, 15)) {
      for (const { path } of changes) {
        const found = await gateway().graphql(
          'query ($filter: EventFilter) { events(filter: $filter) { nodes { id } } }',
          { filter: { id: { is: id }, touches: path } },
        );
        expect(found.data?.events.nodes, path).toEqual([{ id }]);
      }
    }
  });
});
