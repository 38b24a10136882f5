import { describe, expect, test } from 'vitest';
import { Prisma, type PrismaClient } from '../../../src/data/db.js';
import { describeWithDemo } from '../../testkit/app.js';

const FIRST = '0001-01-01T00:00:00.000Z';
const LAST = '9999-12-31T23:59:59.999Z';

/** Sets all timestamp columns, except the expiry of tokens, which must stay valid. */
const setAllTimes = async (client: PrismaClient, time: string) => {
  const columns = await client.$queryRaw<{ table: string; column: string }[]>(Prisma.sql`
    select table_name as table, column_name as column from information_schema.columns
    where data_type like 'timestamp%' and table_schema = 'public' and table_name !~ '^_' and column_name <> 'expires_at'
      and table_name in (select table_name from information_schema.tables where table_type = 'BASE TABLE')`);
  expect(columns.length).toBeGreaterThan(15);
  const keys = await client.$queryRaw<{ table: string; column: string }[]>(Prisma.sql`
    select table_name as table, column_name as column from information_schema.key_column_usage
    where table_schema = 'public' and constraint_name like '%_pkey'`);
  for (const { table, column } of columns) {
    // Rows that differ only in the timestamp of their key would collide.
    if (keys.some((key) => key.table === table && key.column === column)) {
      await client.$executeRawUnsafe(
        `delete from "${table}" where ctid <> (select max(ctid) from "${table}")`,
      );
    }
    await client.$executeRawUnsafe(
      `update "${table}" set "${column}" = '${time}' where "${column}" is not null`,
    );
  }
};

const EVERYTHING = `query ($after: String) {
  events(first: 20, after: $after) { totalCount pageInfo { endCursor } nodes { createdAt } }
  features(first: 100) { totalCount nodes { createdAt archivedAt potentiallyStale lifecycle { enteredStageAt }
    environments { lastSeenAt } timeline(environmentName: "production") { from before }
    asOf(time: "2026-02-01T00:00:00Z") { existence } } }
  feature(name: "checkout-one-page") { createdAt project { createdAt } }
  projects { nodes { createdAt updatedAt archivedAt activity { count } health { score cleanUp(first: 2) { totalCount } } } }
  cleanUp(first: 5) { totalCount nodes { feature { createdAt } reasons { __typename } } }
  integrations { createdAt stats { since lastFailure { createdAt } } deliveries(first: 5) { nodes { createdAt } } }
  projectHealthReport(projectId: "web-shop") { updatedAt }
  activity { count }
  eventLog { newest { createdAt } } }`;

describeWithDemo('timestamps outside the range of DateTime', ({ gateway, database }) => {
  describe.each([
    ['infinity', LAST],
    ['12000-06-01', LAST],
    ['-infinity', FIRST],
    ['0044-03-15 BC', FIRST],
  ])('%s', (stored, expected) => {
    test('are clamped by all lists of the graph', async () => {
      await setAllTimes(database().client, stored);
      const { data, errors } = await gateway().graphql(EVERYTHING);
      expect(errors).toBeUndefined();
      expect(data.events.nodes).toHaveLength(20);
      const { events, features, feature, projects, cleanUp, integrations, eventLog } = data;
      const deliveries = integrations.flatMap(
        ({ deliveries: { nodes } }: { deliveries: { nodes: object[] } }) => nodes,
      );
      for (const [list, rows] of Object.entries({
        events: events.nodes,
        features: [feature, ...features.nodes],
        projects: [feature.project, ...projects.nodes],
        integrations,
        deliveries,
        cleanUp: cleanUp.nodes.map(({ feature }: { feature: object }) => feature),
        eventLog: [eventLog.newest],
      })) {
        const times = rows.map(({ createdAt }: { createdAt: string | null }) => createdAt);
        expect([list, new Set(times)]).toEqual([list, new Set([expected])]);
      }
      const written = JSON.stringify(data).match(/"[+-]?\d+-\d\d-\d\dT[^"]*"/g) ?? [];
      expect(written.filter((time) => !/^"\d{4}-/.test(time))).toEqual([]);

      const { endCursor } = data.events.pageInfo;
      const next = await gateway().graphql(EVERYTHING, { after: endCursor });
      expect(next.errors).toBeUndefined();
      expect(next.data.events.nodes[0].createdAt).toBe(expected);
    });

    test('are clamped by the REST paths', async () => {
      const paths = {
        '/api/admin/search/events': 'events',
        '/api/admin/addons/1/events': 'integrationEvents',
        '/api/admin/projects/web-shop/health-report': 'features',
      };
      for (const [path, list] of Object.entries(paths)) {
        const { status, body } = await gateway().rest(path);
        expect(status, path).toBe(200);
        expect(body[list][0].createdAt, path).toBe(expected);
      }
    });
  });

  test('are accepted as the expiry of a token', async () => {
    const { client } = database();
    await client.$executeRaw`update api_tokens set expires_at = 'infinity'`;
    await client.$executeRaw`update personal_access_tokens set expires_at = 'infinity'`;
    const { errors } = await gateway().graphql('{ viewer { kind } }');
    expect(errors).toBeUndefined();
  });
});
