import { GraphQLObjectType, GraphQLSchema } from 'graphql';

/** Types and queries that only routers use. */
export const MACHINERY_TYPES: ReadonlySet<string> = new Set(['_Any', '_Entity', '_Service']);
export const MACHINERY_QUERIES: ReadonlySet<string> = new Set(['_entities', '_service']);

/** The same schema without the fields for routers of a federated graph. */
export const withoutMachinery = (schema: GraphQLSchema): GraphQLSchema => {
  const { query, types, ...config } = schema.toConfig();
  if (!query) return schema;
  const { fields, ...queryConfig } = query.toConfig();
  return new GraphQLSchema({
    ...config,
    query: new GraphQLObjectType({
      ...queryConfig,
      fields: Object.fromEntries(
        Object.entries(fields).filter(([name]) => !MACHINERY_QUERIES.has(name)),
      ),
    }),
    types: types.filter((type) => type !== query && !MACHINERY_TYPES.has(type.name)),
  });
};
