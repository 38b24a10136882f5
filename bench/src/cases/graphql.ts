import type { Draw } from '../draw.js';
import type { BenchRequest } from '../measure/load.js';
import { ALL_PROJECTS, FEATURE_COUNT, featureNumbered } from '../world/facts.js';
import type { Case, Question } from './case.js';

const post = (query: string, variables: Record<string, unknown>): BenchRequest => ({
  method: 'POST',
  path: '/graphql',
  body: { query, variables },
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

const readOurPage = (response: unknown): unknown => {
  const { totalCount, nodes } = (response as OurPage).data.events;
  return page(
    totalCount,
    nodes.map((node) => ({ ...node, number: node.id, name: node.typeName })),
  );
};

const readTheirPage = (response: unknown): unknown => {
  const { totalCount, nodes } = (response as TheirPage).data.allEvents;
  return page(
    totalCount,
    nodes.map((node) => ({ ...node, number: node.rowId, name: node.type })),
  );
};

/** A page of the events of one feature or project. */
const pageQuestion = (by: 'feature' | 'project', value: string, withTotal: boolean): Question => {
  const total = withTotal ? 'totalCount' : '';
  const ours = post(
    `query Page($value: String!) { events(first: 50, filter: { ${by === 'feature' ? 'featureName' : 'projectId'}: { is: $value } }) {
      ${total} nodes { id typeName createdBy createdAt featureName } } }`,
    { value },
  );
  const condition = by === 'feature' ? 'featureName' : 'project';
  const theirs = post(
    `query Page($value: String!) { allEvents(first: 50, condition: { ${condition}: $value }, orderBy: [ROW_ID_DESC]) {
      ${total} nodes { rowId type createdBy createdAt featureName } } }`,
    { value },
  );
  const where = `${by === 'feature' ? 'feature_name' : 'project'} = '${value}'`;
  return {
    requests: { gateway: ours, limit: ours, postgraphile: theirs },
    readers: { gateway: readOurPage, limit: readOurPage, postgraphile: readTheirPage },
    expect: async (sql) => {
      const rows = await sql.query<GraphqlEvent & { number: number; name: string }>(
        `select id as number, type as name, created_by as "createdBy", created_at as "createdAt", feature_name as "featureName"
         from events where ${where} order by id desc limit 50`,
      );
      if (!withTotal) return page(undefined, rows);
      const { total: count } = await sql.one<{ total: number }>(
        `select count(*)::int as total from events where ${where}`,
      );
      return page(count, rows);
    },
  };
};

const anyFeature = (draw: Draw): string => featureNumbered(1 + draw.popular(FEATURE_COUNT));

export const graphqlPage = (): Case => ({
  id: 'graphql-page',
  title: 'GraphQL page of 50 events of one feature, five fields, no total',
  subject: 'gateway',
  targets: [
    { against: 'postgraphile', atLeast: 1.5 },
    { against: 'limit', atLeast: 0.55 },
  ],
  names: ['gateway', 'postgraphile', 'limit'],
  drawQuestion: (draw) => pageQuestion('feature', anyFeature(draw), false),
});

export const graphqlTotal = (): Case => ({
  id: 'graphql-total',
  title: 'GraphQL page of 50 events of one project with exact total',
  subject: 'gateway',
  targets: [{ against: 'postgraphile', atLeast: 20 }],
  names: ['gateway', 'postgraphile'],
  drawQuestion: (draw) =>
    pageQuestion('project', String(ALL_PROJECTS[draw.popular(ALL_PROJECTS.length)]), true),
});

type Nodes<Item> = { nodes: Item[] };
type OurProject = {
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
};
type TheirProject = {
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
};

const parameters = (value: unknown): unknown =>
  typeof value === 'string' ? JSON.parse(value) : value;

const sorted = <Item extends readonly unknown[]>(items: Item[]): Item[] =>
  items.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));

/** Selects projects by variables. */
const aliases = (
  ids: readonly string[],
  field: (variable: string) => string,
  selection: string,
) => {
  const names = ids.map((_id, index) => `p${index}`);
  const fields = names.map((name) => `${name}: ${field(`$${name}`)} ${selection}`);
  return post(
    `query Tree(${names.map((name) => `$${name}: String!`).join(', ')}) { ${fields.join(' ')} }`,
    Object.fromEntries(names.map((name, index) => [name, ids[index]])),
  );
};

const ourTree = (ids: readonly string[], size: number): BenchRequest =>
  aliases(
    ids,
    (variable) => `project(id: ${variable})`,
    `{ id name features(first: ${size}) { nodes { name
      environments { environment { name } enabled strategies { id name parameters } }
      events(first: 3) { nodes { id typeName } } } } }`,
  );

const readOurTree = (response: unknown): unknown =>
  Object.values((response as { data: Record<string, OurProject> }).data).map((project) => [
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
  ]);

const theirTree = (ids: readonly string[]): BenchRequest =>
  aliases(
    ids,
    (variable) => `projectByRowId(rowId: ${variable})`,
    `{ rowId name featuresByProject(first: 20, orderBy: [NAME_ASC]) { nodes { name
      featureEnvironmentsByFeatureName { nodes { environment enabled
        featureStrategiesByEnvironmentAndFeatureName { nodes { rowId strategyName parameters } } } }
      eventsByFeatureName(first: 3, orderBy: [ROW_ID_DESC]) { nodes { rowId type } } } } }`,
  );

const readTheirTree = (response: unknown): unknown =>
  Object.values((response as { data: Record<string, TheirProject> }).data).map((project) => [
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
  ]);

type TreeRow = { id: string; name: string; features: unknown };

const TREE_PROJECTS = 5;

/** Different projects, popular ones most often. */
const someProjects = (draw: Draw): string[] => {
  const ids = new Set<string>();
  while (ids.size < TREE_PROJECTS) ids.add(String(ALL_PROJECTS[draw.popular(ALL_PROJECTS.length)]));
  return [...ids];
};

export const graphqlTree = (): Case => ({
  id: 'graphql-tree',
  title: 'GraphQL 5 projects → features(20) → environments → strategies + last 3 events each',
  subject: 'gateway',
  targets: [{ against: 'postgraphile', atLeast: 2 }],
  names: ['gateway', 'postgraphile'],
  sameStatementsAs: ourTree(ALL_PROJECTS.slice(0, TREE_PROJECTS), 5),
  drawQuestion: (draw) => {
    const ids = someProjects(draw);
    return {
      requests: { gateway: ourTree(ids, 20), postgraphile: theirTree(ids) },
      readers: { gateway: readOurTree, postgraphile: readTheirTree },
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
          from projects p where p.id in (${ids.map((id) => `'${id}'`).join(', ')})`);
        const rowOf = new Map(rows.map((row) => [row.id, row]));
        return ids.map((id) => [id, rowOf.get(id)?.name, rowOf.get(id)?.features]);
      },
    };
  },
});
