import { beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '../../../src/data/db.js';
import { cloneOverGraphql, cloneOverRest } from '../../testkit/clone-calls.js';
import { changesOf, type Row } from '../../testkit/clone-tables.js';
import {
  addFeature,
  CLONE_TOKENS,
  describeWithCloneWorld,
  PEOPLE,
} from '../../testkit/clone-world.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/;

const by = (key: string) => (a: Row, b: Row) => (String(a[key]) < String(b[key]) ? -1 : 1);

/** A feature of project shop that uses every property, and one environment that project plaza lacks. */
const addOrigin = async (db: Db) => {
  await addFeature(db, { name: 'plaza-base', project: 'plaza' });
  await addFeature(db, {
    name: 'origin',
    description: 'As it was',
    type: 'an-unknown-type',
    stale: true,
    impressionData: true,
    environments: {
      development: {
        enabled: true,
        variants: [
          { name: 'zebra', weight: 300, weightType: 'variable', stickiness: 'default' },
          { name: 'Ant', weight: 700, weightType: 'fix', stickiness: 'default' },
        ],
        strategies: [
          {
            name: 'flexibleRollout',
            sortOrder: 2,
            title: null,
            parameters: { rollout: '35', stickiness: '', groupId: 'origin' },
            constraints: [
              { contextName: 'plan', operator: 'NUM_GT', value: '5', inverted: 'true' },
              {
                contextName: 'country',
                operator: 'IN',
                values: ['no', 'se'],
                inverted: false,
                caseInsensitive: false,
              },
            ],
            variants: [
              { name: 'b', weight: 1, weightType: 'variable', stickiness: 'default' },
              { name: 'c', weight: 1, weightType: 'variable', stickiness: 'default' },
              {
                name: 'a',
                weight: 333,
                weightType: 'fix',
                stickiness: 'default',
                payload: { type: 'json', value: '{"x":1}' },
              },
            ],
            segments: [2, 1],
          },
          { name: 'default', sortOrder: 1, title: '', disabled: null, constraints: null },
          { name: 'default', sortOrder: 3, milestoneId: 'first-steps' },
        ],
      },
      staging: {
        strategies: [
          {
            name: 'beta-testers',
            title: 'Testers first',
            disabled: true,
            parameters: { groupId: 'shared', seats: 5, open: null, of: { team: ['a'] } },
          },
        ],
      },
      production: { enabled: true },
    },
    parents: [{ feature: 'plaza-base', enabled: true, variants: ['red', 'blue'] }],
  });
};

/** Rows that the copy must not inherit. */
const addSurroundings = async (db: Db) => {
  await db.$executeRaw`
    update features set potentially_stale = true, last_seen_at = '2026-01-02', created_at = '2025-05-05',
      variants = '[{"name":"old"}]' where name = 'origin'`;
  await db.$executeRaw`update feature_environments set last_seen_at = '2026-01-02' where feature_name = 'origin'`;
  await db.$executeRaw`update feature_strategies set created_at = '2025-05-05', created_by_user_id = 101 where feature_name = 'origin'`;
  await db.$executeRaw`insert into tags (type, value) values ('simple', 'precious')`;
  await db.$executeRaw`insert into feature_tag (feature_name, tag_type, tag_value) values ('origin', 'simple', 'precious')`;
  await db.$executeRaw`insert into favorite_features (feature, user_id) values ('origin', 101)`;
  await db.$executeRaw`insert into feature_lifecycles (feature, stage) values ('origin', 'live')`;
  await db.$executeRaw`insert into last_seen_at_metrics (feature_name, environment, last_seen_at) values ('origin', 'development', now())`;
  await db.$executeRaw`insert into client_metrics_env (feature_name, app_name, environment, timestamp) values ('origin', 'app', 'development', now())`;
};

const addReleasePlan = async (db: Db) => {
  await db.$executeRaw`insert into release_plan_definitions (id, discriminator, name, created_by_user_id) values ('plan', 'plan', 'Plan', 101)`;
  await db.$executeRaw`insert into milestones (id, name, sort_order, release_plan_definition_id) values ('first-steps', 'First steps', 1, 'plan')`;
};

const eventsOf = (db: Db, name: string) =>
  db.$queryRaw<Row[]>`
    select id, type, created_by, created_by_user_id, project, environment, feature_name, ip, announced,
      pre_data, data::text as data, tags::text as tags, created_at, created_at::text as moment
    from events where feature_name = ${name} order by id`;

describeWithCloneWorld('a clone', ({ gateway, db, kind }) => {
  beforeAll(async () => {
    await addReleasePlan(db());
    await addOrigin(db());
    await addSurroundings(db());
    await addFeature(db(), { name: 'child', parents: [{ feature: 'origin' }] });
  });

  describe('of a feature that uses every property', () => {
    let changes: Awaited<ReturnType<typeof changesOf>>;
    let response: Awaited<ReturnType<typeof cloneOverRest>>;
    const rows = (table: string) => changes.added[table] ?? [];
    const strategyNamed = (name: string): Row =>
      rows('feature_strategies').find((row) => row['strategy_name'] === name) ?? {};

    beforeAll(async () => {
      changes = await changesOf(db(), async () => {
        response = await cloneOverRest(gateway(), {
          source: 'origin',
          name: 'copy',
          project: 'plaza',
        });
      });
    });

    test('changes no existing row and writes to these tables only', () => {
      expect(response.status).toBe(200);
      expect(changes.removed).toEqual({});
      expect(Object.keys(changes.added).sort()).toEqual([
        'dependent_features',
        'events',
        'feature_environments',
        'feature_strategies',
        'feature_strategy_segment',
        'features',
        'stat_environment_updates',
      ]);
    });

    test('copies description, type, staleness and impression data; all other properties are new', () => {
      expect(rows('features')).toEqual([
        {
          name: 'copy',
          description: 'As it was',
          type: 'an-unknown-type',
          project: 'plaza',
          stale: true,
          impression_data: true,
          created_by_user_id: -42,
          created_at: expect.stringMatching(TIMESTAMP),
          last_seen_at: null,
          archived_at: null,
          archived: false,
          potentially_stale: false,
          variants: [],
        },
      ]);
      const createdAt = Date.parse(String(rows('features')[0]?.['created_at']));
      expect(Math.abs(Date.now() - createdAt)).toBeLessThan(60_000);
    });

    test('is disabled in the environments of its project and of the source, with the variants sorted by name', () => {
      const off = { feature_name: 'copy', enabled: false, last_seen_at: null };
      expect(rows('feature_environments').toSorted(by('environment'))).toEqual([
        {
          ...off,
          environment: 'development',
          variants: [
            { name: 'Ant', weight: 700, weightType: 'fix', stickiness: 'default' },
            { name: 'zebra', weight: 300, weightType: 'variable', stickiness: 'default' },
          ],
        },
        { ...off, environment: 'production', variants: [] },
        { ...off, environment: 'qa', variants: [] },
        { ...off, environment: 'staging', variants: [] },
      ]);
    });

    test('copies the strategies under new IDs, without those of release plans', () => {
      const fresh = {
        id: expect.stringMatching(UUID),
        feature_name: 'copy',
        project_name: 'plaza',
        created_at: expect.stringMatching(TIMESTAMP),
        created_by_user_id: null,
        milestone_id: null,
      };
      expect(rows('feature_strategies').toSorted(by('strategy_name'))).toEqual([
        {
          ...fresh,
          environment: 'staging',
          strategy_name: 'beta-testers',
          title: 'Testers first',
          disabled: true,
          sort_order: 9999,
          parameters: { groupId: 'copy', seats: 5, open: null, of: { team: ['a'] } },
          constraints: [],
          variants: [],
        },
        {
          ...fresh,
          environment: 'development',
          strategy_name: 'default',
          title: '',
          disabled: false,
          sort_order: 1,
          parameters: {},
          constraints: [],
          variants: [],
        },
        {
          ...fresh,
          environment: 'development',
          strategy_name: 'flexibleRollout',
          title: null,
          disabled: false,
          sort_order: 2,
          parameters: { rollout: '35', stickiness: 'default', groupId: 'copy' },
          constraints: [
            { contextName: 'plan', operator: 'NUM_GT', value: '5', inverted: true, values: [] },
            {
              contextName: 'country',
              operator: 'IN',
              values: ['no', 'se'],
              inverted: false,
              caseInsensitive: false,
            },
          ],
          variants: [
            {
              name: 'a',
              weight: 333,
              weightType: 'fix',
              stickiness: 'default',
              payload: { type: 'json', value: '{"x":1}' },
            },
            { name: 'b', weight: 334, weightType: 'variable', stickiness: 'default' },
            { name: 'c', weight: 333, weightType: 'variable', stickiness: 'default' },
          ],
        },
      ]);
      const ids = rows('feature_strategies').map(({ id }) => id);
      expect(new Set(ids).size).toBe(3);
    });

    test('links its strategies to the same segments', () => {
      const link = {
        feature_strategy_id: strategyNamed('flexibleRollout')['id'],
        created_at: expect.stringMatching(TIMESTAMP),
      };
      expect(rows('feature_strategy_segment').toSorted(by('segment_id'))).toEqual([
        { ...link, segment_id: 1 },
        { ...link, segment_id: 2 },
      ]);
    });

    test('depends on the parent of the source, and has none of its children', () => {
      expect(rows('dependent_features')).toEqual([
        { parent: 'plaza-base', child: 'copy', enabled: true, variants: ['red', 'blue'] },
      ]);
    });

    test('counts one change per strategy in the statistics of its environments', () => {
      const day = new Date().toISOString().slice(0, 10);
      expect(rows('stat_environment_updates').toSorted(by('environment'))).toEqual([
        { day, environment: 'development', updates: 2 },
        { day, environment: 'staging', updates: 1 },
      ]);
    });

    test('writes one event for the feature, one per strategy and one for the parent', async () => {
      const common = {
        id: expect.any(Number),
        created_by: 'clone-robot',
        created_by_user_id: -42,
        project: 'plaza',
        feature_name: 'copy',
        ip: '127.0.0.1',
        announced: false,
        pre_data: null,
        tags: '[]',
        created_at: expect.any(Date),
        moment: expect.any(String),
        data: expect.any(String),
      };
      expect(await eventsOf(db(), 'copy')).toEqual([
        { ...common, type: 'feature-created', environment: null },
        { ...common, type: 'feature-strategy-add', environment: 'development' },
        { ...common, type: 'feature-strategy-add', environment: 'development' },
        { ...common, type: 'feature-strategy-add', environment: 'staging' },
        { ...common, type: 'feature-dependency-added', environment: null },
      ]);
    });

    test('writes event payloads as compact JSON with the keys in the order of Unleash', async () => {
      const events = await eventsOf(db(), 'copy');
      const createdAt = new Date(String(rows('features')[0]?.['created_at'])).toISOString();
      expect(events.map(({ data }) => data)).toEqual([
        `{"name":"copy","description":"As it was","type":"an-unknown-type","project":"plaza","stale":true,"createdAt":"${createdAt}","lastSeenAt":null,"impressionData":true,"archivedAt":null,"archived":false}`,
        `{"id":"${strategyNamed('default')['id']}","name":"default","title":"","disabled":false,"constraints":[],"parameters":{},"variants":[],"sortOrder":1,"segments":[]}`,
        `{"id":"${strategyNamed('flexibleRollout')['id']}","name":"flexibleRollout","title":null,"disabled":false,` +
          '"constraints":[{"value":"5","values":[],"inverted":true,"operator":"NUM_GT","contextName":"plan"},' +
          '{"values":["no","se"],"inverted":false,"operator":"IN","contextName":"country","caseInsensitive":false}],' +
          '"parameters":{"groupId":"copy","rollout":"35","stickiness":"default"},' +
          '"variants":[{"name":"a","weight":333,"payload":{"type":"json","value":"{\\"x\\":1}"},"stickiness":"default","weightType":"fix"},' +
          '{"name":"b","weight":334,"stickiness":"default","weightType":"variable"},' +
          '{"name":"c","weight":333,"stickiness":"default","weightType":"variable"}],' +
          '"sortOrder":2,"segments":[1,2]}',
        `{"id":"${strategyNamed('beta-testers')['id']}","name":"beta-testers","title":"Testers first","disabled":true,"constraints":[],` +
          '"parameters":{"of":"{\\"team\\":[\\"a\\"]}","open":"","seats":"5","groupId":"copy"},"variants":[],"sortOrder":9999,"segments":[]}',
        '{"feature":"plaza-base","enabled":true,"variants":["red","blue"]}',
      ]);
    });

    test('sets increasing timestamps on its events, feature-created first', async () => {
      const events = await eventsOf(db(), 'copy');
      const timestamps = events.map(({ moment }) => String(moment));
      expect(timestamps).toEqual(timestamps.toSorted());
      // The clock of the embedded database has millisecond resolution, so two events can have the same timestamp.
      if (kind === 'postgres') expect(new Set(timestamps).size).toBe(timestamps.length);
      const feature = new Date(String(rows('features')[0]?.['created_at']));
      expect(events[0]?.['created_at']).toSatisfy((createdAt: Date) => createdAt >= feature);
    });

    test('returns the keys of Unleash first, in the same order', () => {
      const { createdAt, ...fields } = response.body;
      expect(Object.keys(response.body).slice(0, 10)).toEqual([
        'name',
        'description',
        'type',
        'project',
        'stale',
        'createdAt',
        'lastSeenAt',
        'impressionData',
        'archivedAt',
        'archived',
      ]);
      expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(fields).toMatchObject({
        name: 'copy',
        description: 'As it was',
        type: 'an-unknown-type',
        project: 'plaza',
        stale: true,
        lastSeenAt: null,
        impressionData: true,
        archivedAt: null,
        archived: false,
        enabled: false,
        favorite: false,
        children: [],
        dependencies: [{ feature: 'plaza-base', enabled: true, variants: ['red', 'blue'] }],
        lifecycle: null,
      });
      expect(fields.tags ?? []).toEqual([]);
    });
  });

  describe('and its author', () => {
    beforeAll(() =>
      addFeature(db(), {
        name: 'signed',
        environments: { development: { strategies: [{ name: 'default' }] } },
      }),
    );

    const authorOf = async (name: string) => {
      const events = await eventsOf(db(), name);
      const feature = await db().feature.findUniqueOrThrow({ where: { name } });
      const authors = events.map((event) => [event['created_by'], event['created_by_user_id']]);
      expect(authors).toHaveLength(2);
      expect(authors[0]).toEqual(authors[1]);
      return [...(authors[0] ?? []), feature.createdByUserId];
    };

    test('is the name of the API token, with the user ID that all admin tokens share', async () => {
      await cloneOverGraphql(gateway(), { source: 'signed', name: 'by-token' });
      expect(await authorOf('by-token')).toEqual(['clone-robot', -42, -42]);
    });

    test('is the e-mail address of a user', async () => {
      const call = { source: 'signed', token: CLONE_TOKENS.ann };
      await cloneOverRest(gateway(), { ...call, name: 'by-ann' });
      expect(await authorOf('by-ann')).toEqual(['ann@example.com', PEOPLE.ann, PEOPLE.ann]);
    });

    test('is the user name of a user without an e-mail address', async () => {
      const call = { source: 'signed', token: CLONE_TOKENS.ben };
      await cloneOverGraphql(gateway(), { ...call, name: 'by-ben' });
      expect(await authorOf('by-ben')).toEqual(['ben', PEOPLE.ben, PEOPLE.ben]);
    });

    test('has the socket address when no proxy reports another one', async () => {
      await cloneOverRest(gateway(), { source: 'signed', name: 'from-here' });
      const events = await eventsOf(db(), 'from-here');
      expect(events.map(({ ip }) => ip)).toEqual(['127.0.0.1', '127.0.0.1']);
    });

    test('is truncated when the name is longer than the column', async () => {
      const tokenName = 'n'.repeat(300);
      await db().apiToken.create({
        data: { secret: '*:*.long', type: 'ADMIN', username: 'x', tokenName },
      });
      await cloneOverRest(gateway(), { source: 'signed', name: 'by-long', token: '*:*.long' });
      expect(await authorOf('by-long')).toEqual(['n'.repeat(255), -42, -42]);
    });
  });

  describe('and the group IDs of its strategies', () => {
    const strategies: Readonly<Record<string, { name: string; parameters: Row }>> = {
      text: { name: 'flexibleRollout', parameters: { groupId: 'old' } },
      empty: { name: 'flexibleRollout', parameters: { groupId: '' } },
      nothing: { name: 'flexibleRollout', parameters: { groupId: null } },
      number: { name: 'flexibleRollout', parameters: { groupId: 7 } },
      object: { name: 'flexibleRollout', parameters: { groupId: { a: 1 } } },
      missing: { name: 'flexibleRollout', parameters: {} },
      otherKind: { name: 'beta-testers', parameters: { groupId: 'old' } },
      otherKindMissing: { name: 'beta-testers', parameters: { rollout: '5' } },
      empties: { name: 'flexibleRollout', parameters: { rollout: '', stickiness: '' } },
      nulls: { name: 'flexibleRollout', parameters: { rollout: null, stickiness: null } },
    };
    const filled = { rollout: '100', stickiness: 'sessionId' };

    beforeAll(() =>
      addFeature(db(), {
        name: 'grouped',
        environments: {
          development: {
            strategies: Object.entries(strategies).map(([title, spec]) => ({ title, ...spec })),
          },
        },
      }),
    );

    const parametersOf = async (featureName: string) => {
      const rows = await db().strategy.findMany({ where: { featureName } });
      return Object.fromEntries(rows.map(({ title, parameters }) => [title, parameters]));
    };

    test('are replaced by the new name by default', async () => {
      const call = { source: 'grouped', name: 'regrouped', project: 'plaza' };
      await cloneOverRest(gateway(), call);
      const groupId = 'regrouped';
      expect(await parametersOf('regrouped')).toEqual({
        text: { ...filled, groupId },
        empty: { ...filled, groupId },
        nothing: { ...filled, groupId },
        number: { ...filled, groupId },
        object: { ...filled, groupId },
        missing: { ...filled, groupId },
        otherKind: { groupId },
        otherKindMissing: { rollout: '5' },
        empties: { rollout: '', stickiness: 'default', groupId },
        nulls: { rollout: null, stickiness: null, groupId },
      });
    });

    test.each(['rest', 'graphql'])(
      'are kept when %s requests it, except that a missing one is set',
      async (transport) => {
        const name = `kept-over-${transport}`;
        const clone = transport === 'rest' ? cloneOverRest : cloneOverGraphql;
        await clone(gateway(), {
          source: 'grouped',
          name,
          project: 'plaza',
          replaceGroupId: false,
        });
        expect(await parametersOf(name)).toEqual({
          text: { ...filled, groupId: 'old' },
          empty: { ...filled, groupId: '' },
          nothing: { ...filled, groupId: null },
          number: { ...filled, groupId: 7 },
          object: { ...filled, groupId: { a: 1 } },
          missing: { ...filled, groupId: name },
          otherKind: { groupId: 'old' },
          otherKindMissing: { rollout: '5' },
          empties: { rollout: '', stickiness: 'default', groupId: name },
          nulls: { rollout: null, stickiness: null, groupId: name },
        });
      },
    );

    test('are combined with the stickiness "default" in a project without a default stickiness', async () => {
      await cloneOverRest(gateway(), { source: 'grouped', name: 'plain', project: 'bare' });
      expect(await parametersOf('plain')).toMatchObject({
        missing: { rollout: '100', stickiness: 'default', groupId: 'plain' },
      });
    });
  });

  describe('and its environments', () => {
    const environmentsOf = async (featureName: string) => {
      const rows = await db().featureEnvironment.findMany({ where: { featureName } });
      return rows.map(({ environmentName }) => environmentName).sort();
    };

    test('are those of the project when the source has none', async () => {
      await addFeature(db(), { name: 'nowhere' });
      const { status } = await cloneOverRest(gateway(), { source: 'nowhere', name: 'somewhere' });
      expect(status).toBe(200);
      expect(await environmentsOf('somewhere')).toEqual(['development', 'production']);
    });

    test('are empty when neither the source nor the project has any', async () => {
      const call = { source: 'nowhere', name: 'still-nowhere', project: 'bare' };
      expect((await cloneOverRest(gateway(), call)).status).toBe(200);
      expect(await environmentsOf('still-nowhere')).toEqual([]);
    });

    test('contain no strategy of an environment that was removed from the source', async () => {
      await addFeature(db(), {
        name: 'left-qa',
        environments: {
          development: { strategies: [{ name: 'default' }] },
          qa: { strategies: [{ name: 'default' }] },
        },
      });
      await db().featureEnvironment.deleteMany({
        where: { featureName: 'left-qa', environmentName: 'qa' },
      });
      await cloneOverRest(gateway(), { source: 'left-qa', name: 'never-qa' });
      const strategies = await db().strategy.findMany({ where: { featureName: 'never-qa' } });
      expect(strategies.map(({ environmentName }) => environmentName)).toEqual(['development']);
      expect(await environmentsOf('never-qa')).toEqual(['development', 'production']);
    });
  });

  test('copies a null description as null and an empty one as empty', async () => {
    await addFeature(db(), { name: 'silent', description: null });
    await addFeature(db(), { name: 'terse', description: '' });
    const silent = await cloneOverRest(gateway(), { source: 'silent', name: 'silent-2' });
    const terse = await cloneOverRest(gateway(), { source: 'terse', name: 'terse-2' });
    expect([silent.body.description, terse.body.description]).toEqual([null, '']);
  });

  test('of a clone works like any other', async () => {
    await cloneOverRest(gateway(), { source: 'signed', name: 'second-generation' });
    const call = { source: 'second-generation', name: 'third-generation', project: 'plaza' };
    expect((await cloneOverGraphql(gateway(), call)).data).toEqual({
      cloneFeature: {
        __typename: 'CloneFeaturePayload',
        feature: { name: 'third-generation', projectId: 'plaza' },
      },
    });
  });
});
