import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/data/connect.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import {
  type CloneCall,
  cloneOverRest,
  mutateClone,
  outcomeOverGraphql,
  outcomeOverRest,
} from '../../testkit/clone-calls.js';
import { openPostgresWorld, type PostgresWorld } from '../../testkit/clone-postgres.js';
import { changesOf, NO_CHANGE } from '../../testkit/clone-tables.js';
import {
  addFeature,
  addFullSource,
  CLONE_TOKENS,
  describeWithCloneWorld,
} from '../../testkit/clone-world.js';

const PATH = '/api/admin/projects/shop/features/origin/clone';

const kindsOf = async (gateway: Gateway, call: CloneCall) => [
  (await outcomeOverRest(gateway, call)).kind,
  (await outcomeOverGraphql(gateway, call)).kind,
];

describeWithCloneWorld('cloning a feature', ({ gateway, db, kind }) => {
  beforeAll(async () => {
    await addFullSource(db(), 'origin');
    await addFeature(db(), { name: 'left-behind', project: 'closed' });
    await addFeature(db(), { name: 'shelved', archivedAt: new Date() });
    await addFeature(db(), { name: 'homeless', project: 'torn-down' });
  });

  const projectOf = async (name: string) =>
    (await db().feature.findUniqueOrThrow({ where: { name } })).projectId;

  describe('over REST', () => {
    test('returns 200 without a Location header', async () => {
      const { status, headers, body } = await gateway().rest(PATH, { body: { name: 'over-rest' } });
      expect([status, headers.get('location')]).toEqual([200, null]);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(body).toMatchObject({ name: 'over-rest', project: 'shop', enabled: false });
    });

    test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/vnd.api+json'])(
      'returns 415 when the body is %s',
      async (type) => {
        const changes = await changesOf(db(), async () => {
          const { status, body } = await gateway().rest(PATH, {
            rawBody: '{"name":"x"}',
            headers: { 'content-type': type },
          });
          expect([status, body.name]).toEqual([415, 'ContentTypeerror']);
          expect(body.message).toContain(type);
        });
        expect(changes).toEqual(NO_CHANGE);
      },
    );

    test.each([
      [123456, '123456'],
      [true, 'true'],
      ['with-extra', 'with-extra'],
    ])('converts the name %j to "%s" and ignores unknown fields', async (name, expected) => {
      const body = { name, environment: 'moon', createdAt: 0 };
      expect((await gateway().rest(PATH, { body })).body.name).toBe(expected);
    });

    test.each([
      [null, 'kept-1', 'origin'],
      [false, 'kept-2', 'origin'],
      ['false', 'kept-3', 'origin'],
      [0, 'kept-4', 'origin'],
      [true, 'new-1', 'new-1'],
      ['true', 'new-2', 'new-2'],
      [1, 'new-3', 'new-3'],
    ])('accepts replaceGroupId %j', async (replaceGroupId, name, groupId) => {
      expect((await gateway().rest(PATH, { body: { name, replaceGroupId } })).status).toBe(200);
      const [strategy] = await db().strategy.findMany({
        where: { featureName: name, name: 'flexibleRollout' },
      });
      expect(strategy?.parameters).toMatchObject({ groupId });
    });

    test('is visible in the next search, feature-created being its first event', async () => {
      await gateway().rest(PATH, { body: { name: 'searchable' } });
      const { body } = await gateway().rest('/api/admin/search/events?feature=IS:searchable');
      expect(body.events.map(({ type }: { type: string }) => type)).toEqual([
        'feature-dependency-added',
        'feature-strategy-add',
        'feature-strategy-add',
        'feature-created',
      ]);
    });
  });

  describe('over GraphQL', () => {
    test('uses the project of the source by default', async () => {
      for (const targetProject of [undefined, null]) {
        const name = `home-${targetProject}`;
        const { data } = await mutateClone(gateway(), {
          featureName: 'origin',
          newName: name,
          targetProjectId: targetProject,
        });
        expect(data.cloneFeature).toEqual({
          __typename: 'CloneFeaturePayload',
          feature: { name, projectId: 'shop' },
        });
      }
    });

    test('requires the permission in the project of the source by default', async () => {
      await addFeature(db(), { name: 'elsewhere', project: 'bare' });
      const input = { featureName: 'elsewhere', newName: 'x' };
      const { data } = await mutateClone(gateway(), input, { token: CLONE_TOKENS.ben });
      expect(data.cloneFeature).toMatchObject({
        __typename: 'NoAccessError',
        permissions: ['CREATE_FEATURE'],
        message: expect.stringContaining("'bare'"),
      });
    });

    test.each([
      ['ghost', 'a source that does not exist'],
      ['shelved', 'an archived source'],
      ['left-behind', 'a source whose project is archived'],
      ['homeless', 'a source whose project is gone'],
    ])('returns NotFoundError without a target project for %s, %s', async (featureName) => {
      const changes = await changesOf(db(), async () => {
        const { data } = await mutateClone(gateway(), { featureName, newName: 'x' });
        expect(data.cloneFeature.__typename).toBe('NotFoundError');
      });
      expect(changes).toEqual(NO_CHANGE);
    });

    test('returns the whole copy', async () => {
      const { data } = await gateway().graphql(`mutation {
        cloneFeature(input: { featureName: "origin", newName: "seen-whole" }) {
          ... on CloneFeaturePayload { feature {
            name enabled archived project { id } createdByUser { id } tags { value } favorite
            dependencies { feature { name } } lifecycle { stage }
            environments { enabled environment { name } strategies { name parameters } }
            events(first: 10) { nodes { type } } } } } }`);
      const { feature } = data.cloneFeature;
      expect(feature).toMatchObject({
        name: 'seen-whole',
        enabled: false,
        archived: false,
        project: { id: 'shop' },
        tags: [],
        favorite: false,
        dependencies: [{ feature: { name: 'origin-parent' } }],
        lifecycle: null,
      });
      expect(feature.environments).toHaveLength(2);
      expect(feature.events.nodes).toHaveLength(4);
    });
  });

  describe('is allowed', () => {
    test('into any project', async () => {
      await addFeature(db(), { name: 'free' });
      for (const project of ['shop', 'plaza', 'bare', 'default']) {
        const call = { source: 'free', name: `free-in-${project}`, project };
        expect((await cloneOverRest(gateway(), call)).status).toBe(200);
        expect(await projectOf(call.name)).toBe(project);
      }
    });

    test('from an archived project', async () => {
      const call = { source: 'left-behind', name: 'rescued', project: 'plaza' };
      expect((await outcomeOverGraphql(gateway(), call)).kind).toBe('cloned');
      expect(await projectOf('rescued')).toBe('plaza');
    });

    test('from a deleted project', async () => {
      const call = { source: 'homeless', name: 'housed', project: 'plaza' };
      expect((await outcomeOverRest(gateway(), call)).kind).toBe('cloned');
      expect(await projectOf('housed')).toBe('plaza');
    });

    test('to a member of the target project without a role in the project of the source', async () => {
      await addFeature(db(), { name: 'foreign', project: 'bare' });
      const call = { source: 'foreign', name: 'adopted', project: 'shop', token: CLONE_TOKENS.ben };
      expect((await outcomeOverRest(gateway(), call)).kind).toBe('cloned');
    });
  });

  describe('in maintenance mode', () => {
    const setMaintenance = (content: object | string) =>
      db().setting.upsert({
        where: { name: 'maintenance.mode' },
        create: { name: 'maintenance.mode', content },
        update: { content },
      });
    afterAll(() => db().setting.deleteMany());

    test('is rejected after the token is checked, and before permissions and names', async () => {
      await setMaintenance({ enabled: true });
      const calls: CloneCall[] = [
        { source: 'origin', name: 'x' },
        { source: 'ghost', name: 'a b', project: 'atlantis', token: CLONE_TOKENS.vic },
      ];
      const changes = await changesOf(db(), async () => {
        for (const call of calls) {
          const expected = ['503 MaintenanceModeError', 'MaintenanceModeError'];
          expect(await kindsOf(gateway(), call)).toEqual(expected);
        }
        const call = { source: 'origin', name: 'x', token: 'nobody' };
        const expected = ['401 AuthenticationRequired', 'UNAUTHENTICATED'];
        expect(await kindsOf(gateway(), call)).toEqual(expected);
      });
      expect(changes).toEqual(NO_CHANGE);
      expect((await gateway().rest('/api/admin/search/events')).status).toBe(200);
    });

    test.each([
      [{ enabled: false }, 'after-maintenance-1'],
      [{}, 'after-maintenance-2'],
      ['enabled', 'after-maintenance-3'],
    ])('is allowed again when the setting is %j', async (content, name) => {
      await setMaintenance(content);
      expect((await outcomeOverRest(gateway(), { source: 'origin', name })).kind).toBe('cloned');
    });
  });

  test('is rejected when the naming pattern takes too long, while other requests are served', async () => {
    await db().projectSettings.update({
      where: { projectId: 'named' },
      data: { featureNamingPattern: '(([a-z])+.)+[A-Z]([a-z])+' },
    });
    const finished: string[] = [];
    const name = 'a'.repeat(90);
    const call = { source: 'origin', name, project: 'named' };
    const changes = await changesOf(db(), async () => {
      const clone = outcomeOverRest(gateway(), call).finally(() => finished.push('clone'));
      // The embedded database runs one transaction at a time; only requests without one proceed.
      const path = kind === 'postgres' ? '/api/admin/search/events?limit=1' : '/livez';
      const other = gateway()
        .rest(path)
        .finally(() => finished.push('other'));
      expect((await other).status).toBe(200);
      const { kind: outcome, message } = await clone;
      expect(outcome).toBe('400 PatternError');
      expect(message).toContain('too long');
    });
    expect(finished).toEqual(['other', 'clone']);
    expect(changes).toEqual(NO_CHANGE);

    expect((await outcomeOverGraphql(gateway(), call)).kind).toBe('NamingPatternError');
  });
});

