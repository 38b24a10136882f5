import type { GraphQLSchema } from 'graphql';
import { builder } from '../builder.js';
import { ENTITIES } from './entities.js';
import { printSubgraph } from './subgraph-sdl.js';

const KEYS = Object.fromEntries(Object.entries(ENTITIES).map(([name, { field }]) => [name, field]));

/** Printing takes a while and the graph never changes. */
const printed = new WeakMap<GraphQLSchema, string>();

const sdlOf = (schema: GraphQLSchema): string => {
  const sdl = printed.get(schema) ?? printSubgraph(schema, KEYS);
  printed.set(schema, sdl);
  return sdl;
};

const Service = builder.objectRef<{ schema: GraphQLSchema }>('_Service').implement({
  description: 'What this subgraph tells whoever composes a federated graph.',
  fields: (t) => ({
    sdl: t.string({
      description: 'The schema of this subgraph, with the keys of its entities.',
      resolve: ({ schema }) => sdlOf(schema),
    }),
  }),
});

builder.queryField('_service', (t) =>
  t.field({
    type: Service,
    description: 'For whoever composes a federated graph: what this subgraph offers.',
    resolve: (_root, _args, _context, { schema }) => ({ schema }),
  }),
);
