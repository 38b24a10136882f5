import { GraphQLID, GraphQLInt, GraphQLString } from 'graphql';
import { BadDataError, NoAccessError } from '../../domain/errors.js';
import { builder } from '../builder.js';
import type { Context } from '../context.js';
import { listWithErrors } from '../list-with-errors.js';
import { Event } from '../schema/event.js';
import { Feature } from '../schema/feature.js';
import { IntegrationEvent } from '../schema/integration-event.js';
import { Project } from '../schema/project.js';
import { type EntityKey, readKey, readTypename } from './representation.js';

/** As many as the longest page of any list holds. */
const MOST_REPRESENTATIONS = 1000;

const entity = <Key, Row extends object>(
  key: EntityKey<Key>,
  find: (key: Key, context: Context) => Promise<Row | null>,
) => ({
  keyField: key.field,
  find: (place: string, representation: unknown, context: Context) =>
    find(readKey(place, representation, key), context),
});

const findDelivery = async (id: string, { pages }: Context) =>
  /^(0|[1-9]\d{0,17})$/.test(id) ? pages.integrationEvent.load(BigInt(id)) : null;

/** What other subgraphs can refer to and add fields to; each is found by a loader, so that many cost one statement. */
export const ENTITIES = {
  Event: entity({ field: 'id', type: GraphQLInt }, (id, { pages }) => pages.event(id)),
  Feature: entity({ field: 'name', type: GraphQLString }, (name, { loaders }) =>
    loaders.feature.load(name),
  ),
  IntegrationEvent: entity({ field: 'id', type: GraphQLID }, findDelivery),
  Project: entity({ field: 'id', type: GraphQLString }, (id, { loaders }) =>
    loaders.project.load(id),
  ),
};

type EntityName = keyof typeof ENTITIES;
type EntityRow = NonNullable<Awaited<ReturnType<(typeof ENTITIES)[EntityName]['find']>>>;

const NAMES = Object.keys(ENTITIES) as EntityName[];

/** Rows do not tell of which type they are. */
const typeOfRow = new WeakMap<EntityRow, EntityName>();

const findEntity = async (
  place: string,
  representation: unknown,
  context: Context,
): Promise<EntityRow | null> => {
  const name = readTypename(place, representation, NAMES);
  try {
    const row = await ENTITIES[name].find(place, representation, context);
    if (row) typeOfRow.set(row, name);
    return row;
  } catch (error) {
    // What may not be seen is answered as what does not exist.
    if (error instanceof NoAccessError) return null;
    throw error;
  }
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
  resolveType: (row) => typeOfRow.get(row),
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
      return listWithErrors<EntityRow | null>(
        'representations',
        representations.map((representation, index) =>
          findEntity(`representations[${index}]`, representation, context),
        ),
      );
    },
  }),
);
