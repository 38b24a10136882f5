import type { GraphQLSchema } from 'graphql';
import { builder } from '../builder.js';
import { ENTITIES } from './entities.js';
import { printSubgraph } from './subgraph-sdl.js';

const KEYS = Object.fromEntries(Object.entries(ENTITIES).map(([name, { field }]) => [name, field]));

/** Cached because printing is slow and the schema never changes. */
const printed = new WeakMap<GraphQLSchema, string>();

const sdlOf = (schema: GraphQLSchema): string => {
  const sdl = printed.get(schema) ?? printSubgraph(schema, KEYS);
  printed.set(schema, sdl);
  return sdl;
};

const Service = builder.objectRef<{ schema: GraphQLSchema }>('_Service').implement({
  description: 'Subgraph metadata for composing a federated graph.',
  fields: (t) => ({
    sdl: t.string({
      description: 'SDL of this subgraph, including entity keys.',
      resolve: ({ schema }) => sdlOf(schema),
    }),
  }),
});

builder.queryField('_service', (t) =>
  t.field({
    type: Service,
    description: 'Describes this subgraph, for composing a federated graph.',
    resolve: (_root, _args, _context, { schema }) => ({ schema }),
  }),
);
