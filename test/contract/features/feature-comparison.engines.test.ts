import { expect, test } from 'vitest';
import type { PrismaClient } from '../../../src/data/db.js';
import { addHistory, at, metadata, strategy } from '../../testkit/feature-histories.js';
import { addUser, describeWithRows } from '../../testkit/seeded.js';

const PRODUCTION = { environment: 'production' };
const MEMBER = 'user:token-of-7';
const RED = { type: 'simple', value: 'red' };
const constraint = (values: string[]) => ({
  contextName: 'userId',
  operator: 'IN',
  values,
  inverted: false,
});
const parameters = (rollout: string) => ({ groupId: 'checkout', rollout, stickiness: 'default' });

const addStrategies = (client: PrismaClient, featureName: string, rows: readonly object[]) =>
  client.strategy.createMany({
    data: rows.map((row, sortOrder) => ({
      id: '',
      featureName,
      projectId: 'web',
      environmentName: 'production',
      name: 'flexibleRollout',
      constraints: [],
      parameters: parameters('100'),
      sortOrder,
      ...row,
    })),
  });

const seed = async (client: PrismaClient) => {
  await addUser(client, { id: 7, username: 'member', roles: { default: 'Viewer' } });
  await client.project.createMany({ data: ['web', 'secret'].map((id) => ({ id, name: id })) });
  await client.projectSettings.create({ data: { projectId: 'secret', mode: 'private' } });
  await client.event.create({
    data: { type: 'project-created', createdBy: 'x', projectId: 'web', createdAt: at(0) },
  });
  await addHistory(
    client,
    'checkout',
    [
      [10, 'feature-created', { data: metadata('checkout', { description: 'Pay' }) }],
      [11, 'feature-strategy-add', { ...PRODUCTION, data: strategy('s1') }],
      [12, 'feature-environment-enabled', { ...PRODUCTION }],
      [
        13,
        'feature-strategy-update',
        {
          ...PRODUCTION,
          preData: strategy('s1'),
          data: strategy('s1', { constraints: [constraint(['1'])], parameters: parameters('50') }),
        },
      ],
      [14, 'feature-tagged', { data: RED }],
      [15, 'feature-stale-on', { tags: [RED] }],
      [
        16,
        'feature-environment-variants-updated',
        {
          ...PRODUCTION,
          tags: [RED],
          preData: { variants: [] },
          data: { variants: [{ name: 'blue', weight: 1000 }] },
        },
      ],
      [17, 'feature-dependency-added', { tags: [RED], data: { feature: 'hidden', enabled: true } }],
    ],
    { production: true, development: false },
  );
  await client.feature.update({
    where: { name: 'checkout' },
    data: { description: 'Pay', stale: true },
  });
  await client.$executeRaw`insert into tags (type, value) values ('simple', 'red')`;
  await client.featureTag.create({ data: { featureName: 'checkout', ...RED } });
  await client.featureEnvironment.update({
    where: {
      environmentName_featureName: { environmentName: 'production', featureName: 'checkout' },
    },
    data: { variants: [{ name: 'blue', weight: 1000 }] },
  });
  await client.feature.create({ data: { name: 'hidden', projectId: 'secret', type: 'release' } });
  await client.dependency.create({
    data: { childName: 'checkout', parentName: 'hidden', enabled: true, variants: [] },
  });
  await addStrategies(client, 'checkout', [
    { id: 's1', constraints: [constraint(['1'])], parameters: parameters('50') },
    { id: 's2', title: 'All' },
    { id: 'd1', environmentName: 'development', title: 'All' },
    { id: 'd2', environmentName: 'development', name: 'default', parameters: {} },
  ]);
  await addHistory(client, 'unborn', [[30, 'feature-created', { data: metadata('unborn') }]]);
};

const CHANGES = 'changes { path kind before after } unknown';

