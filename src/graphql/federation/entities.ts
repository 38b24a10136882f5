import { GraphQLID, GraphQLInt, GraphQLString } from 'graphql';
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

/** As many as the longest page of any list holds. */
const MOST_REPRESENTATIONS = 1000;

/** What other subgraphs can refer to and add fields to, each by its key. */
export const ENTITIES = {
  Event: { field: 'id', type: GraphQLInt },
  Feature: { field: 'name', type: GraphQLString },
  IntegrationEvent: { field: 'id', type: GraphQLID },
  Project: { field: 'id', type: GraphQLString },
} satisfies Partial<Record<NodeTypeName, EntityKey<string | number>>>;

const NAMES = Object.keys(ENTITIES) as (keyof typeof ENTITIES)[];

const findEntity = async (place: string, representation: unknown, context: Context) => {
  const type = readTypename(place, representation, NAMES);
  const key = String(readKey<string | number>(place, representation, ENTITIES[type]));
  const found = isKey(type, key) ? await findNode({ type, key }, context) : null;
  // What is found under the name of an entity is a row of it.
  return found as typeof Entity.$inferType | null;
};

builder.scalarType('_Any', {
  description:
    'Stands for an entity: an object with its `__typename` and its key, such as `{ __typename: "Feature", name: "welcome-tour" }`.',
  specifiedByURL:
    'https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec#scalar-_any',
  serialize: (value) => value,
});

const Entity = builder.unionType('_Entity', {
  description: 'Everything that other subgraphs of a federated graph can refer to by its key.',
  types: [Event, Feature, IntegrationEvent, Project],
});

builder.queryField('_entities', (t) =>
  t.field({
    type: [Entity],
    nullable: { list: false, items: true },
    description:
      'For the router of a federated graph: entities by their keys, in the order asked for; null for what does not exist or may not be seen. At most 1000.',
    complexity: ({ representations }) => ({
      field: 1,
      multiplier: Array.isArray(representations) ? representations.length : 1,
    }),
    args: {
      representations: t.arg({
        type: ['_Any'],
        required: true,
        description: 'The entities to find, each as its `__typename` and its key.',
      }),
    },
    resolve: (_root, { representations }, context) => {
      if (representations.length > MOST_REPRESENTATIONS) {
        throw BadDataError.of({
          message: `'representations' may hold ${MOST_REPRESENTATIONS}; these are ${representations.length}.`,
        });
      }
      return listWithErrors(
        'representations',
        representations.map((representation, index) =>
          findEntity(`representations[${index}]`, representation, context),
        ),
      );
    },
  }),
);
