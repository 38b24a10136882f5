import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo } from '../../testkit/app.js';
import { compose, GATEWAY_CONFIG, PAGE_QUERIES, TEAMS_SDL } from '../../testkit/federation-page.js';
import { stopClock } from '../../testkit/stop-clock.js';
import { startTeamsSubgraph, type Team } from '../../testkit/teams-subgraph.js';
import { ROUTERS, startRouter } from './hive-gateway.js';

stopClock();

describe.each(ROUTERS)('through the %s of Hive Gateway', (kind) => {
  describeWithDemo(
    'a federated graph of the gateway and another subgraph',
    ({ gateway, database, statementsOf }) => {
      let teams: Awaited<ReturnType<typeof startTeamsSubgraph>>;
      let router: Awaited<ReturnType<typeof startRouter>>;

      beforeAll(async () => {
        const { client } = database();
        const failed = await client.integrationEvent.findFirstOrThrow({
          where: { state: 'failed' },
        });
        const [features, projects, events, hidden] = await Promise.all([
          client.feature.findMany(),
          client.project.findMany(),
          client.event.findMany({ where: { projectId: 'web-shop' }, take: 60 }),
          client.event.findFirstOrThrow({ where: { projectId: null } }),
        ]);
        const shop: Team = {
          id: 'shop',
          features: ['checkout-one-page', 'search-typo-tolerance'],
          projects: ['web-shop'],
          incidents: [
            { title: 'Checkout unavailable', event: 2162 },
            { title: 'Notification not delivered', delivery: String(failed.id) },
          ],
        };
        const everything: Team = {
          id: 'everything',
          features: features.map(({ name }) => name),
          projects: projects.map(({ id }) => id),
          incidents: events.map(({ id }) => ({ title: `after ${id}`, event: id })),
        };
        const hazy: Team = {
          id: 'hazy',
          features: ['ghost', 'welcome-tour'],
          projects: ['ghost'],
          incidents: [
            { title: 'an event of no project', event: hidden.id },
            { title: 'no event', event: 1_999_999_999 },
            { title: 'a delivery', delivery: String(failed.id) },
            { title: 'no delivery', delivery: '1999999999' },
          ],
        };
        const broken: Team = {
          id: 'broken',
          features: ['welcome-tour', 'a\0b'],
          projects: [],
          incidents: [],
        };
        teams = await startTeamsSubgraph(TEAMS_SDL, [shop, everything, hazy, broken]);
        const flaggraph = `${gateway().url}/graphql`;
        router = await startRouter(
          kind,
          GATEWAY_CONFIG,
          await compose({ flaggraph, teams: teams.url }),
        );
      });
      afterAll(async () => {
        await router?.stop();
        await teams?.stop();
      });

      const runQuery = (
        query: string,
        variables: Record<string, unknown> = {},
        token: string | null = DEMO_TOKENS.admin,
      ) => router.ask(query, variables, token);

      test.each(PAGE_QUERIES)(
        'returns the documented result: $query',
        async ({ query, answer: response }) => {
          expect(await runQuery(query)).toEqual(response);
        },
      );

      test('composes with a subgraph that has its own global IDs and connections', async () => {
        const { data } = await runQuery(
          '{ node(id: "shop") { id } teams { nodes { id } pageInfo { hasNextPage } } events(first: 1) { pageInfo { hasNextPage } } }',
        );
        expect(data).toEqual({
          node: { id: 'shop' },
          teams: {
            nodes: [{ id: 'shop' }, { id: 'everything' }, { id: 'hazy' }, { id: 'broken' }],
            pageInfo: { hasNextPage: false },
          },
          events: { pageInfo: { hasNextPage: true } },
        });
      });

      test('loads many entities with as many statements as a few', async () => {
        const QUERY = `query ($id: ID!) { team(id: $id) {
        features { name docsUrl stale tags { value } environments { enabled } }
        projects { id name members owner { id } }
        incidents { title causedBy { id label } } } }`;
        const statementsFor = async (id: string) => {
          let size = 0;
          const statements = await statementsOf(async () => {
            const { data, errors } = await runQuery(QUERY, { id });
            expect(errors).toBeUndefined();
            size =
              data.team.features.length + data.team.projects.length + data.team.incidents.length;
          });
          return { count: statements.length, size };
        };
        const few = await statementsFor('shop');
        const many = await statementsFor('everything');
        expect(few.size).toBeLessThan(10);
        expect(many.size).toBeGreaterThan(100);
        expect(many.count).toBe(few.count);
      });

      test('returns the same for hidden and missing entities', async () => {
        const QUERY = `{ team(id: "hazy") { features { name type } projects { id description }
        incidents { causedBy { typeName } lostDelivery { state } } } }`;
        const seen = (incident: { causedBy: unknown; lostDelivery: unknown }) =>
          incident.causedBy ?? incident.lostDelivery;
        const viewer = await runQuery(QUERY, {}, DEMO_TOKENS.viewer);
        const admin = await runQuery(QUERY);

        expect(viewer.data.team.incidents.map(seen)).toEqual([null, null, null, null]);
        expect(admin.data.team.incidents.map(seen)).toEqual([
          { typeName: expect.any(String) },
          null,
          { state: 'FAILED' },
          null,
        ]);
        expect(viewer.data.team.features).toEqual([
          { name: 'ghost', type: null },
          { name: 'welcome-tour', type: 'release' },
        ]);
        expect(viewer.data.team.projects).toEqual([{ id: 'ghost', description: null }]);
        const errors = viewer.errors.map(
          ({ message, path }: { message: string; path: unknown[] }) => [message, path.at(-1)],
        );
        expect(errors.slice(0, 2)).toEqual([errors[1], errors[0]]);
        expect(errors.slice(2, 4)).toEqual([errors[3], errors[2]]);
      });

      test('passes errors of the gateway through', async () => {
        const codeOf = async (...call: Parameters<typeof runQuery>) => {
          const { errors } = await runQuery(...call);
          return errors?.map(({ extensions }: { extensions: { code: string } }) => extensions.code);
        };
        expect(await codeOf('{ events(first: 0) { totalCount } }')).toEqual(['BAD_USER_INPUT']);
        expect(await codeOf('{ integrations { id } }', {}, DEMO_TOKENS.viewer)).toEqual([
          'FORBIDDEN',
        ]);
        expect(await codeOf('{ viewer { name } }', {}, null)).toEqual(['UNAUTHENTICATED']);
        expect(await codeOf('{ viewer { name } }', {}, 'garbage')).toEqual(['UNAUTHENTICATED']);
        expect(await codeOf('{ team(id: "broken") { features { name stale } } }')).toEqual([
          'BAD_USER_INPUT',
        ]);
      });

      test('returns mutation errors, including types known only by the Error interface', async () => {
        const { data, errors } = await runQuery(
          `mutation { cloneFeature(input: { featureName: "ghost", newName: "copy" }) {
          __typename ... on Error { name message } } }`,
        );
        expect(errors).toBeUndefined();
        expect(data.cloneFeature).toMatchObject({
          __typename: 'NotFoundError',
          name: 'NotFoundError',
          message: "Feature 'ghost' does not exist.",
        });
      });

      test('forwards the token to the gateway only', async () => {
        teams.received.length = 0;
        await runQuery('{ team(id: "shop") { features { name stale } } }');
        expect(teams.received.length).toBeGreaterThan(0);
        expect(teams.received.every(({ authorization }) => authorization === null)).toBe(true);
      });
    },
    { FEDERATION: 'on' },
  );
});
