import type { BenchRequest } from '../measure/load.js';
import type { Case, Part } from './case.js';

const post = (query: string): BenchRequest => ({
  method: 'POST',
  path: '/graphql',
  body: { query },
});

type GraphqlEvent = { createdBy: string; createdAt: string; featureName: string | null };
type OurPage = {
  data: {
    events: { totalCount?: number; nodes: (GraphqlEvent & { id: number; typeName: string })[] };
  };
};
type TheirPage = {
  data: {
    allEvents: { totalCount?: number; nodes: (GraphqlEvent & { rowId: number; type: string })[] };
  };
};

const page = (
  totalCount: number | undefined,
  events: readonly (GraphqlEvent & { number: number; name: string })[],
) => ({
  totalCount: totalCount ?? null,
  events: events.map(({ number, name, createdBy, createdAt, featureName }) => [
    number,
    name,
    createdBy,
    new Date(createdAt).getTime(),
    featureName,
  ]),
});

const ourPage = (total: string): Part => ({
  request: post(
    `query Page { events(first: 50) { ${total} nodes { id typeName createdBy createdAt featureName } } }`,
  ),
  read: (response) => {
    const { totalCount, nodes } = (response as OurPage).data.events;
    return page(
      totalCount,
      nodes.map((node) => ({ ...node, number: node.id, name: node.typeName })),
    );
  },
});

const theirPage = (total: string): Part => ({
  request: post(
    `query Page { allEvents(first: 50, orderBy: [ROW_ID_DESC]) { ${total} nodes { rowId type createdBy createdAt featureName } } }`,
  ),
  read: (response) => {
    const { totalCount, nodes } = (response as TheirPage).data.allEvents;
    return page(
      totalCount,
      nodes.map((node) => ({ ...node, number: node.rowId, name: node.type })),
    );
  },
});

const expectPage =
  (withTotal: boolean): Case['expect'] =>
  async (sql) => {
    const rows = await sql.query<GraphqlEvent & { number: number; name: string }>(
      `select id as number, type as name, created_by as "createdBy", created_at as "createdAt", feature_name as "featureName"
       from events order by id desc limit 50`,
    );
    const { total } = await sql.one<{ total: number }>('select count(*)::int as total from events');
    return page(withTotal ? total : undefined, rows);
  };

export const graphqlPage = (): Case => ({
  id: 'graphql-page',
  title: 'GraphQL page of 50 events, five fields, no total',
  subject: 'gateway',
  targets: [
    { against: 'postgraphile', atLeast: 1.5 },
    { against: 'limit', atLeast: 0.35 },
  ],
  parts: { gateway: ourPage(''), postgraphile: theirPage(''), limit: ourPage('') },
  expect: expectPage(false),
});

export const graphqlTotal = (): Case => ({
  id: 'graphql-total',
  title: 'GraphQL page of 50 events with exact total',
  subject: 'gateway',
  targets: [{ against: 'postgraphile', atLeast: 20 }],
  parts: { gateway: ourPage('totalCount'), postgraphile: theirPage('totalCount') },
  expect: expectPage(true),
});

type Nodes<Item> = { nodes: Item[] };
type OurTree = Nodes<{
  id: string;
  name: string;
  features: Nodes<{
    name: string;
    environments: {
      environment: { name: string };
      enabled: boolean;
      strategies: { id: string; name: string; parameters: unknown }[];
    }[];
    events: Nodes<{ id: number; typeName: string }>;
  }>;
}>;
type TheirTree = Nodes<{
  rowId: string;
  name: string;
  featuresByProject: Nodes<{
    name: string;
    featureEnvironmentsByFeatureName: Nodes<{
      environment: string;
      enabled: boolean;
      featureStrategiesByEnvironmentAndFeatureName: Nodes<{
        rowId: string;
        strategyName: string;
        parameters: string | object;
      }>;
    }>;
    eventsByFeatureName: Nodes<{ rowId: number; type: string }>;
  }>;
}>;

const parameters = (value: unknown): unknown =>
  typeof value === 'string' ? JSON.parse(value) : value;

const sorted = <Item extends readonly unknown[]>(items: Item[]): Item[] =>
  items.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));

const ourTree = (size: number): Part => ({
  request:
    post(`query Tree { projects(first: 20) { nodes { id name features(first: ${size}) { nodes { name
    environments { environment { name } enabled strategies { id name parameters } }
    events(first: 3) { nodes { id typeName } } } } } } }`),
  read: (response) =>
    (response as { data: { projects: OurTree } }).data.projects.nodes.map((project) => [
      project.id,
      project.name,
      project.features.nodes.map((feature) => [
        feature.name,
        sorted(
          feature.environments.map(({ environment, enabled, strategies }) => [
            environment.name,
            enabled,
            sorted(strategies.map((strategy) => [strategy.id, strategy.name, strategy.parameters])),
          ]),
        ),
        feature.events.nodes.map((event) => [event.id, event.typeName]),
      ]),
    ]),
});

const theirTree: Part = {
  request: post(`query Tree { allProjects(first: 20, orderBy: [ROW_ID_ASC]) { nodes { rowId name
    featuresByProject(first: 20, orderBy: [NAME_ASC]) { nodes { name
      featureEnvironmentsByFeatureName { nodes { environment enabled
        featureStrategiesByEnvironmentAndFeatureName { nodes { rowId strategyName parameters } } } }
      eventsByFeatureName(first: 3, orderBy: [ROW_ID_DESC]) { nodes { rowId type } } } } } } }`),
  read: (response) =>
    (response as { data: { allProjects: TheirTree } }).data.allProjects.nodes.map((project) => [
      project.rowId,
      project.name,
      project.featuresByProject.nodes.map((feature) => [
        feature.name,
        sorted(
          feature.featureEnvironmentsByFeatureName.nodes.map((environment) => [
            environment.environment,
            environment.enabled,
            sorted(
              environment.featureStrategiesByEnvironmentAndFeatureName.nodes.map((strategy) => [
                strategy.rowId,
                strategy.strategyName,
                parameters(strategy.parameters),
              ]),
            ),
          ]),
        ),
        feature.eventsByFeatureName.nodes.map((event) => [event.rowId, event.type]),
      ]),
    ]),
};

type TreeRow = { id: string; name: string; features: unknown };

export const graphqlTree = (): Case => ({
  id: 'graphql-tree',
  title: 'GraphQL projects → features(20) → environments → strategies + last 3 events each',
  subject: 'gateway',
  targets: [{ against: 'postgraphile', atLeast: 1.2 }],
  parts: { gateway: ourTree(20), postgraphile: theirTree },
  sameStatementsAs: ourTree(5).request,
  expect: async (sql) => {
    const rows = await sql.query<TreeRow>(`
      select p.id, p.name, (
        select json_agg(json_build_array(f.name, (
            select json_agg(json_build_array(e.environment, e.enabled, (
              select json_agg(json_build_array(s.id, s.strategy_name, s.parameters) order by s.id collate "C")
              from feature_strategies s where s.feature_name = e.feature_name and s.environment = e.environment
            )) order by e.environment collate "C")
            from feature_environments e where e.feature_name = f.name
          ), coalesce((
            select json_agg(json_build_array(l.id, l.type) order by l.id desc)
            from (select id, type from events where feature_name = f.name order by id desc limit 3) l
          ), '[]')) order by f.name collate "C")
        from (select name from features where project = p.id and archived_at is null
              order by name collate "C" limit 20) f
      ) as features
      from projects p where p.archived_at is null order by p.id collate "C" limit 20`);
    return rows.map(({ id, name, features }) => [id, name, features]);
  },
});