describe('cloning a feature as a database user', () => {
  const role = `clone_reader_${randomBytes(4).toString('hex')}`;
  let world: PostgresWorld;

  beforeAll(async () => {
    world = await openPostgresWorld();
    await addFullSource(world.db, 'origin');
    const run = (sql: string) => world.db.$executeRawUnsafe(sql);
    await run(`create role ${role} login password 'reader'`);
    world.onClose(async () => {
      await run(`drop owned by ${role}`);
      await run(`drop role ${role}`);
    });
    await run(`grant select on all tables in schema public to ${role}`);
  });
  afterAll(() => world.close());

  const startAs = async (change: (url: URL) => void): Promise<Gateway> => {
    const url = new URL(world.url);
    change(url);
    const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url.href });
    world.onClose(database.close);
    const gateway = await startGateway(database);
    world.onClose(gateway.stop);
    return gateway;
  };
  const startAsReader = () =>
    startAs((url) => {
      url.username = role;
      url.password = 'reader';
    });

  const expectForbidden = async (gateway: Gateway) => {
    const changes = await changesOf(world.db, async () => {
      const call = { source: 'origin', name: 'x' };
      const rest = await outcomeOverRest(gateway, call);
      const graphql = await outcomeOverGraphql(gateway, call);
      expect([rest.kind, graphql.kind]).toEqual(['403 NoAccessError', 'NoAccessError']);
      for (const { message } of [rest, graphql]) expect(message).toContain('database');
    });
    expect(changes).toEqual(NO_CHANGE);
    expect((await gateway.rest('/api/admin/search/events')).status).toBe(200);
  };

  test('with read permission only is rejected with the reason, and reads still work', async () => {
    await expectForbidden(await startAsReader());
  });

  test('without write permission on the statistics is rejected and writes nothing', async () => {
    const tables =
      'features, feature_environments, feature_strategies, feature_strategy_segment, dependent_features, events';
    await world.db.$executeRawUnsafe(`grant insert on ${tables} to ${role}`);
    await world.db.$executeRawUnsafe(`grant usage on sequence events_id_seq to ${role}`);
    await expectForbidden(await startAsReader());

    await world.db.$executeRawUnsafe(`grant insert, update on stat_environment_updates to ${role}`);
    const outcome = await outcomeOverRest(await startAsReader(), { source: 'origin', name: 'x' });
    expect(outcome.kind).toBe('cloned');
    await world.db.feature.delete({ where: { name: 'x' } });
  });

  test('with read-only sessions is rejected, as on a standby', async () => {
    const gateway = await startAs((url) => {
      url.searchParams.set('options', '-c default_transaction_read_only=on');
    });
    await expectForbidden(gateway);
  });
});