describeWithRows('a comparison of a feature', seed, ({ gateway, statementsOf }) => {
  const ask = async (name: string, field: string, token?: string) => {
    const { data, errors } = await gateway().graphql(
      `query ($name: String!) { feature(name: $name) { compared: ${field} { ${CHANGES} } } }`,
      { name },
      token === undefined ? {} : { token },
    );
    return { errors, ...data?.feature?.compared };
  };
  const between = async (name: string, from: number, to: number | null, token?: string) => {
    const until = to === null ? '' : `, to: "${at(to).toISOString()}"`;
    const result = await ask(name, `compare(from: "${at(from).toISOString()}"${until})`, token);
    expect(result.errors).toBeUndefined();
    return result;
  };
  const changed = (path: string, before: unknown, after: unknown) => ({
    path,
    kind: 'CHANGED',
    before,
    after,
  });
  const S1 = 'environments[name=production].strategies[id=s1]';

  test('has the changes between two timestamps', async () => {
    const { changes, unknown } = await between('checkout', 12, 16);
    expect(changes).toEqual([
      changed('stale', false, true),
      { path: 'tags[type=simple,value=red]', kind: 'ADDED', before: null, after: RED },
      changed(`${S1}.parameters.rollout`, '100', '50'),
      {
        path: `${S1}.constraints[contextName=userId,operator=IN]`,
        kind: 'ADDED',
        before: null,
        after: constraint(['1']),
      },
      {
        path: 'environments[name=production].variants[name=blue]',
        kind: 'ADDED',
        before: null,
        after: { name: 'blue', weight: 1000 },
      },
    ]);
    expect(unknown).toEqual(['environments[name=development].variants']);
    expect((await between('checkout', 12, 12)).changes).toEqual([]);
  });

  test('has the changes up to the current state in the database', async () => {
    const { changes, unknown } = await between('checkout', 17, null);
    // Nothing records how these came to be.
    const paths = changes.map(({ path }: { path: string }) => path);
    expect(paths).toEqual([
      'environments[name=development].strategies[id=d1]',
      'environments[name=development].strategies[id=d2]',
      'environments[name=production].strategies[id=s2]',
    ]);
    expect(unknown).toEqual(['environments[name=development].variants']);
  });

  test('does not report parents as removed that the caller may not see', async () => {
    const { changes, unknown } = await between('checkout', 17, null, MEMBER);
    expect(unknown).toContain('dependencies');
    expect(changes.some(({ path }: { path: string }) => path.startsWith('dependencies'))).toBe(
      false,
    );
    expect(await ask('hidden', `compare(from: "${at(17).toISOString()}")`, MEMBER)).toEqual({
      errors: undefined,
    });
  });

  test('has the whole feature when it was created in between', async () => {
    const { changes } = await between('unborn', 20, 40);
    expect(changes).toMatchObject([{ path: '', kind: 'ADDED', after: { type: 'release' } }]);
    expect(await between('unborn', 20, 25)).toMatchObject({ changes: [], unknown: [] });
  });

  test('is unknown before the log starts', async () => {
    const from = new Date(at(0).getTime() - 1).toISOString();
    const { changes, unknown } = await ask('checkout', `compare(from: "${from}")`);
    expect([changes, unknown]).toEqual([[], ['']]);
  });

  test('is rejected for timestamps in the future or in the wrong order', async () => {
    const messageOf = async (args: string) => {
      const { errors } = await ask('checkout', `compare(${args})`);
      expect(errors?.[0].extensions.code).toBe('BAD_USER_INPUT');
      return errors?.[0].message;
    };
    expect(await messageOf('from: "2999-01-01T00:00:00Z"')).toBe(
      "'from' must not be in the future (got 2999-01-01T00:00:00.000Z).",
    );
    expect(await messageOf('from: "2024-05-01T00:12:00Z", to: "2999-01-01T00:00:00Z"')).toBe(
      "'to' must not be in the future (got 2999-01-01T00:00:00.000Z).",
    );
    expect(await messageOf('from: "2024-05-01T00:12:00Z", to: "2024-05-01T00:11:00Z"')).toBe(
      "'from' must not be after 'to' (got 2024-05-01T00:12:00.000Z and 2024-05-01T00:11:00.000Z).",
    );
  });

  test('has the differences between two environments, with paired strategies', async () => {
    const { errors, changes, unknown } = await ask(
      'checkout',
      'compareEnvironments(fromName: "development", toName: "production")',
    );
    expect(errors).toBeUndefined();
    expect(unknown).toEqual([]);
    expect(changes).toMatchObject([
      changed('enabled', false, true),
      { path: 'strategies[id=d2]', kind: 'REMOVED' },
      { path: 'strategies[id=s1]', kind: 'ADDED' },
      { path: 'variants[name=blue]', kind: 'ADDED' },
    ]);
    const same = await ask(
      'checkout',
      'compareEnvironments(fromName: "production", toName: "production")',
    );
    expect(same.changes).toEqual([]);
    const nowhere = await ask(
      'checkout',
      'compareEnvironments(fromName: "nowhere", toName: "production")',
    );
    expect(nowhere.errors?.[0].extensions.code).toBe('NOT_FOUND');
  });

  test('takes as many statements for one feature as for several', async () => {
    const query = `query ($n: Int!) { features(first: $n) { nodes {
      compare(from: "${at(12).toISOString()}") { ${CHANGES} }
      then: compare(from: "${at(12).toISOString()}", to: "${at(16).toISOString()}") { ${CHANGES} }
      compareEnvironments(fromName: "development", toName: "production") { ${CHANGES} } } } }`;
    const count = async (n: number) => {
      const { length } = await statementsOf(async () => {
        const { data, errors } = await gateway().graphql(query, { n });
        expect(errors).toBeUndefined();
        expect(data.features.nodes).toHaveLength(n);
      });
      return length;
    };
    expect(await count(3)).toBe(await count(1));
  });
});
