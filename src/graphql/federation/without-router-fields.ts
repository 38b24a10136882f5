import { GraphQLObjectType, GraphQLSchema } from 'graphql';

/** Types and queries that only routers use. */
export const ROUTER_TYPES: ReadonlySet<string> = new Set(['_Any', '_Entity', '_Service']);
export const ROUTER_QUERIES: ReadonlySet<string> = new Set(['_entities', '_service']);

/** The same schema without the fields for routers of a federated graph. */
export const withoutRouterFields = (schema: GraphQLSchema): GraphQLSchema => {
  const { query, types, ...config } = schema.toConfig();
  if (!query) return schema;
  const { fields, ...queryConfig } = query.toConfig();
  return new GraphQLSchema({
    ...config,
    query: new GraphQLObjectType({
      ...queryConfig,
      fields: Object.fromEntries(
        Object.entries(fields).filter(([name]) => !ROUTER_QUERIES.has(name)),
      ),
    }),
    types: types.filter((type) => type !== query && !ROUTER_TYPES.has(type.name)),
  });
};
