import { GraphQLID, GraphQLInt, GraphQLString } from 'graphql';
import { LOOKUP_COST } from '../../domain/cost.js';
import { BadDataError } from '../../domain/errors.js';
import { builder } from '../builder.js';
import type { Context } from '../context.js';
import { findNode } from '../find-node.js';
import { listWithErrors } from '../list-with-errors.js';
import { isKey, type NodeTypeName } from '../node-id.js';
import { Event } from '../schema/event.js';
import { Feature } from '../schema/feature.js';
import { IntegrationEvent } from '../schema/integration-event.js';
import { Project } from '../schema/project.js';
import { type EntityKey, readKey, readTypename } from './representation.js';

/** The maximum page size of any list. */
const MAX_REPRESENTATIONS = 1000;

/** Types that other subgraphs can reference and extend, with their keys. */
export const ENTITIES = {
  Event: { field: 'id', type: GraphQLInt },
  Feature: { field: 'name', type: GraphQLString },
  IntegrationEvent: { field: 'id', type: GraphQLID },
  Project: { field: 'id', type: GraphQLString },
} satisfies Partial<Record<NodeTypeName, EntityKey<string | number>>>;

const NAMES = Object.keys(ENTITIES) as (keyof typeof ENTITIES)[];

const findEntity = async (path: string, representation: unknown, context: Context) => {
  const type = readTypename(path, representation, NAMES);
  const key = String(readKey<string | number>(path, representation, ENTITIES[type]));
  const found = isKey(type, key) ? await findNode({ type, key }, context) : null;
  // `findNode` returns a row of the requested type.
  return found as typeof Entity.$inferType | null;
};

builder.scalarType('_Any', {
  description:
    'Representation of an entity: an object with its `__typename` and key, such as `{ __typename: "Feature", name: "welcome-tour" }`.',
  specifiedByURL:
    'https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec#scalar-_any',
  serialize: (value) => value,
});

const Entity = builder.unionType('_Entity', {
  description: 'Types that other subgraphs of a federated graph can reference by key.',
  types: [Event, Feature, IntegrationEvent, Project],
});

builder.queryField('_entities', (t) =>
  t.field({
    type: [Entity],
    nullable: { list: false, items: true },
    description:
      'Resolves entities by key, for the router of a federated graph. Returns them in the requested order, with null for entities that do not exist or are not visible to you. At most 1000.',
    complexity: ({ representations }) => {
      const count = Array.isArray(representations) ? representations.length : 1;
      return { field: LOOKUP_COST * count, multiplier: count };
    },
    args: {
      representations: t.arg({
        type: ['_Any'],
        required: true,
        description: 'Entities to resolve, each as its `__typename` and key.',
      }),
    },
    resolve: (_root, { representations }, context) => {
      if (representations.length > MAX_REPRESENTATIONS) {
        throw BadDataError.of({
          message: `'representations' can have at most ${MAX_REPRESENTATIONS} entries (got ${representations.length}).`,
        });
      }
      return listWithErrors({
        argument: 'representations',
        entries: representations,
        find: (representation, index) =>
          findEntity(`representations[${index}]`, representation, context),
        slicer: context.slicer,
      });
    },
  }),
);
